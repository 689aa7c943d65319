"""Policies: read whole or refused whole, with every problem and where it is."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.claims import CLAIMS
from bundles.plan import HARNESS_VERSION
from bundles.verdict import Severity, Stage
from service.admission.model import Binding, State
from service.admission.policy import (
    DEFAULT_POLICY,
    GATED_STATES,
    STAGE_FLOOR,
    PolicyInvalid,
    binding_suffices,
    read_policy,
)

EXAMPLES = Path(__file__).parents[3] / "examples" / "policies"
ADMITTED = "/transitions/REGISTRY_ADMITTED"


def document() -> dict[str, Any]:
    return deepcopy(dict(DEFAULT_POLICY))


def problems(of: object) -> dict[str, str]:
    with pytest.raises(PolicyInvalid) as refused:
        read_policy(of)
    assert refused.value.reason_code == "POLICY_INVALID"
    assert isinstance(refused.value.seen, list)
    found = {entry["pointer"]: entry["problem"] for entry in refused.value.seen}
    assert len(found) == len(refused.value.seen), "one problem a pointer"
    return found


def test_the_default_policy_is_strict_and_complete() -> None:
    policy = read_policy(DEFAULT_POLICY)
    assert set(policy.transitions) == set(GATED_STATES)
    assert policy.harness_versions == (HARNESS_VERSION,)
    assert all(policy.must_be_verified(claim) for claim in CLAIMS)
    for state, requirement in policy.transitions.items():
        assert set(requirement.stages) >= set(STAGE_FLOOR[state])
        assert requirement.profiles is None
        assert not binding_suffices(Binding.CLAIMED, requirement.binding_for("anywhere"))
        assert requirement.blocks(Severity.MUST)
    assert Stage.CANARY in policy.transitions[State.ACTIVE].stages


def test_the_example_policy_differs_only_by_the_claims_nothing_can_watch_yet() -> None:
    example = json.loads((EXAMPLES / "demo.json").read_text())
    shown = {claim for claim, rule in example.pop("claims").items() if rule == "shown"}
    assert shown == {name for name, claim in CLAIMS.items() if not claim.check_id}
    strict = document()
    del strict["claims"]
    assert example == strict


def test_the_same_document_has_the_same_digest_whatever_the_order_of_its_keys() -> None:
    turned = dict(reversed(document().items()))
    assert read_policy(turned).digest == read_policy(document()).digest
    turned["harness_versions"] = ["9.9.9"]
    assert read_policy(turned).digest != read_policy(document()).digest


def test_every_problem_is_reported_at_once_with_its_pointer() -> None:
    bad = document()
    bad["harness_version"] = []
    del bad["harness_versions"]
    bad["claims"]["read-only-hnt"] = "verified"
    bad["claims"]["read-only-hint"] = "maybe"
    bad["transitions"]["REGISTRY_ADMITTED"].update(
        stages=["static", "conformance"],
        max_evidence_age_days=True,
        blocking_severity="must",
        binding={"production": "measured"},
        profiles=[],
        waivers={},
    )
    del bad["transitions"]["ACTIVE"]
    assert problems(bad) == {
        "/harness_version": "is not a key of a policy; did you mean 'harness_versions'?",
        "/harness_versions": "is missing",
        "/claims/read-only-hnt": "is not a claim; did you mean 'read-only-hint'?",
        "/claims/read-only-hint": "must be one of verified, shown",
        "/transitions/ACTIVE": "is missing",
        f"{ADMITTED}/waivers": "is not a key of a policy",
        f"{ADMITTED}/stages": "must include 'security': no policy asks for less",
        f"{ADMITTED}/profiles": "must be a non-empty list of non-empty strings",
        f"{ADMITTED}/max_evidence_age_days": "must be a whole 1 to 3650",
        f"{ADMITTED}/blocking_severity": "must be one of POLICY, SHOULD, MUST",
        f"{ADMITTED}/binding/default": "is missing",
    }


@pytest.mark.parametrize("not_a_policy", [None, [], "strict", 1, {}])
def test_what_is_no_policy_is_refused(not_a_policy: object) -> None:
    assert problems(not_a_policy)


@pytest.mark.parametrize("stage", ["static", "conformance", "security"])
def test_no_policy_admits_without_each_of_the_three_stages(stage: str) -> None:
    bad = document()
    bad["transitions"]["REGISTRY_ADMITTED"]["stages"].remove(stage)
    assert f"{ADMITTED}/stages" in problems(bad)


def test_an_environment_not_named_falls_back_to_the_default_binding() -> None:
    made = document()
    made["transitions"]["CANARY"]["binding"] = {"default": "claimed", "production": "measured"}
    canary = read_policy(made).transitions[State.CANARY]
    assert canary.binding_for("production") is Binding.MEASURED
    assert canary.binding_for("staging") is Binding.CLAIMED


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def _places(value: object, at: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    found = [at]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += _places(inner, (*at, name))
    return found


@settings(max_examples=200, deadline=None, derandomize=True)
@given(place=st.sampled_from(_places(dict(DEFAULT_POLICY))[1:]), value=PLAIN)
def test_any_value_anywhere_is_read_or_refused_with_a_pointer_to_it(
    place: tuple[str, ...], value: object
) -> None:
    made = document()
    inner = made
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    try:
        read_policy(made)
    except PolicyInvalid as refused:
        pointers = [entry["pointer"] for entry in refused.to_dict()["seen"]]
    else:
        pointers = []
    assert all(pointer.startswith("/" + "/".join(place)) for pointer in pointers)
