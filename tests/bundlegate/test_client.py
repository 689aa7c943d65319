"""The client: the service's refusals as ours, and absent or foreign servers as Unreachable."""

import json
from collections.abc import Callable
from typing import Any

import httpx2
import pytest

from bundlegate.client import Client, GateSaid
from bundles import errors

Answer = Callable[[httpx2.Request], httpx2.Response]


def client(answer: Answer) -> Client:
    """A client of a server that is one function (the client, not the service, is under test)."""
    return Client("http://service", "t0ken", transport=httpx2.MockTransport(answer))


def refusing(status: int, **members: Any) -> Answer:
    body = {"reason_code": "A_CODE", "detail": "why", "next_steps": ["do"], **members}
    return lambda _: httpx2.Response(
        status, json=body, headers={"Content-Type": "application/problem+json"}
    )


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, errors.Invalid),
        (401, errors.Unauthorised),
        (403, errors.Forbidden),
        (404, errors.NotFound),
        (409, errors.Conflict),
        (413, errors.Refused),
        (422, errors.Refused),
        (503, errors.Unreachable),
        (500, errors.Unreachable),
        (418, errors.Invalid),
    ],
)
def test_a_problem_becomes_the_refusal_it_was(
    status: int, kind: type[errors.BundlegateError]
) -> None:
    problem = refusing(status, path="a.json", pointer="/x", line=3, seen=1, expected=[2])
    with client(problem) as service, pytest.raises(kind) as refused:
        service.candidate("cand_1")
    told = refused.value
    assert (told.reason_code, told.detail, told.next_steps) == ("A_CODE", "why", ("do",))
    assert (told.path, told.pointer, told.line, told.seen, told.expected) == (
        "a.json",
        "/x",
        3,
        1,
        [2],
    )


def test_a_refused_transition_carries_the_decision() -> None:
    decision = {"verdict": "FAIL", "reasons": []}
    with client(refusing(403, decision=decision)) as service, pytest.raises(GateSaid) as said:
        service.transition("cand_1", to="ACTIVE", expected_state="CANARY", reason="r")
    assert said.value.decision == decision


@pytest.mark.parametrize(
    "answer",
    [
        httpx2.Response(200, text="<html>login</html>"),
        httpx2.Response(200, json=[1]),
        httpx2.Response(502, text="bad gateway"),
        httpx2.Response(404, json={"detail": "not ours"}),
        httpx2.Response(302, headers={"Location": "http://elsewhere/"}),
        httpx2.Response(404, json=["not", "a", "problem"]),
    ],
)
def test_what_is_not_the_service_is_said_to_be_not_the_service(answer: httpx2.Response) -> None:
    with client(lambda _: answer) as service, pytest.raises(errors.Unreachable) as refused:
        service.candidate("cand_1")
    assert refused.value.reason_code == "SERVICE_ANSWER_UNREADABLE"


def test_an_absent_service_is_unreachable() -> None:
    with Client("http://127.0.0.1:9", "t") as service, pytest.raises(errors.Unreachable) as refused:
        service.candidate("cand_1")
    assert refused.value.reason_code == "SERVICE_UNREACHABLE"


@pytest.mark.parametrize("url", ["", "not a url", "ftp://host", "http://[bad"])
def test_an_address_that_is_none_is_unreachable_too(url: str) -> None:
    with pytest.raises(errors.Unreachable), Client(url, "t") as service:
        service.candidate("cand_1")


def test_no_token_is_said_before_anything_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("BUNDLEGATE_TOKEN", raising=False)
    with pytest.raises(errors.Unauthorised):
        Client.from_env("http://127.0.0.1:9")


def test_proxy_variables_are_not_followed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with Client("http://127.0.0.1:9", "t") as service, pytest.raises(errors.Unreachable) as refused:
        service.candidate("cand_1")
    assert "127.0.0.1:9" in refused.value.detail


def test_ids_cannot_reach_another_address() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        asked.append(request.url.raw_path.decode())
        return httpx2.Response(200, json={})

    with client(answer) as service:
        service.candidate("../tokens?x=1#")
    assert asked == ["/v1/candidates/..%2Ftokens%3Fx%3D1%23"]


def test_every_page_is_read() -> None:
    pages = {"": ([1, 2], "b"), "b": ([3], "c"), "c": ([], None)}

    def answer(request: httpx2.Request) -> httpx2.Response:
        items, following = pages[request.url.params.get("cursor", "")]
        return httpx2.Response(200, json={"items": items, "next": following})

    with client(answer) as service:
        assert list(service.candidates(state="DRAFT")) == [1, 2, 3]


def test_a_broken_stream_is_taken_up_after_the_last_event() -> None:
    asked: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        if not request.url.path.endswith("/events"):
            return httpx2.Response(200, json={"state": "finished" if len(asked) > 1 else "running"})
        after = int(request.headers["last-event-id"])
        asked.append(str(after))
        event = json.dumps({"seq": after + 1, "kind": "k", "body": {}})
        broken = f"id: {after + 1}\ndata: {event}\n\n: beat\n\nid: 9\ndata: {{cut"
        return httpx2.Response(200, text=broken)

    with client(answer) as service:
        seen = [event["seq"] for event in service.follow("run_1", wait_s=30)]
    assert seen == [1, 2]
    assert asked == ["0", "1"]


def test_a_stream_that_is_refused_says_why() -> None:
    with client(refusing(404)) as service, pytest.raises(errors.NotFound):
        list(service.follow("run_1", wait_s=30))


def test_a_long_wait_is_asked_in_pieces() -> None:
    waits: list[int] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        waits.append(int(request.url.params["wait"]))
        return httpx2.Response(200, json={"verdict": "INCONCLUSIVE" if len(waits) < 3 else "PASS"})

    with client(answer) as service:
        assert service.gate("cand_1", to="ACTIVE", wait_s=500)["verdict"] == "PASS"
    assert waits == [30, 30, 30]
