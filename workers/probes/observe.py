"""One stage of a plan on one target: every stimulus made, as a transcript."""

import hashlib
import hmac
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from bundles.errors import Invalid
from bundles.mcp import probes, wire
from bundles.mcp.client import Client, read_client
from bundles.plan import Plan
from bundles.reasons import reason
from bundles.transcript import Exchange, Transcript
from bundles.verdict import Stage
from workers.budget import Budget
from workers.endpoints import Endpoint, HttpEndpoint, StdioEndpoint
from workers.judging import Judge
from workers.probes.authorization import known_of
from workers.probes.conformance import conformance
from workers.probes.conversation import Terms
from workers.probes.observation import Observation, Progress
from workers.probes.redact import Redactor, credentials_of
from workers.probes.security import security

PLAN_NOT_OBSERVABLE = reason(
    "PLAN_NOT_OBSERVABLE",
    "A plan asks for a stage, revision or transport that no probe can make on this target.",
    "ask for the conformance or security stage, a supported revision, and the target's transport",
)

_STAGES: dict[str, Callable[[Observation], Awaitable[tuple[str, list[Exchange]]]]] = {
    Stage.CONFORMANCE: conformance,
    Stage.SECURITY: security,
}


async def observe(
    plan: Plan,
    endpoint: Endpoint,
    budget: Budget,
    progress: Progress,
    *,
    target: str = "",
    artifact_digest: str = "",
    binding: str = "claimed",
    digest_key: bytes = b"",
) -> Transcript:
    """Make every stimulus of a plan's stage on one target, and return what came back.

    Never raises for what the server does: that is recorded. When it returns, no process and no
    connection of it is left.

    Args:
        plan: what to do.
        endpoint: how to reach the target, credentials resolved.
        budget: what it may cost; one for each observation.
        progress: told ("stimulus", {"probe", "failure"?}) for each exchange, and
            ("suite", {"suite", "cases"}) for each suite. Called in the event loop.
        target: name of the target, recorded.
        artifact_digest: digest that was measured or claimed, recorded.
        binding: how it was tied to the target: "measured", "attested" or "claimed", recorded.
        digest_key: key of the digests over the bytes before redaction, b"" for none.

    Raises:
        Invalid: PLAN_NOT_OBSERVABLE.
    """
    stage = _stage_of(plan, endpoint)
    redactor = Redactor(credentials_of(endpoint))
    client = read_client(plan.client) or Client()  # what no bundle passes its checks with
    terms = Terms(plan.revision, budget, redactor, digest_key, client=client)
    async with Judge() as judge:
        observation = Observation(plan, endpoint, terms, progress, judge)
        era, made = await stage(observation)
    exchanges = tuple(replace(exchange, seq=seq) for seq, exchange in enumerate(made))
    return Transcript(
        stage=plan.stage,
        profile=plan.profile,
        revision=plan.revision,
        transport=plan.transport,
        target=target,
        binding=binding,
        artifact_digest=artifact_digest,
        safe_calls=plan.safe_calls,
        context=_context(observation, era),
        exchanges=exchanges,
        redaction_digest=_joint_digest(exchanges, digest_key),
    )


def _stage_of(
    plan: Plan, endpoint: Endpoint
) -> Callable[[Observation], Awaitable[tuple[str, list[Exchange]]]]:
    transport = "http" if isinstance(endpoint, HttpEndpoint) else "stdio"
    if plan.stage in _STAGES and plan.revision in wire.REVISIONS and plan.transport == transport:
        return _STAGES[plan.stage]
    raise Invalid(
        PLAN_NOT_OBSERVABLE,
        f"no probe makes stage {plan.stage} of revision {plan.revision} over {plan.transport} here",
        seen={"stage": plan.stage, "revision": plan.revision, "transport": plan.transport},
        expected={
            "stage": [stage.value for stage in (Stage.CONFORMANCE, Stage.SECURITY)],
            "revision": list(wire.REVISIONS),
            "transport": transport,
        },
    )


def _context(observation: Observation, era: str) -> dict[str, Any]:
    plan, endpoint = observation.plan, observation.endpoint
    context: dict[str, Any] = {probes.CONTEXT_ERA: era}
    if isinstance(endpoint, StdioEndpoint):
        context[probes.CONTEXT_OBSERVERS] = sorted(endpoint.watch)
        context[probes.CONTEXT_STDOUT_NOISE] = observation.noise
        context[probes.CONTEXT_ENDINGS] = observation.endings
        context[probes.CONTEXT_STDERR] = observation.stderr_tail
    else:
        context[probes.CONTEXT_OBSERVERS] = []
        context[probes.CONTEXT_AUTHORIZATION] = known_of(endpoint)
        context[probes.CONTEXT_INSTANCES] = len(endpoint.instances)
        if observation.loopback is not None:
            context[probes.CONTEXT_LOOPBACK] = observation.loopback
    if plan.snapshot is not None:
        context[probes.CONTEXT_SNAPSHOT] = [dict(tool) for tool in plan.snapshot]
    if plan.stage == Stage.CONFORMANCE:
        if plan.mrtr_tools:
            context[probes.CONTEXT_MRTR_TOOLS] = dict(plan.mrtr_tools)
        context[probes.CONTEXT_SUITES] = [dict(suite) for suite in plan.suites]
        if asked := plan.coverage.of_suites():
            context[probes.CONTEXT_COVERAGE] = asked
    return context


def _joint_digest(exchanges: Sequence[Exchange], key: bytes) -> str:
    if not key:
        return ""
    joint = "".join(exchange.raw_digest for exchange in exchanges)
    return hmac.new(key, joint.encode(), hashlib.sha256).hexdigest()
