"""Importing over REST: created, repeated, refused."""

from tests.fixtures.house import Visitor, problem

FILES = {"r.xml": '<testsuite><testcase name="n"/></testsuite>'}


def test_a_report_is_kept_as_evidence_of_its_own_kind(visitor: Visitor) -> None:
    candidate = visitor.candidate()["id"]
    made = visitor.client.import_evidence(candidate, profile="default", files=FILES)
    assert (made["kind"], made["stage"], made["verdict"]) == ("imported", "imported", "PASS")
    assert visitor.client.evidence(made["id"])["summary"]["imported"]["source"] == "junit"
    listed = [entry["id"] for entry in visitor.client.evidence_list(candidate_id=candidate)]
    assert made["id"] in listed


def test_the_same_key_gives_the_same_evidence(visitor: Visitor) -> None:
    body = {"candidate_id": visitor.candidate()["id"], "profile": "default", "files": FILES}
    answers = [
        visitor.http.post("/v1/evidence/import", json=body, headers={"Idempotency-Key": "once"})
        for _ in range(2)
    ]
    assert [answer.status_code for answer in answers] == [201, 200]
    assert answers[0].json() == answers[1].json()


def test_what_cannot_be_read_is_refused_with_its_reason(visitor: Visitor) -> None:
    body = {"candidate_id": visitor.candidate()["id"], "profile": "default", "files": FILES}
    broken = visitor.http.post("/v1/evidence/import", json={**body, "files": {"r": "<html/>"}})
    problem(broken, 422, "IMPORT_UNREADABLE")
    none = visitor.http.post("/v1/evidence/import", json={**body, "files": {}})
    problem(none, 400, "REQUEST_INVALID")
    tool = visitor.http.post("/v1/evidence/import", json={**body, "source": "tck"})
    problem(tool, 400, "REQUEST_INVALID")
    profile = visitor.http.post("/v1/evidence/import", json={**body, "profile": "tenant-b"})
    problem(profile, 400, "PROFILE_WITHOUT_TARGET")
