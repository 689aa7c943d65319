"""On the wire: protected servers and several instances, healthy, and broken in one way each."""

import asyncio
import json
from dataclasses import replace
from functools import partial

import pytest

from bundles.check import Outcome
from bundles.plan import Plan
from bundles.transcript_json import transcript_to_json
from bundles.verdict import Verdict
from tests.servers.answers import LEGACY, MODERN
from tests.servers.deployments import DEPLOYED
from tests.servers.issuer import issued
from tests.servers.toolbox import SAFE_CALLS
from tests.servers.twins import (
    CLAIM_CHECKS,
    both_stages,
    deployed,
    judged,
    own_stage,
    proves,
)
from workers.budget import Budget
from workers.endpoints import HttpEndpoint
from workers.probes.observe import observe

BOTH_REVISIONS = pytest.mark.parametrize("revision", [MODERN, LEGACY])


def seen(endpoint: HttpEndpoint, revision: str, stage: str) -> dict[str, object]:
    plan = Plan(stage, "default", revision, "http", (), safe_calls=SAFE_CALLS)
    transcript = asyncio.run(observe(plan, endpoint, Budget(), lambda *_: None))
    return transcript_to_json(transcript)


def of_group(outcomes: list[Outcome], *groups: str) -> dict[str, Verdict]:
    return {o.check.id: o.verdict for o in outcomes if o.check.id.startswith(groups)}


@BOTH_REVISIONS
def test_a_protected_server_that_does_everything_right_passes(
    deployments: int, revision: str
) -> None:
    outcomes = both_stages(partial(deployed, deployments), revision)
    assert {o.verdict for o in outcomes if o.check.id not in CLAIM_CHECKS} <= {
        Verdict.PASS,
        Verdict.NOT_APPLICABLE,
    }
    group = of_group(outcomes, "mcp.auth.", "mcp.cache.differing")
    passed = {name for name, verdict in group.items() if verdict is Verdict.PASS}
    of_sessions = {"mcp.auth.session-not-authentication", "mcp.auth.session-bound-to-principal"}
    elsewhere = of_sessions if revision == MODERN else {"mcp.cache.differing-list-private"}
    assert group.keys() - passed == elsewhere


@BOTH_REVISIONS
def test_two_instances_that_say_the_same_pass(deployments: int, revision: str) -> None:
    outcomes = judged(deployed(deployments, two=True), revision, "conformance", "")
    group = of_group(outcomes, "mcp.instances.", "mcp.mrtr.retry-on-any-instance")
    modern_only = {
        "mcp.instances.discovery-equal",
        "mcp.instances.cursor-portable",
        "mcp.mrtr.retry-on-any-instance",
    }
    assert {name for name, verdict in group.items() if verdict is not Verdict.PASS} == (
        set() if revision == MODERN else modern_only
    )


@pytest.mark.parametrize("name", DEPLOYED)
def test_each_twin_fails_its_own_check_and_no_other_of_its_stage(
    deployments: int, name: str
) -> None:
    fault = DEPLOYED[name]
    endpoint = deployed(deployments, name)
    proves(fault, judged(endpoint, fault.revisions[0], own_stage(fault), ""))


@BOTH_REVISIONS
def test_no_credential_of_a_profile_is_in_a_transcript(deployments: int, revision: str) -> None:
    endpoint = deployed(deployments)
    for stage in ("conformance", "security"):
        text = json.dumps(seen(endpoint, revision, stage))
        for value in (*endpoint.headers.values(), *endpoint.others.values):
            assert value.partition(" ")[2] not in text
            assert value.rpartition(".")[2] not in text


def test_without_the_profiles_own_credential_no_refusal_counts(deployments: int) -> None:
    endpoint = deployed(deployments)
    wrong = replace(endpoint, headers={"authorization": f"Bearer {issued('https://x.example')}"})
    found = of_group(judged(wrong, MODERN, "security", ""), "mcp.auth.")
    challenge = {
        "mcp.auth.missing-token-refused",
        "mcp.auth.challenge-sent",
        "mcp.auth.challenge-names-scope",
        "mcp.auth.offline-access-not-asked",
        "mcp.auth.metadata-published",
        "mcp.auth.metadata-names-resource",
        "mcp.auth.metadata-names-issuer",
    }
    assert {name for name, verdict in found.items() if verdict is Verdict.PASS} == challenge
    assert Verdict.FAIL not in found.values()
    assert found["mcp.auth.expired-token-refused"] is Verdict.INCONCLUSIVE


def test_a_protected_server_without_a_profile_is_asked_what_it_publishes(deployments: int) -> None:
    bare = deployed(deployments).anonymous
    found = of_group(
        judged(replace(bare, others=type(bare.others)()), MODERN, "security", ""), "mcp.auth."
    )
    assert found["mcp.auth.metadata-names-resource"] is Verdict.PASS
    assert found["mcp.auth.challenge-sent"] is Verdict.PASS
    assert found["mcp.auth.invalid-token-refused"] is Verdict.INCONCLUSIVE
    assert found["mcp.auth.expired-token-refused"] is Verdict.NOT_APPLICABLE


def test_a_credential_that_could_not_be_resolved_is_unknown(deployments: int) -> None:
    endpoint = deployed(deployments)
    tokens = {name: told for name, told in endpoint.others.tokens.items() if name != "expired"}
    others = replace(
        endpoint.others,
        tokens=tokens,
        principal={},
        missing={"expired": "CREDENTIAL_UNAVAILABLE: env:X", "other_principal": "the same"},
    )
    outcomes = judged(replace(endpoint, others=others), MODERN, "security", "")
    found = of_group(outcomes, "mcp.auth.")
    assert found["mcp.auth.expired-token-refused"] is Verdict.INCONCLUSIVE
    assert found["mcp.auth.denied-calls-refused"] is Verdict.INCONCLUSIVE
    assert found["mcp.auth.other-issuer-refused"] is Verdict.PASS
    why = next(o.why for o in outcomes if o.check.id == "mcp.auth.expired-token-refused")
    assert "CREDENTIAL_UNAVAILABLE" in why
