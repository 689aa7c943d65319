"""Laws of the gate over arbitrary facts: monotone, fail closed, and steady until `valid_until`."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bundles.verdict import Verdict
from service.admission.facts import GateInputs, StageFacts, UnverifiedClaim
from service.admission.gate import DAY_US, gate, required_cells
from service.admission.lifecycle import TRANSITIONS
from service.admission.model import State
from tests.service.admission.gate_facts import (
    NOW,
    OTHER,
    POLICY,
    STAGES,
    evidence,
    facts,
    failing,
    without,
    word,
)

RANK = {Verdict.FAIL: 0, Verdict.INCONCLUSIVE: 1, Verdict.PASS: 2}
REOPENED = NOW - 5 * DAY_US
CLAIM = (UnverifiedClaim("authorization", "", "nobody watched"),)

KINDS = {
    "passing": {},
    "ends soon": {"evidence__expires_at": NOW + DAY_US // 3},
    "old": {"evidence__verified_at": NOW - 30 * DAY_US + 1},
    "queued": {"state": "queued", "verdict": None, "evidence": None},
    "cancelled": {"state": "cancelled", "verdict": None, "evidence": None},
    "inconclusive": {"verdict": "INCONCLUSIVE", "evidence__verdict": "INCONCLUSIVE"},
    "unsigned": {"evidence": None},
    "expired": {"evidence__expires_at": NOW},
    "before reopening": {"created_at": REOPENED - 1},
    "other artifact": {"evidence__artifact_digest": OTHER},
    "stale harness": {"evidence__harness_version": "0.0.0"},
    "claimed": {"evidence__binding": "claimed"},
    "no known binding": {"evidence__binding": "sworn"},
    "unwatched": {"evidence__unverified_claims": CLAIM},
    "no known verdict": {"verdict": "PASSED", "evidence__verdict": "PASSED"},
}


def cell_profile(stage: str, profile: str) -> str:
    return "any" if stage == "static" else profile


MOVES = [(source, to) for (source, _), to in TRANSITIONS.items()]
UPWARD = [(State.SECURITY_VERIFIED, State.REGISTRY_ADMITTED), (State.CANARY, State.ACTIVE)]
ANY_MOVE = st.tuples(st.sampled_from(State), st.sampled_from(State))


def spoil(whole: GateInputs, stage: str, profile: str, kind: str) -> GateInputs:
    if kind == "missing":
        return without(whole, stage, profile)
    if kind == "failing":
        return putting(whole, failing(stage, profile))
    return putting(whole, word(stage, profile, **KINDS[kind]))


@st.composite
def inputs(draw: st.DrawFn) -> GateInputs:
    """A candidate whose every stage passed, spoilt in up to three cells."""
    profiles = draw(st.sampled_from([("default",), ("default", "b")]))
    state, to = draw(st.sampled_from(UPWARD) | st.sampled_from(MOVES) | ANY_MOVE)
    made = replace(
        facts(profiles=profiles),
        state=state,
        to=to,
        reopened_at=draw(st.sampled_from([0, REOPENED])),
        needs_reverification=draw(st.sampled_from([False, False, False, True])),
        elsewhere=draw(st.sampled_from([(), (evidence("security", artifact_digest=OTHER),)])),
    )
    cells = sorted({(s, cell_profile(s, p)) for s in STAGES for p in profiles})
    for stage, profile in draw(st.lists(st.sampled_from(cells), max_size=3, unique=True)):
        made = spoil(made, stage, profile, draw(st.sampled_from(["missing", "failing", *KINDS])))
    return made


CELLS = st.tuples(st.sampled_from(STAGES), st.sampled_from(["default", "b"]))
law = settings(max_examples=120, deadline=None, derandomize=True)


def rank(of: GateInputs) -> int:
    return RANK[gate(of, POLICY, NOW).verdict]


def putting(into: GateInputs, new: StageFacts) -> GateInputs:
    left = without(into, new.stage, new.profile)
    return replace(left, latest=(*left.latest, new))


@law
@given(inputs(), CELLS)
def test_adding_passing_evidence_never_lowers_the_answer(
    before: GateInputs, cell: tuple[str, str]
) -> None:
    stage, profile = cell
    assert rank(putting(before, word(stage, cell_profile(stage, profile)))) >= rank(before)


@law
@given(inputs(), CELLS)
def test_adding_failing_evidence_never_raises_the_answer(
    before: GateInputs, cell: tuple[str, str]
) -> None:
    stage, profile = cell
    assert rank(putting(before, failing(stage, cell_profile(stage, profile)))) <= rank(before)


@law
@given(inputs(), CELLS)
def test_removing_evidence_never_makes_a_yes(before: GateInputs, cell: tuple[str, str]) -> None:
    stage, profile = cell
    after = without(before, stage, cell_profile(stage, profile))
    if rank(before) < RANK[Verdict.PASS]:
        assert rank(after) < RANK[Verdict.PASS]


@law
@given(inputs())
def test_a_yes_has_no_reason_and_every_other_answer_has_one_with_a_next_step(
    asked: GateInputs,
) -> None:
    ruling = gate(asked, POLICY, NOW)
    assert (ruling.verdict is Verdict.PASS) == (ruling.reasons == ())
    certain = [reason.verdict is Verdict.FAIL for reason in ruling.reasons]
    assert (ruling.verdict is Verdict.FAIL) == any(certain)
    assert certain == sorted(certain, reverse=True), "certain reasons stand first"
    assert {reason.next_step for reason in ruling.reasons} == set(ruling.next_steps)
    assert "" not in ruling.next_steps


HARMLESS = {"passing", "ends soon", "old"}


@pytest.mark.parametrize("kind", ["missing", "failing", *(k for k in KINDS if k not in HARMLESS)])
def test_one_spoilt_cell_is_enough_to_withhold_every_yes(kind: str) -> None:
    for state, to in UPWARD:
        whole = replace(facts(profiles=("default", "b")), state=state, to=to, reopened_at=REOPENED)
        assert gate(whole, POLICY, NOW).verdict is Verdict.PASS
        for stage, profile in required_cells(whole, POLICY.transitions[to]):
            if stage == "static" and kind in {"claimed", "no known binding"}:
                continue  # no server ran, so nothing was bound
            ruling = gate(spoil(whole, stage, profile, kind), POLICY, NOW)
            assert ruling.verdict is not Verdict.PASS, (state, stage, profile)


@law
@given(inputs(), st.floats(0, 1, exclude_max=True))
def test_the_answer_is_the_same_at_every_moment_until_it_ends(
    asked: GateInputs, share: float
) -> None:
    ruling = gate(asked, POLICY, NOW)
    moment = NOW + int((ruling.valid_until - NOW) * share)
    later = gate(asked, POLICY, moment)
    assert later.verdict is ruling.verdict
    assert [r.code for r in later.reasons] == [r.code for r in ruling.reasons]


@law
@given(inputs(), st.randoms(use_true_random=False))
def test_the_order_in_which_facts_arrive_changes_no_verdict(
    asked: GateInputs, random: object
) -> None:
    shuffled = list(asked.latest)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    other = gate(replace(asked, latest=tuple(shuffled)), POLICY, NOW)
    assert other.reasons == gate(asked, POLICY, NOW).reasons
