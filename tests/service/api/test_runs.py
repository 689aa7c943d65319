"""Runs over HTTP: started once a key, followed without gaps, cancelled, reported."""

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Semaphore
from typing import Any
from uuid import uuid4
from xml.etree import ElementTree as ET

import httpx2
import pytest

from bundles.check import Outcome
from bundles.contract import Contract
from bundles.digest import raw_digest
from bundles.verdict import Verdict
from service.admission import static_stage
from tests.fixtures.house import EVERY_SCOPE, House, Visitor, open_house, problem


@pytest.fixture
def run(visitor: Visitor) -> dict[str, Any]:
    return visitor.client.start_run(visitor.candidate()["id"])


@contextmanager
def streaming(visitor: Visitor, run_id: str, after: int = 0) -> Iterator[Iterator[dict[str, Any]]]:
    """The events of a run as they come."""
    headers = {"Last-Event-ID": str(after)} if after else {}
    with visitor.http.stream("GET", f"/v1/runs/{run_id}/events", headers=headers) as answer:
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        yield events(answer)


def events(answer: httpx2.Response) -> Iterator[dict[str, Any]]:
    told: dict[str, str] = {}
    for line in answer.iter_lines():
        if line.startswith(":"):
            continue
        if line:
            name, _, value = line.partition(": ")
            told[name] = value
            continue
        if told:
            event = json.loads(told["data"])
            assert (int(told["id"]), told["event"]) == (event["seq"], event["kind"])
            yield event
            told = {}


def test_a_run_is_202_queued_and_sent_to_the_workers(house: House, visitor: Visitor) -> None:
    candidate = visitor.candidate()
    answer = visitor.http.post(f"/v1/candidates/{candidate['id']}/runs", json={})
    assert answer.status_code == 202
    run = answer.json()
    assert run["state"] == "queued"
    assert answer.headers["location"] == f"/v1/runs/{run['id']}"
    assert run["id"] in house.queue.sent
    assert visitor.http.get(f"/v1/runs/{run['id']}").json()["candidate_id"] == candidate["id"]


def test_the_same_key_starts_one_run(visitor: Visitor) -> None:
    candidate, key = visitor.candidate()["id"], uuid4().hex
    first = visitor.client.start_run(candidate, key=key)
    assert visitor.client.start_run(candidate, key=key)["id"] == first["id"]
    assert visitor.client.start_run(candidate)["id"] != first["id"]
    answer = visitor.http.post(
        f"/v1/candidates/{candidate}/runs",
        json={"stages": ["security"]},
        headers={"Idempotency-Key": key},
    )
    problem(answer, 409, "IDEMPOTENCY_KEY_REUSED")


def test_runs_that_judge_bundles_anew_leave_room_for_everything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge, inside, go = static_stage.judge_bundle, Semaphore(0), threading.Event()

    def judge_when_told(contract: Contract) -> list[Outcome]:
        inside.release()
        assert go.wait(120)
        return list(judge(contract))

    with open_house(f"sqlite:///{tmp_path / 'db'}", tmp_path, db_pool_size=4) as house:
        visitor = house.visitor(*EVERY_SCOPE, expires_in_s=None)
        made = [visitor.candidate()["id"] for _ in range(6)]
        monkeypatch.setattr(static_stage, "judge_bundle", judge_when_told)
        places = house.app.state.desk.submissions
        with house.clock.later(2 * 86_400), ThreadPoolExecutor(6) as pool:
            started = [pool.submit(visitor.client.start_run, candidate) for candidate in made]
            try:
                for _ in range(500):  # each look is a request of its own, answered meanwhile
                    assert visitor.http.get("/v1/candidates").status_code == 200
                    if places.statistics().tasks_waiting == 4:
                        break
                assert places.statistics().borrowed_tokens == 2, "half of the places"
            finally:
                go.set()
            assert {run.result()["state"] for run in started} == {"queued"}
        assert sum(inside.acquire(blocking=False) for _ in range(7)) == 6


@pytest.mark.parametrize(
    ("body", "code"),
    [
        ({"stages": ["no-such"]}, "REQUEST_INVALID"),
        ({"profiles": ["no-such"]}, "PROFILE_WITHOUT_TARGET"),
        ({"stage": "security"}, "REQUEST_INVALID"),
    ],
)
def test_a_run_that_makes_no_sense_is_refused(
    visitor: Visitor, body: dict[str, Any], code: str
) -> None:
    candidate = visitor.candidate()["id"]
    problem(visitor.http.post(f"/v1/candidates/{candidate}/runs", json=body), 400, code)


def test_a_stream_tells_every_event_once_and_ends_with_the_run(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    run = visitor.client.start_run(visitor.candidate()["id"])["id"]
    registry = any_house.registry
    claim = registry.claim(run, "w")
    assert claim is not None
    seen: list[dict[str, Any]] = []

    def follow() -> None:
        with streaming(visitor, run) as stream:
            seen.extend(stream)

    follower = threading.Thread(target=follow)
    follower.start()
    for n in range(5):
        registry.progress(run, claim.fence, "stimulus", {"n": n})
    registry.abandon(claim, "RUN_CANCELLED", "enough", retry=False)
    follower.join(timeout=120)
    assert not follower.is_alive(), "the stream did not end with the run"
    assert [event["seq"] for event in seen] == list(range(1, len(seen) + 1))
    assert [e["body"]["n"] for e in seen if e["kind"] == "stimulus"] == list(range(5))


def test_a_stream_resumes_after_the_last_event_seen(
    house: House, visitor: Visitor, run: dict[str, Any]
) -> None:
    claim = house.registry.claim(run["id"], "w")
    assert claim is not None
    for n in range(6):
        house.registry.progress(run["id"], claim.fence, "stimulus", {"n": n})
    with streaming(visitor, run["id"]) as stream:
        first = [next(stream) for _ in range(3)]
    house.registry.abandon(claim, "RUN_CANCELLED", "enough", retry=False)
    with streaming(visitor, run["id"], after=first[-1]["seq"]) as stream:
        rest = list(stream)
    whole = [event["seq"] for event in [*first, *rest]]
    assert whole == list(range(1, len(whole) + 1))


@pytest.mark.parametrize("sent", ["x", "-1", "1.5", str(1 << 60), ""])
def test_a_malformed_last_event_id_is_refused(
    visitor: Visitor, run: dict[str, Any], sent: str
) -> None:
    answer = visitor.http.get(f"/v1/runs/{run['id']}/events", headers={"Last-Event-ID": sent})
    problem(answer, 400, "REQUEST_INVALID")


def test_the_client_follows_to_the_end(house: House, visitor: Visitor, run: dict[str, Any]) -> None:
    claim = house.registry.claim(run["id"], "w")
    assert claim is not None
    house.registry.progress(run["id"], claim.fence, "stimulus", {"n": 0})
    house.registry.abandon(claim, "RUN_CANCELLED", "enough", retry=False)
    kinds = [event["kind"] for event in visitor.client.follow(run["id"], wait_s=20)]
    assert "stimulus" in kinds


def test_the_client_stops_following_when_its_time_is_over(
    visitor: Visitor, run: dict[str, Any]
) -> None:
    assert list(visitor.client.follow(run["id"], wait_s=0)) is not None
    assert visitor.client.run(run["id"])["state"] == "queued"


def test_a_queued_run_is_cancelled_at_once_and_cancelling_again_changes_nothing(
    visitor: Visitor, run: dict[str, Any]
) -> None:
    answer = visitor.http.post(f"/v1/runs/{run['id']}/cancel")
    assert (answer.status_code, answer.json()["state"]) == (202, "cancelled")
    again = visitor.http.post(f"/v1/runs/{run['id']}/cancel")
    assert (again.status_code, again.json()) == (202, answer.json())


@pytest.mark.parametrize("form", ["json", "junit", "sarif", "text", "html"])
def test_a_run_that_is_not_over_reports_inconclusive(
    visitor: Visitor, run: dict[str, Any], form: str
) -> None:
    report = visitor.client.report(run["id"], form)
    if form == "json":
        assert json.loads(report)["verdict"] == "INCONCLUSIVE"
    elif form == "sarif":
        assert json.loads(report)["runs"][0]["properties"]["verdict"] == "INCONCLUSIVE"
    elif form == "junit":
        assert ET.fromstring(report).tag == "testsuite"
    elif form == "html":
        assert "<title>INCONCLUSIVE: run " in report
    else:
        assert report.endswith("verdict: INCONCLUSIVE\n")


@pytest.mark.parametrize(
    ("accept", "kind"),
    [
        ("application/sarif+json", "application/sarif+json"),
        ("application/XML;q=0.9, */*", "application/xml"),
        ("text/plain", "text/plain"),
        ("*/*", "application/json"),
        ("text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", "text/html"),
    ],
)
def test_the_form_of_a_report_follows_accept_where_none_is_named(
    visitor: Visitor, run: dict[str, Any], accept: str, kind: str
) -> None:
    url, headers = f"/v1/runs/{run['id']}/report", {"Accept": accept}
    answer = visitor.http.get(url, headers=headers)
    assert answer.headers["content-type"].partition(";")[0] == kind
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    named = visitor.http.get(url, headers=headers, params={"format": "junit"})
    assert named.headers["content-type"] == "application/xml"


def test_a_finished_run_reports_its_findings_and_keeps_its_transcripts(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    run = visitor.client.start_run(visitor.candidate()["id"])["id"]
    any_house.work(run, security=Verdict.FAIL)
    findings = list(visitor.client.findings(run))
    assert findings
    assert {finding["stage"] for finding in findings} == {"security"}
    assert json.loads(visitor.client.report(run, "json"))["verdict"] == "FAIL"
    failures = ET.fromstring(visitor.client.report(run, "junit")).attrib["failures"]
    assert int(failures) > 0
    assert json.loads(visitor.client.report(run, "sarif"))["runs"][0]["results"]
    for record in visitor.http.get(f"/v1/runs/{run}/transcripts").json()["items"]:
        answer = visitor.http.get(f"/v1/runs/{run}/transcripts/{record['id']}")
        assert raw_digest(answer.content) == record["digest"]
        assert answer.json()["stage"] == record["stage"]
        same = {"If-None-Match": answer.headers["etag"]}
        again = visitor.http.get(f"/v1/runs/{run}/transcripts/{record['id']}", headers=same)
        assert again.status_code == 304


def test_runs_are_listed_by_candidate_and_state(visitor: Visitor, run: dict[str, Any]) -> None:
    other = visitor.client.start_run(visitor.candidate()["id"])["id"]
    by_candidate = visitor.http.get("/v1/runs", params={"candidate_id": run["candidate_id"]})
    assert [r["id"] for r in by_candidate.json()["items"]] == [run["id"]]
    visitor.client.cancel(other)
    queued = visitor.http.get("/v1/runs", params={"state": "queued"}).json()["items"]
    assert [r["id"] for r in queued] == [run["id"]]
