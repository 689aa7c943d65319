"""From a contract to the plan of one stage under one profile."""

from bundles.check import Subject, checks_for
from bundles.contract import Contract
from bundles.coverage_policy import CoveragePolicy
from bundles.mcp.multi_round import problems_of
from bundles.plan import Plan
from bundles.suite.validate import validate_suite
from bundles.verdict import Stage


def make_plan(
    contract: Contract, *, stage: str, profile: str, revision: str, transport: str
) -> Plan:
    """What a run of a stage is to do.

    Args:
        contract: a bundle that `bundles.static.refusal_of` did not refuse.
        stage: "conformance", "security" or "canary".
        profile: the profile the target is observed under.
        revision: MCP revision to speak.
        transport: "http" or "stdio".
    """
    conditions = contract.profiles.get(profile, {})
    rounds = conditions.get("mrtr_tools", {})
    checks = checks_for(Subject.TRANSCRIPT, Stage(stage))
    return Plan(
        stage=stage,
        profile=profile,
        revision=revision,
        transport=transport,
        check_ids=tuple(check.id for check in checks),
        suites=tuple(suite for suite in contract.suites.values() if not validate_suite(suite)),
        snapshot=contract.snapshot_for(profile),
        safe_calls={tool: list(calls) for tool, calls in contract.safe_calls.items()},
        observers=contract.observers,
        client=conditions.get("client"),
        # what no bundle passes its checks with is not called
        mrtr_tools={} if stage != Stage.CONFORMANCE or problems_of(rounds) else rounds,
        authorization=conditions.get("authorization"),
        coverage=contract.coverage_policy if stage == Stage.CONFORMANCE else CoveragePolicy(),
    )
