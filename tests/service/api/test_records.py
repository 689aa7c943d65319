"""Candidates, evidence, keys, tokens, policies, audit and catalogue over HTTP."""

import base64
import json
from typing import Any

import pytest

from tests.fixtures.house import ARTIFACT, EVERY_SCOPE, House, Visitor, bundle_files, problem


def test_registering_the_same_build_again_is_200_and_the_same_candidate(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    digest = visitor.push(bundle_files())["bundle"]["digest"]
    body = {
        "bundle_digest": digest,
        "version": "1.0.0",
        "artifact_digest": ARTIFACT,
        "targets": [{"name": "a", "kind": "mcp+http", "url": "http://127.0.0.1:9/mcp"}],
    }
    first = visitor.http.post("/v1/candidates", json=body)
    again = visitor.http.post("/v1/candidates", json=body)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json()["candidate"] == again.json()["candidate"]
    other = {**body, "artifact_digest": "sha256:" + "b" * 64}
    problem(visitor.http.post("/v1/candidates", json=other), 409, "CANDIDATE_VERSION_TAKEN")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"bundle_digest": "latest"}, 400),
        ({"bundle_digest": "sha256:" + "0" * 64}, 404),
        ({"artifact_digest": "sha256:abc"}, 400),
        ({"version": ""}, 400),
        ({"version": "1\u0000"}, 400),
        ({"policy": "none-such"}, 404),
        ({"targets": [{"name": "a", "kind": "ftp"}]}, 400),
        ({"targets": [{"name": "a", "kind": "mcp+http", "url": "file:///etc/passwd"}]}, 400),
        ({"targets": [{"name": "a", "kind": "mcp+stdio", "launcher": ""}]}, 400),
        ({"targets": [{"name": "a", "kind": "mcp+http", "url": "http://x/", "argv": ["sh"]}]}, 400),
    ],
)
def test_a_candidate_that_makes_no_sense_is_refused(
    visitor: Visitor, change: dict[str, Any], status: int
) -> None:
    body = {
        "bundle_digest": visitor.push(bundle_files())["bundle"]["digest"],
        "version": "1.0.0",
        "artifact_digest": ARTIFACT,
        "targets": [{"name": "a", "kind": "mcp+http", "url": "http://127.0.0.1:9/mcp"}],
    }
    problem(visitor.http.post("/v1/candidates", json={**body, **change}), status)


def test_candidates_are_found_by_state_digest_contract_and_version(visitor: Visitor) -> None:
    one = visitor.candidate(version="1.0.0")
    visitor.candidate(version="2.0.0", artifact_digest="sha256:" + "c" * 64)
    for filters in (
        {"digest": one["bundle_digest"]},
        {"digest": one["artifact_digest"]},
        {"contract_id": one["contract_id"]},
        {"version": "1.0.0"},
    ):
        assert [c["id"] for c in visitor.client.candidates(**filters)] == [one["id"]], filters
    assert len(list(visitor.client.candidates(state="STATIC_VALIDATED"))) == 2
    assert list(visitor.client.candidates(state="ACTIVE")) == []


@pytest.mark.parametrize(
    ("address", "filters"),
    [
        ("/v1/bundles", {"digest": "sha256:abc"}),
        ("/v1/candidates", {"digest": "sha256:abc"}),
        ("/v1/evidence", {"digest": "sha256:abc"}),
        ("/v1/evidence", {"candidate_id": "cand_1"}),
        ("/v1/runs", {"candidate_id": "ev_" + "0" * 32}),
    ],
)
def test_a_filter_that_can_name_nothing_is_400_and_says_what_it_should_be(
    visitor: Visitor, address: str, filters: dict[str, str]
) -> None:
    told = problem(visitor.http.get(address, params=filters), 400, "FILTER_INVALID")
    (name,) = filters
    assert (told["path"], told["pointer"]) == ("query", f"/{name}")
    assert told["expected"]


def test_the_verification_summary_names_what_is_bound(visitor: Visitor) -> None:
    candidate = visitor.candidate()
    summary = visitor.client.verification(candidate["id"])
    assert summary["agent_version"] == candidate["version"]
    assert summary["contract_digest"] == candidate["bundle_digest"]
    assert summary["producer_digest"] == candidate["artifact_digest"]


def test_static_evidence_comes_with_its_signed_envelope(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate()
    (evidence,) = visitor.client.evidence_list(candidate_id=candidate["id"])
    assert (evidence["stage"], evidence["verdict"]) == ("static", "PASS")
    url = f"/v1/evidence/{evidence['id']}"
    by_format = visitor.http.get(url, params={"format": "dsse"})
    by_accept = visitor.http.get(url, headers={"Accept": "application/vnd.dsse.envelope.v1+json"})
    assert by_format.content == by_accept.content
    assert by_format.headers["etag"] == f'"{evidence["envelope_digest"]}"'
    envelope = json.loads(by_format.content)
    statement = json.loads(base64.b64decode(envelope["payload"]))
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    assert {"sha256": "a" * 64} in [subject["digest"] for subject in statement["subject"]]
    assert evidence["key_id"] in {key["key_id"] for key in visitor.client.public_keys()}
    assert visitor.http.get(url).json() == evidence


def test_evidence_is_found_by_digest_stage_verdict_and_freshness(visitor: Visitor) -> None:
    candidate = visitor.candidate()
    for filters in (
        {"digest": candidate["artifact_digest"]},
        {"digest": candidate["bundle_digest"]},
        {"stage": "static"},
        {"verdict": "PASS"},
        {"fresh": "true"},
    ):
        found = [e["candidate_id"] for e in visitor.client.evidence_list(**filters)]
        assert found == [candidate["id"]], filters
    for filters in ({"stage": "canary"}, {"verdict": "FAIL"}, {"fresh": "false"}):
        assert list(visitor.client.evidence_list(**filters)) == [], filters


def test_a_token_works_until_it_is_revoked(house: House, visitor: Visitor) -> None:
    made = visitor.client.create_token(name="ci", scopes=["evidence:read"], expires_in_s=60)
    listed = {token["id"]: token for token in visitor.client.tokens()}
    assert listed[made["token"]["id"]]["name"] == "ci"
    assert made["secret"] not in json.dumps(listed)
    assert visitor.client.revoke_token(made["token"]["id"])["revoked_at"]
    answer = visitor.http.get("/v1/keys", headers={"Authorization": f"Bearer {made['secret']}"})
    problem(answer, 401, "TOKEN_INVALID")


def test_a_token_is_made_in_the_callers_own_namespace(visitor: Visitor) -> None:
    made = visitor.client.create_token(name="n", scopes=["admin"], expires_in_s=None)
    assert made["token"]["namespace"] == visitor.namespace
    body = {"name": "n", "scopes": ["admin"], "namespace": "other"}
    problem(visitor.http.post("/v1/tokens", json=body), 400, "REQUEST_INVALID")


@pytest.mark.parametrize(
    "body",
    [
        {"name": "n", "scopes": ["root"]},
        {"name": "", "scopes": ["admin"]},
        {"name": "n", "scopes": ["admin"], "expires_in_s": 0},
        {"name": "n", "scopes": ["admin"], "expires_in_s": 1 << 62},
    ],
)
def test_a_token_that_makes_no_sense_is_refused(visitor: Visitor, body: dict[str, Any]) -> None:
    problem(visitor.http.post("/v1/tokens", json=body), 400)


def test_a_policy_is_put_read_and_put_again(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    default = visitor.client.policy("default")
    assert default["current"]
    url = "/v1/policies/ours"
    document = dict(default["document"])
    if "name" in document:
        document["name"] = "ours"
    first, again = visitor.http.put(url, json=document), visitor.http.put(url, json=document)
    assert (first.status_code, again.status_code) == (201, 200), first.text
    assert visitor.client.policy("ours")["digest"] == first.json()["digest"]
    assert "ours" in {p["name"] for p in visitor.http.get("/v1/policies").json()["items"]}
    assert visitor.http.put(url, json={"nonsense": 1}).status_code in {400, 422}


def test_every_write_is_in_the_audit_log(any_house: House) -> None:
    visitor = any_house.visitor(*EVERY_SCOPE)
    candidate = visitor.candidate()
    visitor.client.start_run(candidate["id"])
    entries = visitor.http.get("/v1/audit", params={"limit": 200}).json()["items"]
    subjects = {entry["subject"] for entry in entries}
    assert {candidate["id"], candidate["bundle_digest"]} <= subjects
    assert visitor.secret not in json.dumps(entries)


def test_the_catalogue_lists_checks_and_codes_once(visitor: Visitor) -> None:
    checks = visitor.http.get("/v1/checks").json()["items"]
    codes = [item["code"] for item in visitor.http.get("/v1/reason-codes").json()["items"]]
    assert checks
    assert len(codes) == len(set(codes))
    assert {check["reason_code"] for check in checks} <= set(codes)
    assert {"ROUTE_UNKNOWN", "TOKEN_MISSING", "CANDIDATE_UNKNOWN"} <= set(codes)
