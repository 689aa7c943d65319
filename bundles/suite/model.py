"""A suite as the runner and the judge see it: valid, with its defaults applied.

One model for both versions of the format. What version 1 lacks has a default that means "not
asked for", so that whatever reads a version-2 suite reads a version-1 suite the same way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bundles.errors import Refused
from bundles.reasons import reason
from bundles.report.cut import counted
from bundles.suite.issues import Issue
from bundles.suite.validate import is_version_2, validate_suite

DEFAULT_TIMEOUT_MS = 10_000

DEFAULT_CONCURRENCY = 4
"""Independent cases in flight at once where a version-2 suite names no number."""

MAX_CONCURRENCY = 100
"""The most calls that may be in flight at once."""

SUITE_VALIDATION_FAILED = reason(
    "SUITE_VALIDATION_FAILED",
    "The document is not a valid version-1 suite.",
    "correct every issue; `bundlegate suite lint` lists all of a file",
)
SUITE_V2_VALIDATION_FAILED = reason(
    "SUITE_V2_VALIDATION_FAILED",
    "The document is not a valid version-2 suite.",
    "correct every issue; `bundlegate suite lint` lists all of a file",
)

METHODS: Mapping[str, str] = {
    "listTools": "tools/list",
    "callTool": "tools/call",
    "listPrompts": "prompts/list",
    "getPrompt": "prompts/get",
    "listResources": "resources/list",
    "listResourceTemplates": "resources/templates/list",
    "readResource": "resources/read",
}
"""The JSON-RPC method of each operation."""

LISTED: Mapping[str, str] = {
    "listTools": "tools",
    "listPrompts": "prompts",
    "listResources": "resources",
    "listResourceTemplates": "resourceTemplates",
}
"""The member of the result that holds the entries, of each operation that lists."""


@dataclass(frozen=True, slots=True)
class Operation:
    """What a case asks the server. Which fields count follows from the type.

    Attributes:
        type: a key of `METHODS`.
        tool, input: of callTool.
        prompt, arguments: of getPrompt.
        uri: of readResource.
    """

    type: str
    tool: str = ""
    input: Mapping[str, Any] = field(default_factory=dict)
    prompt: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    uri: str = ""

    @property
    def method(self) -> str:
        """The JSON-RPC method."""
        return METHODS[self.type]

    @property
    def listed(self) -> str:
        """The member of each page that holds the entries; "" for what is no list."""
        return LISTED.get(self.type, "")

    @property
    def params(self) -> dict[str, Any]:
        """The params of the request; of the first page, where it lists."""
        if self.type == "callTool":
            return {"name": self.tool, "arguments": self.input}
        if self.type == "getPrompt":
            return {"name": self.prompt, "arguments": self.arguments}
        return {"uri": self.uri} if self.type == "readResource" else {}


@dataclass(frozen=True, slots=True)
class Assertion:
    """What a case expects. Which fields count follows from the type.

    Attributes:
        type: a name that `bundles.suite.assertions.registry` knows.
        tool: the name toolExists looks for.
        expected: what isError expects.
        schema: the schema of the assertions that compare with one.
        given: every member as written, for the assertions of version 2.
    """

    type: str
    tool: str = ""
    expected: bool = False
    schema: Mapping[str, Any] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Capture:
    """A variable that a case sets once it has a result, whatever its assertions say of it.

    So that teardown can remove what a failed case has made.

    Attributes:
        name: of the variable.
        pointer: RFC 6901, where its value stands.
        source: what the pointer leads into: "result" or "body".
    """

    name: str
    pointer: str
    source: str = "result"


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a case may be tried in all, and why that is no way to hide a fault."""

    attempts: int
    reason: str


@dataclass(frozen=True, slots=True)
class Case:
    """One case.

    Attributes:
        timeout_ms: the case's own, else the suite's, else 10,000.
        tags: by which a caller chooses cases.
        profiles: the profiles the case is for; empty means every one.
        independent: whether it may run beside other cases, in any order.
        retries: None for one attempt.
        answers: what to answer when the server asks for input: one entry a round, each the
            responses by request key or by method.
        captures: the variables it sets.
        templated: whether variables still have to be replaced before the call
            (`bundles.suite.v2.variables.resolved`); never true of version 1.
    """

    id: str
    name: str
    timeout_ms: int
    operation: Operation
    assertions: tuple[Assertion, ...]
    tags: tuple[str, ...] = ()
    profiles: tuple[str, ...] = ()
    independent: bool = False
    retries: Retries | None = None
    answers: tuple[Mapping[str, Any], ...] = ()
    captures: tuple[Capture, ...] = ()
    templated: bool = False

    @property
    def expects_protocol_error(self) -> bool:
        """Whether the case passes on a JSON-RPC error."""
        return any(assertion.type == "protocolError" for assertion in self.assertions)

    def for_profile(self, profile: str) -> bool:
        """Whether the case is for a profile."""
        return not self.profiles or profile in self.profiles


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite: cases run in the order written, independent ones beside each other.

    Attributes:
        cases: the cases proper.
        version: of the format, 1 or 2.
        concurrency: independent cases in flight at once.
        setup: run before the cases, in order. When one does not pass, no case runs.
        teardown: run after the cases, in order, whatever became of them.
    """

    id: str
    name: str
    cases: tuple[Case, ...]
    version: int = 1
    concurrency: int = 1
    setup: tuple[Case, ...] = ()
    teardown: tuple[Case, ...] = ()

    @property
    def everything(self) -> tuple[Case, ...]:
        """Setup, cases and teardown, in the order in which they run and are reported."""
        return (*self.setup, *self.cases, *self.teardown)


def load_suite(document: object, *, path: str = "") -> Suite:
    """The suite of a document of either version.

    Raises:
        Refused: SUITE_VALIDATION_FAILED, of version 2 SUITE_V2_VALIDATION_FAILED, with the first
            issue and their number.
    """
    issues = validate_suite(document)
    if issues or not isinstance(document, dict):
        raise refusal_of(document, issues, path=path)
    default = document.get("defaultTimeoutMs", DEFAULT_TIMEOUT_MS)
    version = int(document["schemaVersion"])
    setup, cases, teardown = (
        tuple(_case(case, default, templated=version == 2) for case in document.get(part, ()))
        for part in ("setup", "cases", "teardown")
    )
    return Suite(
        id=document["id"],
        name=document["name"],
        cases=cases,
        version=version,
        concurrency=int(document.get("concurrency", 1 if version == 1 else DEFAULT_CONCURRENCY)),
        setup=setup,
        teardown=teardown,
    )


def refusal_of(document: object, issues: Sequence[Issue], *, path: str = "") -> Refused:
    """What to raise for a document with issues: it names the first and holds the first ten."""
    first = issues[0]
    of_two = isinstance(document, Mapping) and is_version_2(document)
    return Refused(
        SUITE_V2_VALIDATION_FAILED if of_two else SUITE_VALIDATION_FAILED,
        f"{counted(len(issues), 'issue')}; the first is {first.code} at {first.path}: "
        f"{first.message}",
        path=path,
        seen=[issue.to_dict() for issue in issues[:10]],
    )


def _case(case: Mapping[str, Any], default_timeout_ms: float, *, templated: bool) -> Case:
    operation = case["operation"]
    retries = case.get("retries")
    return Case(
        id=case["id"],
        name=case["name"],
        timeout_ms=int(case.get("timeoutMs", default_timeout_ms)),
        operation=Operation(
            type=operation["type"],
            tool=operation.get("tool", ""),
            input=operation.get("input", {}),
            prompt=operation.get("prompt", ""),
            arguments=operation.get("arguments", {}),
            uri=operation.get("uri", ""),
        ),
        assertions=tuple(
            Assertion(
                a["type"], a.get("tool", ""), a.get("expected", False), a.get("schema", {}), a
            )
            for a in case["assertions"]
        ),
        tags=tuple(case.get("tags", ())),
        profiles=tuple(case.get("profiles", ())),
        independent=case.get("independent", False),
        retries=Retries(int(retries["attempts"]), retries["reason"]) if retries else None,
        answers=tuple(case.get("answers", ())),
        captures=tuple(
            Capture(c["name"], c["pointer"], c.get("in", "result")) for c in case.get("capture", ())
        ),
        templated=templated,
    )
