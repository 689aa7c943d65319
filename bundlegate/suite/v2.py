"""Builders of version-2 suites. What version 1 has too is here under the same name.

from bundlegate.suite import v2

v2.suite("notes", v2.case("read", v2.read_resource("note://${id}"), …), setup=[…])
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from bundlegate.suite.arguments import each_of
from bundlegate.suite.building import (
    body_matches,
    call_tool,
    is_error,
    list_tools,
    structured_content_matches,
    tool_exists,
)
from bundlegate.suite.document import (
    Assertion,
    Case,
    Document,
    Json,
    Kind,
    Operation,
    Prompt,
    Prompts,
    Read,
    Resources,
    Templates,
    checked,
    listed,
    written,
)
from bundles.suite.validate import FORMAT

__all__ = [
    "body_matches",
    "call_tool",
    "capture",
    "case",
    "get_prompt",
    "is_error",
    "json_matches",
    "list_prompts",
    "list_resource_templates",
    "list_resources",
    "list_tools",
    "literal",
    "max_latency",
    "prompt_exists",
    "protocol_error",
    "read_resource",
    "resource_exists",
    "resource_template_exists",
    "retries",
    "structured_content_matches",
    "suite",
    "tool_exists",
    "value_at",
    "variable",
]

Source = Literal["result", "body"]
"""What a pointer leads into: the result as it came, or the one text it holds, read as JSON."""


def list_prompts() -> Operation[Prompts]:
    """Ask for the prompts, every page."""
    return Operation(type="listPrompts")


def list_resources() -> Operation[Resources]:
    """Ask for the resources, every page."""
    return Operation(type="listResources")


def list_resource_templates() -> Operation[Templates]:
    """Ask for the resource templates, every page."""
    return Operation(type="listResourceTemplates")


def get_prompt(prompt: str, given: Json | None = None, /, **arguments: Any) -> Operation[Prompt]:
    """Ask for a prompt, filled with arguments: strings, or variables that hold one."""
    filled = {**(given or {}), **arguments}
    return Operation(written({"type": "getPrompt", "prompt": prompt, "arguments": filled or None}))


def read_resource(uri: str) -> Operation[Read]:
    """Read a resource."""
    return Operation(type="readResource", uri=uri)


def prompt_exists(prompt: str) -> Assertion[Prompts]:
    """Expect a prompt in the list."""
    return Assertion(type="promptExists", prompt=prompt)


def resource_exists(uri: str) -> Assertion[Resources]:
    """Expect a resource in the list."""
    return Assertion(type="resourceExists", uri=uri)


def resource_template_exists(template: str) -> Assertion[Templates]:
    """Expect a resource template in the list, by its URI template."""
    return Assertion(type="resourceTemplateExists", uriTemplate=template)


def json_matches(
    schema: Mapping[str, Any], *, at: str | None = None, within: Source | None = None
) -> Assertion[object]:
    """Expect a value to match a JSON Schema 2020-12, all of it.

    Args:
        schema: `$ref` leads into the schema itself only.
        at: JSON pointer to the value; all of it unless given.
        within: "result" unless given.
    """
    members = {"schema": dict(schema), "in": within, "pointer": at}
    return Assertion(written({"type": "jsonMatchesSchema", **members}))


def value_at(
    pointer: str,
    *,
    within: Source | None = None,
    **condition: Any,
) -> Assertion[object]:
    """Expect something of the value a JSON pointer leads to.

    Args:
        pointer: RFC 6901.
        within: "result" unless given.
        condition: exactly one of `equals=VALUE`, `contains=PART` and `absent=True`.
    """
    return Assertion(
        written({"type": "valueAt", "in": within, "pointer": pointer}) | dict(condition)
    )


def protocol_error(code: int, *, message_contains: str | None = None) -> Assertion[object]:
    """Expect a JSON-RPC error: the case passes on it, and on nothing else."""
    members = {"type": "protocolError", "code": code, "messageContains": message_contains}
    return Assertion(written(members))


def max_latency(milliseconds: int) -> Assertion[object]:
    """Expect the answer within a time."""
    return Assertion(type="maxLatencyMs", ms=milliseconds)


def variable(name: str) -> dict[str, str]:
    """The value that a case before captured. Inside a string write `${name}`."""
    return {"$var": name}


def literal(value: object) -> dict[str, Any]:
    """A value as it stands, whatever in it looks like a variable."""
    return {"$literal": value}


def capture(name: str, pointer: str, *, within: Source | None = None) -> dict[str, str]:
    """Keep the value a JSON pointer leads to, for the cases after this one."""
    return written({"name": name, "in": within, "pointer": pointer})


def retries(attempts: int, *, reason: str) -> dict[str, Any]:
    """How often to try in all, and why that hides no fault: the report repeats it."""
    return {"attempts": attempts, "reason": reason}


def case(
    case_id: str,
    operation: Operation[Kind],
    *assertions: Assertion[Kind],
    name: str | None = None,
    tags: Sequence[str] = (),
    profiles: Sequence[str] = (),
    independent: bool = False,
    timeout_ms: int | None = None,
    retries: Mapping[str, Any] | None = None,
    answers: Sequence[Json] = (),
    captures: Sequence[Mapping[str, str]] = (),
) -> Case:
    """One call, or one conversation, and what is expected of its answer.

    Args:
        case_id: unique in its suite.
        operation: what to ask.
        assertions: what has to hold, at least one; those that go with the operation.
        name: for people; the id unless given.
        tags: by which whoever runs the suite chooses cases.
        profiles: the profiles the case is for; every one unless given.
        independent: whether it may run beside other cases.
        timeout_ms: of this case, in milliseconds.
        retries: see `retries`.
        answers: what to answer when the server asks for input: the responses of each round.
        captures: see `capture`.

    Raises:
        Invalid: SUITE_ARGUMENT_MISTAKEN, one string for several tags or profiles.
    """
    members = {
        "id": case_id,
        "name": case_id if name is None else name,
        "tags": list(each_of("tags", tags)) or None,
        "profiles": list(each_of("profiles", profiles)) or None,
        "independent": independent or None,
        "timeoutMs": timeout_ms,
        "retries": retries,
        "operation": operation,
        "answers": list(answers) or None,
        "assertions": list(assertions),
        "capture": list(captures) or None,
    }
    return Case(written(members))


def suite(
    suite_id: str,
    *cases: Case,
    name: str | None = None,
    description: str | None = None,
    timeout_ms: int | None = None,
    concurrency: int | None = None,
    setup: Sequence[Case] = (),
    teardown: Sequence[Case] = (),
) -> Document:
    """A version-2 suite.

    Args:
        suite_id: of the suite.
        cases: at least one; in the order written, independent ones beside each other.
        name: for people; the id unless given.
        description: for people.
        timeout_ms: of each case that has none of its own; 10,000 milliseconds unless given.
        concurrency: independent cases in flight at once.
        setup: run first; when one does not pass, no case runs.
        teardown: run last, whatever became of the cases.

    Raises:
        Refused: SUITE_V2_VALIDATION_FAILED; `seen` lists the issues.
    """
    members = {
        "schemaVersion": 2,
        "format": FORMAT,
        "id": suite_id,
        "name": suite_id if name is None else name,
        "description": description,
        "defaultTimeoutMs": timeout_ms,
        "concurrency": concurrency,
        "setup": listed(setup),
        "cases": list(cases),
        "teardown": listed(teardown),
    }
    return checked(written(members))
