"""What checks of multi-round tools share: which tools were asked, and how their retries ended."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bundles.check import Inconclusive, NotApplicable, Said
from bundles.mcp import probes
from bundles.mcp.multi_round import MrtrTool, read_mrtr_tools
from bundles.mcp.reading import unanswered
from bundles.mcp.schema import LEGACY
from bundles.transcript import Exchange, Transcript

NO_TOOL = NotApplicable("no tool is declared to ask for input")
TOO_OLD = NotApplicable("a server asks by requests of its own before 2026-07-28")


@dataclass(frozen=True, slots=True)
class Asked:
    """A declared tool that asked for input when it was called.

    Attributes:
        transcript: where it was seen.
        tool: its name.
        declared: what the profile says of it.
        first: the answer that asked.
    """

    transcript: Transcript
    tool: str
    declared: MrtrTool
    first: Exchange

    @property
    def has_state(self) -> bool:
        """Whether it wants a requestState back."""
        return "requestState" in self.first.result

    @property
    def has_requests(self) -> bool:
        """Whether it asks for anything, or only to be called again."""
        return bool(self.first.result.get("inputRequests"))

    def of(self, what: str) -> tuple[Exchange, ...]:
        """The exchanges of one stimulus."""
        return self.transcript.of(probe_of(what, self.tool))

    def retry(self, what: str) -> Exchange | Inconclusive:
        """The answered retry of a stimulus that has one; why there is none."""
        made = self.of(what)
        if len(made) < 2:
            return Inconclusive(f"the run did not make the retry of {probe_of(what, self.tool)}")
        return Inconclusive(unanswered(made[1])) if unanswered(made[1]) else made[1]

    def why_not_served(self) -> str:
        """Why no retry with everything right was served, "" where one was.

        Where none is, that a wrong one is refused says nothing.
        """
        ends = [made[1] for what in ("rounds", "together") if len(made := self.of(what)) > 1]
        if any(went_on(self.first, end) for end in ends):
            return ""
        if not ends:
            return f"{self.tool}: the retry with the answers was not made"
        why = unanswered(ends[-1]) or "is not served"
        return f"{self.tool}: the retry with the answers: {why}"


def probe_of(what: str, tool: str) -> str:
    """The id of a stimulus."""
    return f"{probes.MRTR}{what}:{tool}"


def declared_tools(transcript: Transcript) -> Mapping[str, MrtrTool]:
    """The tools the profile declares to ask for input."""
    return read_mrtr_tools(transcript.context.get(probes.CONTEXT_MRTR_TOOLS, {}))


def asks(result: Any) -> bool:
    """True for an InputRequiredResult."""
    return isinstance(result, dict) and result.get("resultType") == "input_required"


def asked_tools(
    transcript: Transcript, why_not: Callable[[Asked], str] = lambda _: ""
) -> Iterator[Asked | Said]:
    """The declared tools that asked, or what keeps a check from saying anything about them.

    Args:
        transcript: what a run saw.
        why_not: why a check does not apply to a tool that asked, "" where it does.
    """
    if transcript.revision == LEGACY:
        yield TOO_OLD
        return
    declared = declared_tools(transcript)
    reasons: list[str] = []
    applies = False
    for name, tool in declared.items():
        first = next(iter(transcript.of(probe_of("rounds", name))), None)
        if why := _why_not_asked(name, first):
            applies = True
            yield Inconclusive(why)
        elif first is not None:
            asked = Asked(transcript, name, tool, first)
            if reason := why_not(asked):
                reasons.append(reason)
            else:
                applies = True
                yield asked
    if not applies:
        yield NotApplicable("; ".join(dict.fromkeys(reasons))) if reasons else NO_TOOL


def _why_not_asked(name: str, first: Exchange | None) -> str:
    if first is None:
        return (
            f"{name} was not called: no arguments could be made from its inputSchema; "
            "declare some beside it in mrtr_tools"
        )
    if why := unanswered(first):
        return why
    if first.error is not None:
        return f"the call of {name} was refused: {first.error.get('message')}"
    return "" if asks(first.result) else f"{name} was called and asked for no input"


def refused(retry: Exchange) -> bool:
    """True for a retry that got an error, of the protocol or of the tool."""
    result = retry.result
    return retry.error is not None or (isinstance(result, dict) and result.get("isError") is True)


def went_on(question: Exchange, retry: Exchange) -> bool:
    """True where a retry was taken: the tool finished, or asked for something else.

    One that asks for the same again has not taken it, which is how some turn it down.
    """
    result = retry.result
    if not isinstance(result, dict) or refused(retry):
        return False
    return not asks(result) or _wanted(result) != _wanted(question.result)


def _wanted(result: Mapping[str, Any]) -> list[str]:
    requests = result.get("inputRequests")
    return sorted(requests) if isinstance(requests, dict) else []
