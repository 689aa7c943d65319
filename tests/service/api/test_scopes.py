"""Who may call what, walked over every route: each scope alone, no token, a foreign namespace."""

from typing import Any

import pytest

from service.api.routes import ANY_TOKEN, PUBLIC
from tests.fixtures.house import ARTIFACT, EVERY_SCOPE, House, Route, Visitor, problem, routes

ABSENT = {
    "candidate_id": "cand_" + "0" * 32,
    "run_id": "run_" + "0" * 32,
    "decision_id": "dec_" + "0" * 32,
    "evidence_id": "ev_" + "0" * 32,
    "token_id": "tok_" + "0" * 32,
    "transcript_id": "tx_" + "0" * 32,
    "digest": "sha256:" + "0" * 64,
    "path": "bundle.yaml",
    "name": "default",
}

QUERY = {
    "/v1/candidates/{candidate_id}/gate": {"to": "ACTIVE"},
    "/v1/bundles/{digest}/diff": {"against": "sha256:" + "0" * 64},
}

BODY: dict[str, Any] = {
    "/v1/candidates": {
        "bundle_digest": "sha256:" + "0" * 64,
        "version": "1",
        "artifact_digest": ARTIFACT,
        "targets": [{"name": "a", "kind": "mcp+http", "url": "http://127.0.0.1:9/"}],
    },
    "/v1/candidates/{candidate_id}/runs": {},
    "/v1/candidates/{candidate_id}/transitions": {
        "to": "CANARY",
        "expected_state": "REGISTRY_ADMITTED",
        "reason": "why",
    },
    "/v1/evidence/import": {
        "candidate_id": ABSENT["candidate_id"],
        "profile": "default",
        "files": {"r.json": '{"result": {}}'},
    },
    "/v1/tokens": {"name": "n", "scopes": ["no:such"]},
    "/v1/policies/{name}": {},
}


def call(visitor: Visitor, route: Route, ids: dict[str, str], **headers: str) -> Any:
    method, template, _ = route
    path = template.format(**ids) if "{" in template else template
    body = BODY.get(template)
    return visitor.http.request(
        method,
        path,
        params=QUERY.get(template),
        headers=headers,
        **({"json": body} if body is not None else {}),
    )


def test_every_route_declares_who_may_call_it(house: House) -> None:
    needs = {need for _, _, need in routes(house.app)}
    assert needs <= {PUBLIC, ANY_TOKEN, *EVERY_SCOPE}


def test_only_health_is_public(house: House) -> None:
    assert {path for _, path, need in routes(house.app) if need == PUBLIC} == {
        "/healthz",
        "/readyz",
    }


def test_every_write_needs_a_scope(house: House) -> None:
    writes = {need for method, _, need in routes(house.app) if method != "GET"}
    assert not writes & {PUBLIC, ANY_TOKEN}


def test_without_a_valid_token_every_route_is_closed(house: House, visitor: Visitor) -> None:
    for route in routes(house.app):
        if route[2] == PUBLIC:
            continue
        answer = call(visitor, route, ABSENT, Authorization="Bearer nonsense")
        assert answer.status_code == 401, route
        assert answer.headers["www-authenticate"].startswith("Bearer")
        assert answer.json()["reason_code"] == "TOKEN_INVALID"


@pytest.mark.parametrize("sent", ["", "Bearer", "Basic YTpi", "Bearer a b", "Bearer \xff"])
def test_a_header_that_is_no_token_is_401(visitor: Visitor, sent: str) -> None:
    answer = visitor.http.get("/v1/keys", headers={"Authorization": sent.encode("latin-1")})
    assert problem(answer, 401)["reason_code"] in {"TOKEN_MISSING", "TOKEN_INVALID"}


@pytest.mark.parametrize("scope", ["", *EVERY_SCOPE])
def test_each_scope_opens_its_own_routes_and_no_other(house: House, scope: str) -> None:
    visitor = house.visitor(*[scope] if scope else ["bundles:write"])
    held = scope or "bundles:write"
    for route in routes(house.app):
        need = route[2]
        answer = call(visitor, route, ABSENT)
        allowed = need in {PUBLIC, ANY_TOKEN, held} or held == "admin"
        if allowed:
            assert answer.status_code not in {401, 403, 500}, (route, answer.text)
        else:
            assert answer.status_code == 403, (route, answer.text)
            assert answer.json()["reason_code"] == "SCOPE_MISSING"
            assert answer.json()["expected"] == need


def test_an_expired_token_says_so(house: House) -> None:
    visitor = house.visitor("evidence:read", expires_in_s=60)
    assert visitor.http.get("/v1/keys").status_code == 200
    with house.clock.later(61):
        answer = visitor.http.get("/v1/keys")
    problem(answer, 401, "TOKEN_EXPIRED")


@pytest.fixture
def owned(visitor: Visitor) -> dict[str, str]:
    """Ids of things that really exist in the visitor's namespace."""
    candidate = visitor.candidate()
    run = visitor.client.start_run(candidate["id"])
    decision = visitor.client.gate(candidate["id"], to="STATIC_VALIDATED")
    evidence = next(iter(visitor.client.evidence_list(candidate_id=candidate["id"])))
    token = visitor.client.create_token(name="t", scopes=["evidence:read"], expires_in_s=60)
    return {
        **ABSENT,
        "candidate_id": candidate["id"],
        "digest": candidate["bundle_digest"],
        "run_id": run["id"],
        "decision_id": decision["id"],
        "evidence_id": evidence["id"],
        "token_id": token["token"]["id"],
    }


def test_a_foreign_namespace_sees_the_same_as_where_nothing_is(
    house: House, owned: dict[str, str]
) -> None:
    stranger = house.visitor(*EVERY_SCOPE)
    for route in routes(house.app):
        if "{" not in route[1] or route[1] == "/v1/policies/{name}":
            continue
        theirs, nothing = call(stranger, route, owned), call(stranger, route, ABSENT)
        assert theirs.status_code == 404, (route, theirs.text)
        assert nothing.status_code == 404, (route, nothing.text)
        assert theirs.json()["reason_code"] == nothing.json()["reason_code"], route


def test_lists_show_nothing_of_a_foreign_namespace(house: House, owned: dict[str, str]) -> None:
    stranger = house.visitor(*EVERY_SCOPE)
    del owned
    for path in ("bundles", "candidates", "runs", "evidence"):
        assert stranger.http.get(f"/v1/{path}").json() == {"items": [], "next": None}
    assert len(stranger.http.get("/v1/tokens").json()["items"]) == 1
