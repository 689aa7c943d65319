"""One run, start to end: claim, probe, judge, conclude.

No transaction is open while a candidate is probed, and nothing that goes wrong loses the run:
what cannot be concluded is given back with its reason, and what cannot even be given back is taken
back when its lease is over.
"""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol, TypeVar

from bundles.contract import Contract
from bundles.errors import BundlegateError, Conflict, NotFound, Unreachable
from bundles.mcp.tools import list_digest, listed_tools
from bundles.plan import Plan
from bundles.planning import make_plan
from bundles.reasons import reason
from bundles.transcript import Transcript
from service.admission.model import Claim, RunStage, StageResult, Target
from service.admission.ports import Clock
from service.admission.refusals import PROFILE_WITHOUT_TARGET, RUN_CANCELLED
from service.admission.registry import Registry
from service.logs import structlog
from service.settings import Settings
from workers.halt import Halt, Why
from workers.judging import Judge
from workers.lease import Lease
from workers.probes.observation import Progress

WORKER_FAULT = reason(
    "WORKER_FAULT",
    "The worker met an error of its own while it exercised the candidate.",
    "read the worker's log for this run; the candidate is not to blame",
)
WORKER_STOPPED = reason(
    "WORKER_STOPPED",
    "The worker was told to stop and gave the run back.",
    "wait: another worker takes the run up; start one if none runs",
)
RUN_OVERRAN = reason(
    "RUN_OVERRAN",
    "The run did not end at its deadline.",
    "start another run, with fewer stages or profiles, or raise BUNDLEGATE_RUN_DEADLINE_S",
)

_OVERRUN_GRACE_S = 30.0
"""A probe ends at the deadline by itself and needs a moment to take its candidate down."""

_T = TypeVar("_T")
_log = structlog.get_logger(__name__)


class Observer(Protocol):
    """Drives one target through one plan and tells what it saw; never raises for the target."""

    def __call__(
        self,
        plan: Plan,
        target: Target,
        artifact_digest: str,
        seconds: float,
        progress: Progress,
    ) -> Awaitable[Transcript]:
        """Observe for at most `seconds`. Raises BundlegateError where no attempt can be made."""
        ...


class Runner:
    """Works on one run at a time."""

    def __init__(
        self, registry: Registry, observe: Observer, clock: Clock, settings: Settings, name: str
    ) -> None:
        self._registry = registry
        self._observe = observe
        self._clock = clock
        self._settings = settings
        self._name = name

    def run(self, run_id: str, halt: Halt) -> None:
        """Work on a run if there is something to do; returns when it is concluded or given back."""
        claim = self._registry.claim(run_id, self._name)
        if claim is None:
            # Delivered twice, finished, cancelled, or another worker's: all of that is fine.
            _log.info("nothing_to_claim", run_id=run_id)
            return
        with structlog.contextvars.bound_contextvars(
            run_id=run_id, candidate_id=claim.candidate.id, fence=claim.fence
        ):
            try:
                self._work(claim, halt)
            except Conflict as lost:
                _log.warning("lease_lost", why=lost.detail)

    def _work(self, claim: Claim, halt: Halt) -> None:
        try:
            with Lease(
                self._registry,
                claim,
                halt,
                heartbeat_s=self._settings.heartbeat_s,
                lease_s=self._settings.lease_s,
            ) as lease:
                results, refusals = asyncio.run(_halting(self._stages(claim, lease), halt))
        except asyncio.CancelledError:
            self._stopped(claim, halt)
        except TimeoutError:
            self._abandon(claim, RUN_OVERRAN, "the run did not end at its deadline", retry=False)
        except Exception as error:  # a fault of ours must cost an attempt, never the run
            _log.exception("run_fault")
            # The words of an unknown error may hold a credential; its kind cannot.
            self._abandon(claim, WORKER_FAULT, f"{type(error).__name__} in the worker", retry=True)
        else:
            self._conclude(claim, results, refusals)

    async def _stages(
        self, claim: Claim, lease: Lease
    ) -> tuple[list[StageResult], list[BundlegateError]]:
        ends = time.monotonic() + self._settings.run_deadline_s
        results: list[StageResult] = []
        refusals: list[BundlegateError] = []
        async with asyncio.timeout(self._settings.run_deadline_s + _OVERRUN_GRACE_S):
            contract = Contract.read(claim.files)
            for wanted in claim.run.stages:
                where = {"stage": wanted.stage, "profile": wanted.profile}
                lease.report("stage-started", where)
                try:
                    result = await self._stage(claim, contract, wanted, ends, lease)
                except BundlegateError as refusal:
                    # One target that cannot be tried voids nothing that was seen of another.
                    refusals.append(refusal)
                    lease.report("stage-refused", {**where, **refusal.to_dict()})
                    continue
                results.append(result)
                lease.report("stage-finished", {**where, "checks": _counts(result)})
        return results, refusals

    async def _stage(
        self, claim: Claim, contract: Contract, wanted: RunStage, ends: float, lease: Lease
    ) -> StageResult:
        where = {"stage": wanted.stage, "profile": wanted.profile}
        target = _target(claim, wanted.profile)
        plan = make_plan(
            contract,
            stage=wanted.stage,
            profile=wanted.profile,
            revision=target.revision,
            transport=target.kind.removeprefix("mcp+"),
        )
        started_at = self._clock.now()
        transcript = await self._observe(
            plan,
            target,
            claim.candidate.artifact_digest,
            max(0.0, ends - time.monotonic()),
            lambda kind, body: lease.report(kind, {**where, **body}),
        )
        async with Judge() as judge:
            outcomes = await judge.outcomes(transcript, plan.check_ids)
        return StageResult(
            plan=plan,
            transcript=transcript,
            outcomes=tuple(outcomes),
            snapshot_digest=list_digest(listed_tools(transcript)),
            started_at=started_at,
            finished_at=self._clock.now(),
        )

    def _conclude(
        self, claim: Claim, results: list[StageResult], refusals: list[BundlegateError]
    ) -> None:
        if not results:
            # Another attempt would meet the same refusal: say it now.
            first = refusals[0]
            self._abandon(claim, first.reason_code, first.detail, retry=False)
            return
        try:
            self._patiently(lambda: self._registry.conclude(claim, results))
        except Conflict:
            raise
        except Exception as error:
            _log.exception("run_not_concluded")
            detail = f"{type(error).__name__} while the run was recorded"
            self._abandon(claim, WORKER_FAULT, detail, retry=True)

    def _stopped(self, claim: Claim, halt: Halt) -> None:
        if halt.why is Why.CANCELLED:
            self._abandon(claim, RUN_CANCELLED, "the run was cancelled", retry=False)
        elif halt.why is Why.WORKER_STOPPING:
            self._abandon(claim, WORKER_STOPPED, "the worker was told to stop", retry=True)
        elif halt.why is Why.LEASE_LOST:
            _log.warning("lease_lost")
        else:
            self._abandon(claim, WORKER_FAULT, "the work was cancelled by nobody", retry=True)

    def _abandon(self, claim: Claim, code: str, detail: str, *, retry: bool) -> None:
        _log.warning("run_given_back", reason_code=code, detail=detail, retry=retry)
        try:
            self._patiently(lambda: self._registry.abandon(claim, code, detail, retry=retry))
        except Unreachable:
            _log.exception("run_not_given_back")  # its lease ends, and a dispatcher takes it back

    def _patiently(self, write: Callable[[], object]) -> None:
        """Write, trying again while the database is away, for as long as the lease may hold."""
        ends = time.monotonic() + self._settings.lease_s
        pause = threading.Event()
        while True:
            try:
                write()
            except Unreachable:
                if time.monotonic() + 1 > ends:
                    raise
                _log.warning("database_away", exc_info=True)
                pause.wait(1)
            else:
                return


async def _halting(work: Coroutine[Any, Any, _T], halt: Halt) -> _T:
    """Await work that `halt` cancels, from any thread or from a signal."""
    loop = asyncio.get_running_loop()
    task = loop.create_task(work)

    def cancel() -> None:
        loop.call_soon_threadsafe(task.cancel)

    halt.on_set(cancel)
    try:
        return await task
    finally:
        halt.on_set(None)


def _target(claim: Claim, profile: str) -> Target:
    for target in claim.candidate.targets:
        if target.profile == profile:
            return target
    known = sorted({target.profile for target in claim.candidate.targets})
    raise NotFound(
        PROFILE_WITHOUT_TARGET,
        f"the candidate has no target for profile {profile}",
        seen=profile,
        expected=known,
    )


def _counts(result: StageResult) -> dict[str, int]:
    verdicts = [outcome.verdict.value for outcome in result.outcomes]
    return {verdict: verdicts.count(verdict) for verdict in sorted(set(verdicts))}
