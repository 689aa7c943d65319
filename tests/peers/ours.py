"""What this program finds on a server: both stages, the worse outcome of each check."""

import asyncio
from collections.abc import Mapping
from typing import Any

from bundles.check import Outcome
from bundles.live import judge_transcript
from bundles.plan import Plan
from bundles.verdict import Verdict
from workers.budget import Budget
from workers.egress import EgressRules
from workers.endpoints import Endpoint, HttpEndpoint
from workers.probes.observe import observe

_WORST_FIRST = (
    Verdict.FAIL,
    Verdict.INCONCLUSIVE,
    Verdict.WARN,
    Verdict.NOT_RUN,
    Verdict.PASS,
    Verdict.NOT_APPLICABLE,
)
# these compare a server with a bundle, and here is none
_ABOUT_BUNDLES = ("mcp.snapshot.", "mcp.suite.")


def at(url: str) -> HttpEndpoint:
    """The endpoint of a server on loopback."""
    return HttpEndpoint(url, EgressRules(allow=("127.0.0.1",)))


def found(
    endpoint: Endpoint, revision: str, safe_calls: Mapping[str, list[dict[str, Any]]] | None = None
) -> dict[str, Outcome]:
    """The outcomes by check id."""
    worst: dict[str, Outcome] = {}
    for stage in ("conformance", "security"):
        plan = Plan(
            stage=stage,
            profile="default",
            revision=revision,
            transport="http" if isinstance(endpoint, HttpEndpoint) else "stdio",
            check_ids=(),
            safe_calls=safe_calls or {},
            observers=("files",),
        )
        transcript = asyncio.run(observe(plan, endpoint, Budget(), lambda *_: None))
        for outcome in judge_transcript(transcript):
            if outcome.check.id.startswith(_ABOUT_BUNDLES):
                continue
            other = worst.setdefault(outcome.check.id, outcome)
            if _WORST_FIRST.index(outcome.verdict) < _WORST_FIRST.index(other.verdict):
                worst[outcome.check.id] = outcome
    return worst


def notable(outcomes: Mapping[str, Outcome]) -> dict[str, str]:
    """Check id → verdict, of those that neither passed nor have nothing to apply to.

    Claims about tools that nobody called are left out: no call is made that is not known as safe.
    """
    return {
        name: outcome.verdict.value
        for name, outcome in outcomes.items()
        if outcome.verdict not in {Verdict.PASS, Verdict.NOT_APPLICABLE}
        and not outcome.unverified_claim
    }
