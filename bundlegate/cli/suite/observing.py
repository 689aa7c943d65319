"""Running a suite once or twice, and learning around it what was asked for."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bundlegate.cli.output import progress, say
from bundlegate.cli.suite.resetting import reset
from bundles.errors import Refused, Unauthorised, Unreachable
from bundles.report.cut import escaped
from workers.probes.suite.live import run_live

if TYPE_CHECKING:
    from bundlegate.cli.suite.demanding import Demands
    from bundles.suite.axes import Coverage
    from bundles.suite.determinism import CaseRecord, Determinism
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


@dataclass(frozen=True, slots=True)
class Observed:
    """A run and what was learned around it; None is what was not asked for, or is not known."""

    report: "SuiteReport"
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

    The run that counts is the first; a second one is only compared with it.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED.
        Unauthorised: MCP_AUTHORIZATION_REQUIRED.
        Refused: RESET_COMMAND_FAILED, before the first run.
    """
    way = _Way(endpoint, suite, concurrency, demands.reset_command)
    known, first = _Known(suite), _Records()

    def told(case: "Case", exchanges: "Sequence[Exchange]", outcome: "CaseOutcome") -> None:
        on_outcome(case, exchanges, outcome)
        if demands.twice:
            first.keep(case, exchanges, outcome)

    report = way.run(on_outcome=told, on_open=known.ask)
    determinism = _compared(way, report, first) if demands.twice else None
    coverage = known.coverage() if demands.coverage else None
    return Observed(report, known.findings, coverage, determinism)


@dataclass(frozen=True, slots=True)
class _Way:
    """How each run is made."""

    endpoint: "Endpoint"
    suite: "Suite"
    concurrency: int | None
    reset_command: str

    def run(self, *, on_outcome: "OnOutcome", on_open: "OnOpen | None" = None) -> "SuiteReport":
        """Put the outer state back, then run the suite in a session of its own."""
        reset(self.reset_command)
        return asyncio.run(
            run_live(
                self.endpoint,
                self.suite,
                concurrency=self.concurrency,
                on_outcome=on_outcome,
                on_open=on_open,
            )
        )


class _Known:
    """What the server declares, and how the inputs of the suite fit to it."""

    def __init__(self, suite: "Suite") -> None:
        self._suite = suite
        self._tools: tuple[object, ...] | None = None
        self.findings: InputFindings | None = None

    async def ask(self, conversation: "Conversation") -> None:
        """Learn what the tools declare, and say what contradicts it before anything is called."""
        from bundles.suite.input_contract import check_inputs
        from workers.probes.suite.declared import declared_tools

        declared = await declared_tools(conversation)
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


@dataclass
class _Records:
    """What a run saw of each case, by its id."""

    seen: "dict[str, CaseRecord]" = field(default_factory=dict)

    def keep(self, case: "Case", exchanges: "Sequence[Exchange]", outcome: "CaseOutcome") -> None:
        from bundles.suite.determinism import record_of

        self.seen[case.id] = record_of(case, outcome, exchanges)

    def of(self, suite: "Suite", report: "SuiteReport") -> "list[CaseRecord]":
        """The records in the order of the suite; a case that was never begun has an empty one."""
        from bundles.suite.determinism import record_of

        return [
            self.seen.get(case.id) or record_of(case, outcome, ())
            for case, outcome in zip(suite.everything, report.cases, strict=True)
        ]


def _compared(way: _Way, report: "SuiteReport", first: _Records) -> "Determinism":
    """Run the suite once more and compare; what keeps it from that is said, not raised."""
    from bundles.suite.determinism import compare_runs, not_compared

    if why := _cut_short(report):
        return not_compared(f"the first run stopped early: {why}")
    second = _Records()
    progress("running the suite again")
    try:
        again = way.run(on_outcome=second.keep)
    except (Unreachable, Unauthorised, Refused) as error:
        return not_compared(f"the second run could not be made: {error.detail}")
    why = _cut_short(again)
    return compare_runs(
        first.of(way.suite, report),
        second.of(way.suite, again),
        state_restored=bool(way.reset_command),
        incomplete=f"the second run stopped early: {why}" if why else "",
    )


def _cut_short(report: "SuiteReport") -> str:
    """Why the server was lost on the way, "" when it was not; a setup that fails is a finding."""
    stopped = report.stopped
    return stopped.why if stopped is not None and stopped.infrastructure else ""
