"""The gate over HTTP: asked, waited for, obeyed by transitions."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from bundles.verdict import Verdict
from service.admission.policy import DEFAULT_POLICY
from service.api import gate
from tests.fixtures.house import EVERY_SCOPE, House, Visitor, open_house, problem


def ask(visitor: Visitor, candidate: str, **params: Any) -> dict[str, Any]:
    answer = visitor.http.get(f"/v1/candidates/{candidate}/gate", params=params, timeout=300)
    assert answer.status_code == 200, answer.text
    body: dict[str, Any] = answer.json()
    return body


def test_undecided_says_why_and_what_to_do(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate()
    assert candidate["state"] == "STATIC_VALIDATED"
    decision = ask(visitor, candidate["id"], to="CONFORMANCE_VERIFIED")
    assert decision["verdict"] == "INCONCLUSIVE"
    assert decision["reasons"]
    assert decision["next_steps"]


def test_asking_again_gives_the_stored_decision(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate()["id"]
    first = ask(visitor, candidate, to="CONFORMANCE_VERIFIED")
    assert ask(visitor, candidate, to="CONFORMANCE_VERIFIED") == first
    stored = visitor.http.get(f"/v1/decisions/{first['id']}").json()
    assert stored["inputs"]
    assert {name: stored[name] for name in first} == first
    assert visitor.client.replay(first["id"])["agrees"]


def test_a_wait_ends_undecided_at_its_time(visitor: Visitor) -> None:
    candidate = visitor.candidate()["id"]
    started = monotonic()
    assert ask(visitor, candidate, to="CONFORMANCE_VERIFIED", wait=1)["verdict"] == "INCONCLUSIVE"
    assert monotonic() - started >= 1


def test_a_wait_sees_the_candidate_move_on(house: House, visitor: Visitor) -> None:
    """A run is started while the gate waits: the reasons change from missing to running, and the
    answer that comes at the end of the time is the new one.
    """
    candidate = visitor.candidate()["id"]
    before = ask(visitor, candidate, to="CONFORMANCE_VERIFIED")
    answers: list[dict[str, Any]] = []
    waiting = threading.Thread(
        target=lambda: answers.append(ask(visitor, candidate, to="CONFORMANCE_VERIFIED", wait=5))
    )
    waiting.start()
    visitor.client.start_run(candidate)
    waiting.join(timeout=120)
    assert answers[0]["id"] != before["id"]
    assert "STAGE_RUNNING" in {reason["code"] for reason in answers[0]["reasons"]}


@pytest.mark.parametrize("verdict", ["PASS", "FAIL"])
def test_a_wait_ends_at_the_first_certain_answer(any_house: House, verdict: str) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate(policy=visitor.lenient())["id"]
    run = visitor.client.start_run(candidate)["id"]
    answers: list[dict[str, Any]] = []
    waiting = threading.Thread(
        target=lambda: answers.append(ask(visitor, candidate, to="REGISTRY_ADMITTED", wait=50))
    )
    waiting.start()
    any_house.work(run, security=Verdict(verdict))
    waiting.join(timeout=120)
    assert [answer["verdict"] for answer in answers] == [verdict]
    assert bool(answers[0]["reasons"]) is (verdict == "FAIL")


def test_a_wait_sees_a_policy_edit_which_moves_no_candidate(
    house: House, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor.client.put_policy("edited", {**DEFAULT_POLICY})
    candidate = visitor.candidate(policy="edited")["id"]
    house.work(visitor.client.start_run(candidate)["id"])
    monkeypatch.setattr(gate, "_ASKED_AGAIN_S", 0.05)
    with ThreadPoolExecutor(1) as pool:
        before = ask(visitor, candidate, to="SECURITY_VERIFIED")
        waiting = pool.submit(ask, visitor, candidate, to="SECURITY_VERIFIED", wait=240)
        visitor.client.put_policy("edited", {**DEFAULT_POLICY, "claims": {"default": "shown"}})
        after = waiting.result(timeout=120)
    assert (before["verdict"], after["verdict"]) == ("INCONCLUSIVE", "PASS")
    assert visitor.client.candidate(candidate)["state"] == "CONFORMANCE_VERIFIED"
    moved = visitor.client.transition(
        candidate,
        to="SECURITY_VERIFIED",
        expected_state="CONFORMANCE_VERIFIED",
        reason="the policy lets these claims stand",
    )
    assert moved["decision"]["id"] == after["id"]


def test_an_admitted_candidate_moves_and_only_once(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate(policy=visitor.lenient())["id"]
    any_house.work(visitor.client.start_run(candidate)["id"])
    assert visitor.client.candidate(candidate)["state"] == "SECURITY_VERIFIED"
    asked = {"to": "REGISTRY_ADMITTED", "expected_state": "SECURITY_VERIFIED", "reason": "go"}
    url = f"/v1/candidates/{candidate}/transitions"
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: visitor.http.post(url, json=asked), range(8)))
    assert sorted(a.status_code for a in answers) == [201] + [409] * 7
    made = next(a.json() for a in answers if a.status_code == 201)
    assert made["decision"]["verdict"] == "PASS"
    assert made["transition"]["decision_id"] == made["decision"]["id"]
    assert visitor.client.replay(made["decision"]["id"])["agrees"]


def test_waiting_gates_hold_no_connection(house: House, visitor: Visitor) -> None:
    """Far more wait than the store has connections, and everybody else is still answered."""
    candidate = visitor.candidate()["id"]
    run = visitor.client.start_run(candidate)["id"]
    waiters = 3 * house.app.state.desk.settings.db_pool_size
    watch = house.app.state.desk.watch
    with ThreadPoolExecutor(waiters) as pool:
        waits = [
            pool.submit(ask, visitor, candidate, to="CONFORMANCE_VERIFIED", wait=240)
            for _ in range(waiters)
        ]
        deadline = monotonic() + 120
        while watch.waiting < waiters:
            assert visitor.http.get("/v1/keys").status_code == 200
            assert monotonic() < deadline
        others = [visitor.http.get("/v1/keys").status_code for _ in range(20)]
        assert not any(wait.done() for wait in waits)
        house.work(run, conformance=Verdict.FAIL)
        assert {wait.result()["verdict"] for wait in waits} == {"FAIL"}
    assert set(others) == {200}


def test_stopping_the_service_ends_waits_and_streams(tmp_path: Path) -> None:
    """Both are answered well before their time; nothing is cut off in the middle."""
    answers: list[Any] = []
    with open_house(f"sqlite:///{tmp_path / 'db'}", tmp_path) as house:
        visitor = house.visitor(*EVERY_SCOPE)
        candidate = visitor.candidate()["id"]
        run = visitor.client.start_run(candidate)["id"]
        waiting = threading.Thread(
            target=lambda: answers.append(
                ask(visitor, candidate, to="CONFORMANCE_VERIFIED", wait=50)["verdict"]
            )
        )
        streaming = threading.Thread(
            target=lambda: answers.append(
                visitor.http.get(f"/v1/runs/{run}/events", timeout=60).status_code
            )
        )
        waiting.start()
        streaming.start()
        watch = house.app.state.desk.watch
        deadline = monotonic() + 120
        while watch.waiting < 2:
            assert monotonic() < deadline
    waiting.join(timeout=120)
    streaming.join(timeout=120)
    assert sorted(map(str, answers)) == ["200", "INCONCLUSIVE"]


def test_a_transition_the_gate_does_not_allow_is_403_with_the_decision(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate()["id"]
    answer = visitor.http.post(
        f"/v1/candidates/{candidate}/transitions",
        json={"to": "CONFORMANCE_VERIFIED", "expected_state": "STATIC_VALIDATED", "reason": "now"},
    )
    body = problem(answer, 403, "GATE_UNDECIDED")
    assert body["decision"]["verdict"] == "INCONCLUSIVE"
    assert body["decision"]["reasons"]
    assert visitor.client.candidate(candidate)["state"] == "STATIC_VALIDATED"


def test_a_transition_the_table_does_not_know_is_409(visitor: Visitor) -> None:
    answer = visitor.http.post(
        f"/v1/candidates/{visitor.candidate()['id']}/transitions",
        json={"to": "ACTIVE", "expected_state": "STATIC_VALIDATED", "reason": "now"},
    )
    assert "REJECTED" in problem(answer, 409, "ILLEGAL_TRANSITION")["expected"]


def test_a_stale_expected_state_is_409_with_the_actual_one(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate()["id"]
    answer = visitor.http.post(
        f"/v1/candidates/{candidate}/transitions",
        json={"to": "ACTIVE", "expected_state": "CANARY", "reason": "now"},
    )
    assert problem(answer, 409, "STATE_MISMATCH")["seen"] == "STATIC_VALIDATED"


def test_a_transition_needs_a_reason_and_known_members(visitor: Visitor) -> None:
    url = f"/v1/candidates/{visitor.candidate()['id']}/transitions"
    good = {"to": "ACTIVE", "expected_state": "STATIC_VALIDATED", "reason": "x"}
    for body in (
        {**good, "reason": ""},
        {**good, "to": "HAPPY"},
        {**good, "force": True},
        {"to": "ACTIVE"},
    ):
        problem(visitor.http.post(url, json=body), 400)


def test_history_shows_how_the_candidate_came_to_its_state(visitor: Visitor) -> None:
    (first,) = visitor.client.transitions(visitor.candidate()["id"])
    assert (first["from_state"], first["to_state"]) == ("DRAFT", "STATIC_VALIDATED")
    assert first["decision_id"]
