"""A smoke test judged: does the server start, list what is wanted, usably, and does a call work?

Pure: a transcript and the outcomes of the checks that apply come in, steps and a kind go out. The
kind is the failure class the MCP Inspector's command names, so that pipelines that branch on one
can branch on the other.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from bundles.check import Finding, Outcome
from bundles.errors import BundlegateError, Unauthorised
from bundles.mcp import probes
from bundles.mcp.portability import Unportable, unportable
from bundles.mcp.reading import unanswered, unreached
from bundles.mcp.schema import cut
from bundles.mcp.tools import by_name, listed_tools
from bundles.reasons import next_step, reason
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Layer, Severity, Verdict, of_run

SMOKE_TOOL_MISSING = reason(
    "SMOKE_TOOL_MISSING",
    "A tool that was asked for is not among the tools the server lists.",
    "correct the name, or look why the server does not offer the tool to these credentials",
)
SMOKE_SCHEMA_UNPORTABLE = reason(
    "SMOKE_SCHEMA_UNPORTABLE",
    "A tool's schema is valid, and spelled in a way some clients refuse or mishandle.",
    "write the equivalent form the finding names",
)
SMOKE_CALL_FAILED = reason(
    "SMOKE_CALL_FAILED",
    "A named call of a tool gives no successful result.",
    "correct the arguments in the file, or the tool",
)

CHECKS = (
    "mcp.calls.result-schema-valid",
    "mcp.calls.structured-content-present",
    "mcp.calls.structured-content-valid",
    "mcp.stdio.stdout-pure",
    "mcp.tools.input-schema-valid",
    "mcp.tools.list-schema-valid",
    "mcp.tools.names-unique",
    "mcp.tools.output-schema-valid",
    "mcp.tools.pages-end",
    "mcp.tools.schema-references-local",
)
"""The conformance checks that a smoke test's transcript can be judged by."""

_ANSWERS, _LISTED = "smoke.server-answers", "smoke.tools-listed"
_PORTABLE, _CALLED = "smoke.schemas-portable", "smoke.calls-work"


class Kind(StrEnum):
    """What a smoke test came to, in the words of the Inspector's error envelope; `ok` is ours."""

    OK = "ok"
    AUTH_REQUIRED = "auth_required"
    UNREACHABLE = "unreachable"
    TOOL_NOT_FOUND = "tool_not_found"
    TOOL_IS_ERROR = "tool_is_error"
    SCHEMA_UNPORTABLE = "schema_unportable"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Smoke:
    """A judged smoke test.

    Attributes:
        kind: the first thing wrong, in the order a client would meet it; `error` for what the
            Inspector has no word for, which an undecided test is as well.
        verdict: PASS, FAIL or INCONCLUSIVE.
        outcomes, findings: as `Outcome.to_dict` and `Finding.to_dict` have them, steps first.
    """

    kind: Kind
    verdict: Verdict
    outcomes: tuple[Mapping[str, Any], ...]
    findings: tuple[Mapping[str, Any], ...]


@dataclass(frozen=True, slots=True)
class _Step:
    """One step: what it found, and why it could not tell or does not apply."""

    id: str
    title: str
    findings: tuple[Finding, ...] = ()
    unknown: str = ""
    absent: str = ""

    @property
    def verdict(self) -> Verdict:
        if any(finding.severity is Severity.MUST for finding in self.findings):
            return Verdict.FAIL
        if self.unknown:
            return Verdict.INCONCLUSIVE
        if self.findings:
            return Verdict.WARN
        return Verdict.NOT_APPLICABLE if self.absent else Verdict.PASS

    def to_dict(self) -> dict[str, Any]:
        entry: dict[str, Any] = {"id": self.id, "verdict": self.verdict.value}
        if self.findings:
            entry["reason_code"] = self.findings[0].reason_code
        said = self.findings[0].message if self.findings else ""
        return entry | {"message": said or self.unknown or self.absent or self.title}


def turned_away(error: BundlegateError) -> Smoke:
    """The smoke test of a server that let nobody in, or did not answer at all."""
    kind = Kind.AUTH_REQUIRED if isinstance(error, Unauthorised) else Kind.UNREACHABLE
    entry = {
        "id": _ANSWERS,
        "verdict": Verdict.INCONCLUSIVE.value,
        "reason_code": error.reason_code,
        "message": error.detail,
    }
    return Smoke(kind, Verdict.INCONCLUSIVE, (entry,), ())


def judged(transcript: Transcript, outcomes: Sequence[Outcome], wanted: Iterable[str]) -> Smoke:
    """Judge a smoke test.

    Args:
        transcript: of `workers.probes.smoke`.
        outcomes: of `CHECKS` over it.
        wanted: names of tools that must be listed; those with a named call are wanted anyway.
    """
    names = tuple(dict.fromkeys([*wanted, *transcript.safe_calls]))
    steps = (
        _Step(_ANSWERS, f"the server answers, in revision {transcript.revision}"),
        _listed(transcript, names),
        _portable(transcript),
        _called(transcript),
    )
    verdict = of_run([step.verdict for step in steps] + [o.verdict for o in outcomes])
    return Smoke(
        _kind(transcript, steps, verdict),
        verdict,
        tuple([step.to_dict() for step in steps] + [outcome.to_dict() for outcome in outcomes]),
        tuple(
            finding.to_dict()
            for said in (*(step.findings for step in steps), *(o.findings for o in outcomes))
            for finding in said
        ),
    )


def _kind(transcript: Transcript, steps: Iterable[_Step], verdict: Verdict) -> Kind:
    failed = {step.id for step in steps if step.verdict is Verdict.FAIL}
    if verdict is Verdict.PASS:
        return Kind.OK
    if _LISTED in failed:
        return Kind.TOOL_NOT_FOUND
    if _PORTABLE in failed:
        return Kind.SCHEMA_UNPORTABLE
    if _CALLED in failed:
        return Kind.TOOL_IS_ERROR
    # some let everybody ask who they are, and nobody anything else
    asked = [*transcript.of(probes.TOOLS_LIST), *transcript.starting(probes.SAFE_CALL)]
    kept_out = any(e.status in {401, 403} and unreached(e) for e in asked)
    return Kind.AUTH_REQUIRED if verdict is Verdict.INCONCLUSIVE and kept_out else Kind.ERROR


def _listed(transcript: Transcript, names: Sequence[str]) -> _Step:
    title = f"every tool asked for is listed: {', '.join(names)}"
    if not names:
        return _Step(_LISTED, title, absent="no tool was asked for; name one with --tool")
    missing = [name for name in names if name not in by_name(listed_tools(transcript))]
    unread = next(filter(None, map(_unread, transcript.of(probes.TOOLS_LIST))), "")
    if missing and unread:
        return _Step(_LISTED, title, unknown=f"the list could not be read: {unread}")
    return _Step(_LISTED, title, tuple(_missing(transcript, name) for name in missing))


def _unread(page: Exchange) -> str:
    """Why a page of the list holds no tools to look at; a refusal by the server is its word."""
    return "" if page.error is not None and not unanswered(page) else unanswered(page)


def _missing(transcript: Transcript, name: str) -> Finding:
    listed = [str(cut(known)) for known in by_name(listed_tools(transcript))]
    return Finding(
        check_id=_LISTED,
        reason_code=SMOKE_TOOL_MISSING,
        layer=Layer.DECLARATION,
        severity=Severity.MUST,
        message=f"the server lists no tool {name}",
        path=probes.TOOLS_LIST,
        pointer="/result/tools",
        seen=sorted(listed)[:20],
        expected=name,
        next_step=next_step(SMOKE_TOOL_MISSING),
    )


def _portable(transcript: Transcript) -> _Step:
    title = "every client can read the schemas of the tools"
    tools = listed_tools(transcript)
    if not tools:
        return _Step(_PORTABLE, title, absent="the server lists no tools")
    found = [
        _spelling(str(tool.get("name", "")), member, spelling)
        for tool in tools
        for member in ("inputSchema", "outputSchema")
        for spelling in unportable(tool.get(member))
    ]
    # what a client refuses is said before what some handle unevenly
    found.sort(key=lambda finding: finding.severity is not Severity.MUST)
    return _Step(_PORTABLE, title, tuple(found))


def _spelling(tool: str, member: str, spelling: Unportable) -> Finding:
    return Finding(
        check_id=_PORTABLE,
        reason_code=SMOKE_SCHEMA_UNPORTABLE,
        layer=Layer.SCHEMA,
        severity=Severity.MUST if spelling.rule.is_error else Severity.SHOULD,
        message=f"tool {cut(tool)}: {member}: {spelling.message} ({spelling.rule})",
        path=probes.TOOLS_LIST,
        pointer=f"/{member}{spelling.pointer}",
        seen=spelling.seen,
        next_step=spelling.instead,
    )


def _called(transcript: Transcript) -> _Step:
    title = "every named call gives a successful result"
    if not transcript.safe_calls:
        return _Step(_CALLED, title, absent="no call was named; name one with --safe-call")
    calls = list(transcript.starting(probes.SAFE_CALL))
    called = {call.probe.removeprefix(probes.SAFE_CALL).rpartition(":")[0] for call in calls}
    left = sorted(transcript.safe_calls.keys() - called)
    unknown = next(filter(None, map(unanswered, calls)), "")
    if left and not unknown:
        why = "it is not listed, or no arguments could be derived for it"
        unknown = f"{cut(left[0])} was not called: {why}"
    return _Step(_CALLED, title, tuple(_failures(calls)), unknown)


def _failures(calls: Iterable[Exchange]) -> Iterator[Finding]:
    for call in calls:
        result = call.result if isinstance(call.result, dict) else {}
        refused = call.error is not None and not unanswered(call)
        if refused or result.get("isError") is True:
            yield Finding(
                check_id=_CALLED,
                reason_code=SMOKE_CALL_FAILED,
                layer=Layer.PROTOCOL,
                severity=Severity.MUST,
                message=f"{call.probe.removeprefix(probes.SAFE_CALL)} is answered with "
                + ("a protocol error" if refused else "a failure of the tool"),
                path=call.probe,
                pointer="/error" if refused else "/result",
                seen=cut(dict(call.error or {}) if refused else result.get("content")),
                expected="a result without isError",
                next_step=next_step(SMOKE_CALL_FAILED),
            )
        elif result.get("resultType") == "input_required":
            yield _asks(call)


def _asks(call: Exchange) -> Finding:
    return Finding(
        check_id=_CALLED,
        reason_code=SMOKE_CALL_FAILED,
        layer=Layer.PROTOCOL,
        severity=Severity.SHOULD,
        message=f"{call.probe.removeprefix(probes.SAFE_CALL)} asks for input before it answers",
        path=call.probe,
        pointer="/result/resultType",
        seen="input_required",
        next_step="name a call that needs no input",
    )
