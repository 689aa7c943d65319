"""Every error is a Problem with a reason code and a next step, and leaks nothing."""

import json

import pytest

from service.api.problems import PROBLEM_JSON
from tests.fixtures.house import House, Visitor, problem, routes


@pytest.mark.parametrize(
    ("method", "path", "status", "code"),
    [
        ("GET", "/", 404, "ROUTE_UNKNOWN"),
        ("GET", "/v1", 404, "ROUTE_UNKNOWN"),
        ("GET", "/v1/nothing", 404, "ROUTE_UNKNOWN"),
        ("GET", "/v1/openapi.json/x", 404, "ROUTE_UNKNOWN"),
        ("GET", "/v1/%00", 404, "ROUTE_UNKNOWN"),
        ("GET", "/v1/../healthz/x", 404, "ROUTE_UNKNOWN"),
        ("DELETE", "/v1/bundles", 405, "METHOD_NOT_ALLOWED"),
        ("POST", "/healthz", 405, "METHOD_NOT_ALLOWED"),
        ("GET", "/v1/bundles?limit=0", 400, "REQUEST_INVALID"),
        ("GET", "/v1/bundles?limit=201", 400, "REQUEST_INVALID"),
        ("GET", "/v1/bundles?limit=ten", 400, "REQUEST_INVALID"),
        ("GET", "/v1/bundles?limit=1&limit=2", 400, "REQUEST_INVALID"),
        ("GET", "/v1/bundles?produser=x", 400, "REQUEST_INVALID"),
        ("GET", "/v1/bundles?cursor=nonsense", 400, "CURSOR_INVALID"),
        ("GET", "/v1/candidates?state=HAPPY", 400, "REQUEST_INVALID"),
        ("GET", "/v1/candidates/cand_1", 404, "CANDIDATE_UNKNOWN"),
        ("GET", "/v1/candidates/%00", 404, "CANDIDATE_UNKNOWN"),
        ("GET", "/v1/candidates/cand_1/gate", 400, "REQUEST_INVALID"),
        ("GET", "/v1/candidates/cand_1/gate?to=HAPPY", 400, "REQUEST_INVALID"),
        ("GET", "/v1/candidates/cand_1/gate?to=ACTIVE&wait=601", 400, "REQUEST_INVALID"),
        ("GET", "/v1/bundles/sha256:abc", 404, "BUNDLE_UNKNOWN"),
        ("GET", "/v1/bundles/latest", 404, "BUNDLE_UNKNOWN"),
        ("GET", "/v1/runs/run_1", 404, "RUN_UNKNOWN"),
        ("GET", "/v1/runs/run_1/report?format=html5", 400, "REQUEST_INVALID"),
        ("GET", "/v1/evidence/ev_1", 404, "EVIDENCE_UNKNOWN"),
        ("GET", "/v1/decisions/dec_1", 404, "DECISION_UNKNOWN"),
        ("GET", "/v1/policies/none-such", 404, "POLICY_UNKNOWN"),
    ],
)
def test_what_cannot_be_answered_is_a_problem(
    visitor: Visitor, method: str, path: str, status: int, code: str
) -> None:
    problem(visitor.http.request(method, path), status, code)


@pytest.mark.parametrize(
    ("content", "sent", "status", "code"),
    [
        (b"", "application/json", 400, "REQUEST_INVALID"),
        (b"{", "application/json", 400, None),
        (b'{"version":"1","version":"2"}', "application/json", 400, "JSON_DUPLICATE_KEY"),
        (b"[" * 100_000, "application/json", 400, "JSON_TOO_DEEP"),
        (b'{"a":' * 100_000, "application/json", 400, "JSON_TOO_DEEP"),
        (b"{}", "text/plain", 415, "CONTENT_TYPE_UNSUPPORTED"),
        (b"{}", "application/x-msgpack", 415, "CONTENT_TYPE_UNSUPPORTED"),
        (b" " * (1 << 21), "application/json", 413, "BODY_TOO_LARGE"),
        (b"\xff\xfe", "application/json", 400, None),
    ],
)
def test_a_body_that_cannot_be_read_is_a_problem(
    visitor: Visitor, content: bytes, sent: str, status: int, code: str | None
) -> None:
    answer = visitor.http.post("/v1/candidates", content=content, headers={"Content-Type": sent})
    problem(answer, status, code)


def test_a_body_without_a_length_is_bounded_too(visitor: Visitor) -> None:
    answer = visitor.http.post(
        "/v1/candidates",
        content=(b" " * 65_536 for _ in range(40)),
        headers={"Content-Type": "application/json"},
    )
    problem(answer, 413, "BODY_TOO_LARGE")


def test_an_unknown_state_names_the_known_ones(visitor: Visitor) -> None:
    answer = visitor.http.get("/v1/candidates/cand_1/gate?to=HAPPY")
    assert "REGISTRY_ADMITTED" in problem(answer, 400)["expected"]


def test_a_method_that_is_not_allowed_names_those_that_are(visitor: Visitor) -> None:
    assert "GET" in visitor.http.delete("/v1/bundles").headers["allow"]


def test_a_failure_of_ours_says_nothing_of_its_cause(
    house: House, visitor: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError("password=hunter2 at /srv/app.py")

    monkeypatch.setattr(house.registry, "keys", fails)
    answer = visitor.http.get("/v1/keys")
    problem(answer, 500, "INTERNAL_ERROR")
    assert "hunter2" not in answer.text
    assert "RuntimeError" not in answer.text


def test_ready_asks_the_broker(house: House, visitor: Visitor) -> None:
    assert visitor.http.get("/readyz").json() == {"database": True, "broker": True}
    house.queue.answers = False
    try:
        body = problem(visitor.http.get("/readyz"), 503, "NOT_READY")
    finally:
        house.queue.answers = True
    assert body["seen"] == {"database": True, "broker": False}


@pytest.mark.parametrize("path", ["/healthz", "/v1/nothing", "/v1/bundles", "/v1/openapi.json"])
def test_every_response_has_an_id_and_security_headers(visitor: Visitor, path: str) -> None:
    answer = visitor.http.get(path, headers={"X-Request-ID": "caller-id-1"})
    assert answer.headers["x-request-id"] == "caller-id-1"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "cache-control" in answer.headers


def test_an_id_that_could_forge_a_log_line_is_replaced(visitor: Visitor) -> None:
    answer = visitor.http.get("/healthz", headers={"X-Request-ID": 'x"}{"event":"forged'})
    assert answer.headers["x-request-id"].isalnum()


def test_openapi_describes_every_error_as_a_problem(visitor: Visitor) -> None:
    document = visitor.http.get("/v1/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    for path, item in document["paths"].items():
        for method, operation in item.items():
            failures = {s: r for s, r in operation["responses"].items() if s >= "400"}
            assert {"400", "500", "503"} <= set(failures), (method, path)
            for status, response in failures.items():
                assert list(response["content"]) == [PROBLEM_JSON], (method, path, status)
            if operation.get("security"):
                assert "401" in failures


def test_openapi_lists_every_route(house: House, visitor: Visitor) -> None:
    document = visitor.http.get("/v1/openapi.json").json()
    described = {(m.upper(), p) for p, item in document["paths"].items() for m in item}
    assert described == {(method, path) for method, path, _ in routes(house.app)}


def test_the_document_loads_nothing_from_elsewhere(visitor: Visitor) -> None:
    text = json.dumps(visitor.http.get("/v1/openapi.json").json())
    assert "<script" not in text
    assert "cdn" not in text
