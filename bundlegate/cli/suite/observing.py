"""Running a suite once or twice, and learning around it what was asked for."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bundlegate.cli.output import progress, say
from bundlegate.cli.suite.resetting import reset
from bundles.errors import Refused, Unauthorised, Unreachable
from bundles.report.cut import escaped
from workers.probes.suite.live import run_live

if TYPE_CHECKING:
    from bundlegate.cli.suite.demanding import Demands
    from bundles.suite.axes import Coverage
    from bundles.suite.determinism import Determinism
    from bundles.suite.input_contract import InputFindings
    from bundles.suite.judge import SuiteReport
    from bundles.suite.model import Case, Suite
    from bundles.suite.outcomes import CaseOutcome
    from bundles.transcript import Exchange
    from workers.endpoints import Endpoint
    from workers.probes.conversation import Conversation
    from workers.probes.suite.judged import OnOutcome
    from workers.probes.suite.live import OnOpen

_SHOWN = 20  # findings said before the run; the report has those that matter then

# Seconds for the whole list of tools, which a run can do without: as long as the first case waits,
# but never so short that a server is still busy with it when the cases begin.
_LEAST_S, _MOST_S = 2.0, 10.0


@dataclass(frozen=True, slots=True)
class Observed:
    """A run and what was learned around it; None is what was not asked for, or is not known.

    `interrupted` says that somebody ended it early, in the first run or the second.
    """

    report: "SuiteReport"
    interrupted: bool
    findings: "InputFindings | None"
    coverage: "Coverage | None"
    determinism: "Determinism | None"


def observe(
    endpoint: "Endpoint",
    suite: "Suite",
    demands: "Demands",
    *,
    concurrency: int | None,
    on_outcome: "OnOutcome",
) -> Observed:
    """Run a suite on a server.

    The run that counts is the first; a second one is only compared with it. Ctrl-C ends it early,
    and what is known by then is told.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED.
        Refused: RESET_COMMAND_FAILED, before the first run.
    """
    way = _Way(endpoint, suite, concurrency, demands.reset_command)
    known, determinism = _Known(suite, _patience(suite, demands)), None
    if demands.twice:
        report, determinism = _twice(way, on_outcome, known.ask)
    else:
        report = way.run(on_outcome=on_outcome, on_open=known.ask)
    coverage = known.coverage() if demands.coverage else None
    return Observed(report, way.interrupted, known.findings, coverage, determinism)


@dataclass(slots=True)
class _Way:
    """How each run is made, and whether somebody has ended one."""

    endpoint: "Endpoint"
    suite: "Suite"
    concurrency: int | None
    reset_command: str
    interrupted: bool = False

    def run(self, *, on_outcome: "OnOutcome", on_open: "OnOpen | None" = None) -> "SuiteReport":
        """Put the outer state back, then run the suite in a session of its own."""
        ended: dict[str, CaseOutcome] = {}

        def told(case: "Case", exchanges: "Sequence[Exchange]", outcome: "CaseOutcome") -> None:
            ended[case.id] = outcome
            on_outcome(case, exchanges, outcome)

        try:
            reset(self.reset_command)
            return asyncio.run(
                run_live(
                    self.endpoint,
                    self.suite,
                    concurrency=self.concurrency,
                    on_outcome=told,
                    on_open=on_open,
                )
            )
        except KeyboardInterrupt:
            self.interrupted = True
            return _partial(self.suite, ended)


def _partial(suite: "Suite", ended: "dict[str, CaseOutcome]") -> "SuiteReport":
    """The report on a run that somebody ended, from what was told until then."""
    from bundles.suite.outcomes import Stopped
    from workers.probes.suite.judged import report_of

    return report_of(suite, ended, Stopped("interrupted", next(reversed(ended), ""), "interrupted"))


def _patience(suite: "Suite", demands: "Demands") -> float | None:
    """How long to wait for the list of tools; None, for each page, where it was asked for."""
    if demands.coverage or "input-findings" in demands.fail_on:
        return None
    return min(max(suite.everything[0].timeout_ms / 1000, _LEAST_S), _MOST_S)


class _Known:
    """What the server declares, and how the inputs of the suite fit to it."""

    def __init__(self, suite: "Suite", patience_s: float | None) -> None:
        self._suite = suite
        self._patience_s = patience_s
        self._tools: tuple[object, ...] | None = None
        self.findings: InputFindings | None = None

    async def ask(self, conversation: "Conversation") -> None:
        """Learn what the tools declare, and say what contradicts it before anything is called."""
        from bundles.suite.input_contract import check_inputs
        from workers.probes.suite.declared import declared_tools

        declared = await declared_tools(conversation, self._patience_s)
        if declared.tools is None:
            say(f"inputs are not compared with what the tools declare: {declared.why}")
            return
        self._tools = declared.tools
        self.findings = check_inputs(self._suite, declared.tools)
        for finding in self.findings.blocking[:_SHOWN]:
            say(f"input of {escaped(finding.case_id)}: {finding.message}")
        beyond = len(self.findings.blocking) - _SHOWN
        if beyond > 0:
            say(f"and {beyond} more inputs that contradict what the tools declare")

    def coverage(self) -> "Coverage | None":
        """What the suite checks of it, None where it is not known."""
        from bundles.suite.axes import coverage_of

        return None if self._tools is None else coverage_of([self._suite], self._tools)


def _twice(
    way: _Way, on_outcome: "OnOutcome", on_open: "OnOpen"
) -> "tuple[SuiteReport, Determinism]":
    """Run the suite twice and compare; what keeps the second run from it is said, not raised."""
    from bundlegate.cli.suite.remembered import Remembered
    from bundles.suite.determinism import compare_runs, not_compared

    with Remembered() as first, Remembered() as second:

        def told(case: "Case", exchanges: "Sequence[Exchange]", outcome: "CaseOutcome") -> None:
            on_outcome(case, exchanges, outcome)
            first.keep(case, exchanges, outcome)

        report = way.run(on_outcome=told, on_open=on_open)
        if why := _cut_short(report):
            return report, not_compared(f"the first run stopped early: {why}")
        progress("running the suite again")
        try:
            again = way.run(on_outcome=second.keep)
        except (Unreachable, Unauthorised, Refused) as error:
            return report, not_compared(f"the second run could not be made: {error.detail}")
        why = _cut_short(again)
        found = compare_runs(
            first.of(way.suite, report),
            second.of(way.suite, again),
            state_restored=bool(way.reset_command),
            incomplete=f"the second run stopped early: {why}" if why else "",
        )
        return report, _of_every_case(found)


def _of_every_case(found: "Determinism") -> "Determinism":
    """What was found, where that is said of all cases: of one that never ran nothing is known."""
    from bundles.suite.determinism import Conclusion

    if found.differences or found.why or not found.skipped:
        return found
    why = f"{found.skipped} of {found.skipped + found.compared} cases were not run in either run"
    return replace(found, conclusion=Conclusion.NOT_COMPARED, why=why)


def _cut_short(report: "SuiteReport") -> str:
    """Why a run ended on the way, "" when it did not; a setup that fails is a finding."""
    stopped = report.stopped
    return stopped.why if stopped is not None and stopped.kind != "setupFailed" else ""
