"""A suite on a live server, judged case by case: what `suite run` and programs call."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from bundles.mcp import wire
from bundles.suite.assertions import judge_case
from bundles.suite.judge import SuiteReport
from bundles.suite.model import Case, Suite
from bundles.suite.outcomes import CaseOutcome, ServerWords
from bundles.transcript import Exchange
from workers.budget import Budget, Caps
from workers.endpoints import Endpoint
from workers.probes.opening import open_conversation
from workers.probes.session import Session
from workers.probes.suite.drive import drive

UNBOUNDED = Caps(run_s=float("inf"), total_bytes=1 << 62, calls=1 << 62)
"""What a whole suite may cost at a terminal, where each case has its timeout and someone watches.
Nothing is kept of an answer, so that their number and sum cost no memory."""

OnOutcome = Callable[[Case, Sequence[Exchange], CaseOutcome], None]
"""Told of each case as it ends; whoever needs more of the exchanges takes it now."""


async def run_live(
    endpoint: Endpoint,
    suite: Suite,
    *,
    concurrency: int = 1,
    on_outcome: OnOutcome | None = None,
    revisions: Sequence[str] = wire.REVISIONS,
    credentials: Iterable[str] = (),
) -> SuiteReport:
    """Open a session of its own (over stdio: a process), run the suite, close it, and report.

    Each case is judged as it ends, and nothing but its outcome is kept.

    Args:
        endpoint: where the server is.
        suite: what to run.
        concurrency: calls in flight at once.
        on_outcome: told of each case as it ends, in the event loop.
        revisions: protocol revisions to try, in order.
        credentials: values to mask in whatever is said, besides the endpoint's own.

    Raises:
        Unreachable: MCP_CONNECTION_FAILED. A server that is lost later is `SuiteReport.stopped`.
    """
    budget = Budget(UNBOUNDED)
    opening = open_conversation(endpoint, budget, revisions=revisions, credentials=credentials)
    async with opening as conversation:
        report = await judged(
            conversation, suite, budget, concurrency=concurrency, on_outcome=on_outcome
        )
    # after the close: what a server says last, it says while it ends
    noise = tuple(entry["line"] for entry in conversation.noise)
    return replace(
        report,
        server=ServerWords(conversation.stderr_tail, noise),
        revision=conversation.terms.revision,
    )


async def judged(
    session: Session,
    suite: Suite,
    budget: Budget,
    *,
    concurrency: int = 1,
    on_outcome: OnOutcome | None = None,
) -> SuiteReport:
    """Run a suite on a session that is open already; see `run_live`."""
    outcomes: dict[int, CaseOutcome] = {}

    def judge(index: int, case: Case, exchanges: Sequence[Exchange]) -> None:
        outcomes[index] = outcome = judge_case(case, *exchanges)
        if on_outcome is not None:
            on_outcome(case, exchanges, outcome)

    stopped = await drive(session, suite, budget, judge, concurrency=concurrency)
    cases = (outcomes.get(index) or judge_case(case) for index, case in enumerate(suite.cases))
    return SuiteReport(suite.id, suite.name, tuple(cases), stopped)
