"""HTTP servers that misbehave: each fault becomes a recorded fact in bounded time."""

import asyncio
import base64
import json
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bundles.errors import Invalid
from bundles.mcp.probes import STREAM_LEFT_OPEN
from bundles.mcp.streams import unended_response
from bundles.transcript import Exchange, Failure
from tests.servers.hostile_http import Behaviour, Hostile, Request, answer, head, serve, whole
from workers.budget import Budget, Caps
from workers.egress import EgressRules
from workers.endpoints import HttpEndpoint
from workers.probes.conversation import Patience, Terms
from workers.probes.mcp_http import HttpConversation
from workers.probes.redact import Redactor, credentials_of

LOOPBACK = EgressRules(("127.0.0.0/8",))
TOKEN = "Bearer secret-token-1"
Scene = Callable[[HttpConversation], Awaitable[Any]]


def talk(
    behaviour: Behaviour,
    scene: Scene | None = None,
    *,
    caps: Caps | None = None,
    egress: EgressRules = LOOPBACK,
    headers: dict[str, str] | None = None,
    revision: str = "2026-07-28",
    tools: dict[str, Any] | None = None,
) -> tuple[Any, Hostile]:
    async def run() -> tuple[Any, Hostile]:
        async with serve(behaviour) as hostile:
            endpoint = HttpEndpoint(hostile.url, egress, headers or {})
            redactor = Redactor(credentials_of(endpoint))
            terms = Terms(revision, Budget(caps), redactor, tools=tools or {})
            async with HttpConversation(terms, endpoint) as conversation:
                return await (scene or greeted)(conversation), hostile

    return asyncio.run(run())


async def greeted(conversation: HttpConversation) -> Exchange:
    return await conversation.greet("discover")


async def good(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(whole(answer(request, {"ok": True})))


def events(*messages: bytes, end: bytes = b"\n\n") -> bytes:
    return b"".join(b"event: message\ndata: " + message + end for message in messages)


def test_a_modern_request_carries_its_headers_and_meta() -> None:
    async def scene(conversation: HttpConversation) -> Exchange:
        return await conversation.call("c", "tools/call", {"name": "naïve", "arguments": {}})

    exchange, hostile = talk(good, scene, headers={"Authorization": TOKEN})
    (request,) = hostile.requests
    assert request.header("mcp-protocol-version") == "2026-07-28"
    assert request.header("mcp-method") == "tools/call"
    assert request.header("mcp-name") == "=?base64?bmHDr3Zl?="
    assert request.header("authorization") == TOKEN
    assert request.header("host") == f"127.0.0.1:{hostile.port}"
    assert request.header("accept") == "application/json, text/event-stream"
    meta = request.message["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert exchange.status == 200
    assert exchange.result == {"ok": True}
    assert exchange.request["headers"]["authorization"] == "[redacted]"
    assert TOKEN not in str(exchange)


def test_arguments_are_mirrored_where_the_schema_says_so_and_cannot_inject_headers() -> None:
    schema = {
        "type": "object",
        "properties": {"city": {"type": "string", "x-mcp-header": "City"}},
    }

    async def scene(conversation: HttpConversation) -> None:
        for city in ("Oslo", "a\r\nX-Evil: 1"):
            arguments = {"city": city}
            await conversation.call("c", "tools/call", {"name": "t", "arguments": arguments})

    _, hostile = talk(good, scene, tools={"t": schema})
    plain, hostile_value = hostile.requests
    assert plain.header("mcp-param-city") == "Oslo"
    assert str(hostile_value.header("mcp-param-city")).startswith("=?base64?")
    assert hostile_value.header("x-evil") is None


@pytest.mark.parametrize(
    "headers",
    [
        {"X-A": "a\r\nX-Evil: 1"},
        {"X-A\r\nX-Evil": "1"},
        {"X-A": "naïve"},
        {"X-A": ""},
        {"Host": "evil.example"},
        {"Content-Length": "0"},
        {"Mcp-Method": "x"},
        {"X A": "1"},
    ],
)
def test_headers_that_could_inject_or_override_are_refused(headers: dict[str, str]) -> None:
    with pytest.raises(Invalid) as caught:
        HttpEndpoint("http://example.com/", EgressRules(), headers)
    assert caught.value.reason_code == "HEADER_INVALID"
    assert "X-Evil: 1" not in str(caught.value.to_dict())


def test_an_event_stream_is_read_to_its_response() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        progress = b'{"jsonrpc":"2.0","method":"notifications/progress","params":{}}'
        body = b": hello\n\n" + events(progress, answer(request, 7), end=b"\r\n\r\n")
        writer.write(whole(body, "text/event-stream; charset=utf-8"))

    exchange, _ = talk(behaviour)
    assert exchange.result == 7
    assert [event["method"] for event in exchange.events] == ["notifications/progress"]
    assert exchange.note == ""


def test_an_event_that_only_names_its_place_is_no_broken_answer() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream", "connection: close") + b"id: 1\ndata: \n\n")
        writer.write(events(answer(request, {"ok": True})))
        writer.close()

    exchange, _ = talk(behaviour)
    assert (exchange.result, exchange.parse_error, exchange.events) == ({"ok": True}, "", ())


def test_a_stream_left_open_after_the_response_is_noted_not_waited_for() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream") + events(answer(request, 7)))
        await asyncio.Event().wait()

    exchange, _ = talk(behaviour, caps=Caps(sse_grace_s=0.1))
    assert exchange.result == 7
    assert exchange.failure is None
    assert "still open" in exchange.note


def test_streams_left_open_are_waited_for_once() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream") + events(answer(request, 7)))
        await asyncio.Event().wait()

    async def thrice(conversation: HttpConversation) -> list[Exchange]:
        return [await greeted(conversation) for _ in range(3)]

    exchanges, _ = talk(behaviour, thrice, caps=Caps(sse_grace_s=0.2))
    assert [exchange.result for exchange in exchanges] == [7, 7, 7]
    assert [exchange.note.startswith(STREAM_LEFT_OPEN) for exchange in exchanges] == [
        True,
        False,
        False,
    ]
    assert [exchange.elapsed_us >= 200_000 for exchange in exchanges] == [True, False, False]


@pytest.mark.parametrize("stays_open", [True, False])
def test_a_response_whose_event_never_ends_is_no_answer_and_is_kept(*, stays_open: bool) -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream", "connection: close"))
        writer.write(events(answer(request, 7), end=b"\n"))
        if stays_open:
            await asyncio.Event().wait()
        writer.close()

    exchange, _ = talk(behaviour, caps=Caps(call_s=0.3))
    assert exchange.message is None
    assert exchange.failure is (Failure.TIMEOUT if stays_open else None)
    assert (unended_response(exchange) or {})["result"] == 7


def test_a_stream_can_be_left_after_its_first_message_which_is_no_failure() -> None:
    left = asyncio.Event()

    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream") + events(b'{"jsonrpc":"2.0","method":"first"}'))
        await writer.drain()
        try:
            while not writer.is_closing():
                writer.write(b": here\n\n")
                await writer.drain()
                await asyncio.sleep(0.01)
        except ConnectionError:
            pass
        left.set()

    async def scene(conversation: HttpConversation) -> Exchange:
        patience = Patience(leaves=True, after_message_s=0.02)
        exchange = await conversation.call("x", "subscriptions/listen", patience=patience)
        await conversation.cancel("x")
        await left.wait()
        return exchange

    exchange, hostile = talk(behaviour, scene)
    assert (exchange.failure, exchange.message) == (None, None)
    assert exchange.note == "left after its first message"
    assert [event["method"] for event in exchange.events] == ["first"]
    assert len(hostile.requests) == 1


def test_an_endless_stream_without_a_response_times_out() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream"))
        while True:
            writer.write(b": ping\n\n")
            await writer.drain()
            await asyncio.sleep(0.01)

    exchange, _ = talk(behaviour, caps=Caps(call_s=1))
    assert exchange.failure is Failure.TIMEOUT
    assert exchange.status == 200
    assert exchange.body.startswith(": ping")


def test_an_endless_flood_of_events_is_cut() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream"))
        while True:
            writer.write(events(b'{"jsonrpc":"2.0","method":"notifications/message"}') * 100)
            await writer.drain()

    exchange, _ = talk(behaviour, caps=Caps(answer_bytes=100_000, events=5))
    assert exchange.failure is Failure.TOO_LARGE
    assert len(exchange.events) == 5


def test_an_event_without_its_blank_line_is_no_event() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(whole(events(answer(request, 7), end=b"\n"), "text/event-stream"))

    exchange, _ = talk(behaviour)
    assert exchange.message is None
    assert exchange.parse_error == "the event stream ended without a response"


@pytest.mark.parametrize("right_one_follows", [True, False])
def test_a_response_with_another_id_stands_until_the_right_one_comes(
    *, right_one_follows: bool
) -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        wrong = b'{"jsonrpc":"2.0","id":"1","result":"wrong"}'
        messages = [wrong, answer(request, "right")] if right_one_follows else [wrong]
        writer.write(whole(events(*messages), "text/event-stream"))

    exchange, _ = talk(behaviour)
    assert exchange.result == ("right" if right_one_follows else "wrong")
    assert len(exchange.events) == right_one_follows


async def hangs(request: Request, writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def slow_drip(request: Request, writer: asyncio.StreamWriter) -> None:
    body = answer(request, 7)
    writer.write(head("application/json", f"content-length: {len(body)}"))
    for byte in body:
        writer.write(bytes([byte]))
        await writer.drain()
        await asyncio.sleep(0.05)


async def closes_at_once(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.close()


async def closes_mid_answer(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("application/json", "content-length: 1000") + b'{"jsonrpc":"2.0","id":1,"re')
    await writer.drain()
    writer.close()


async def closes_mid_stream(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("text/event-stream", "transfer-encoding: chunked") + b"5\r\ndata:\r\n")
    await writer.drain()
    writer.close()


async def no_http(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
    await writer.drain()
    writer.close()


async def endless_headers(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n")
    while True:
        writer.write(b"x-a: " + b"b" * 1000 + b"\r\n")
        await writer.drain()


async def bad_chunks(request: Request, writer: asyncio.StreamWriter) -> None:
    writer.write(head("application/json", "transfer-encoding: chunked") + b"zz\r\n")


@pytest.mark.parametrize(
    ("behaviour", "failure"),
    [
        (hangs, Failure.TIMEOUT),
        (slow_drip, Failure.TIMEOUT),
        (closes_at_once, Failure.CLOSED),
        (closes_mid_answer, Failure.CLOSED),
        (closes_mid_stream, Failure.CLOSED),
        (no_http, Failure.CLOSED),
        (endless_headers, Failure.CLOSED),
        (bad_chunks, Failure.CLOSED),
    ],
    ids=lambda value: getattr(value, "__name__", str(value)),
)
def test_a_server_that_gives_no_complete_answer(behaviour: Behaviour, failure: Failure) -> None:
    patience = 0.5 if failure is Failure.TIMEOUT else 10
    exchange, _ = talk(behaviour, caps=Caps(call_s=patience))
    assert exchange.failure is failure
    assert exchange.note
    assert exchange.message is None


def test_what_came_before_the_end_is_kept() -> None:
    exchange, _ = talk(closes_mid_answer)
    assert exchange.status == 200
    assert exchange.body == '{"jsonrpc":"2.0","id":1,"re'


def test_thirty_megabytes_are_cut_at_the_cap() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("application/json", f"content-length: {30 << 20}"))
        for _ in range(30):
            writer.write(b"x" * (1 << 20))
            await writer.drain()

    exchange, _ = talk(behaviour, caps=Caps(answer_bytes=1 << 20, kept_bytes=1000))
    assert exchange.failure is Failure.TOO_LARGE
    assert len(exchange.body) == 1000


@pytest.mark.parametrize(
    ("body", "problem"),
    [
        (b"", "the body is empty"),
        (b"<html>", "JSON_SYNTAX"),
        (b'{"jsonrpc":"2.0","id":1,"result":{"a":1,"a":2}}', "JSON_DUPLICATE_KEY"),
        (b'{"jsonrpc":"2.0","id":1,"result":NaN}', "JSON_NOT_FINITE"),
        (b'{"jsonrpc":"2.0","id":1,"result":"\xff"}', "TEXT_NOT_UTF8"),
        (b'\xef\xbb\xbf{"jsonrpc":"2.0","id":1,"result":1}', "TEXT_BYTE_ORDER_MARK"),
        (b'{"jsonrpc":"2.0","id":1,"result":"\\ud800"}', "JSON_LONE_SURROGATE"),
        (b'[{"jsonrpc":"2.0","id":1,"result":1}]', "a JSON array is no JSON-RPC message"),
        (b'{"error":"invalid_token"}', "a JSON object that is no JSON-RPC response"),
        (b'{"message":"Too many requests","id":"req-7"}', "a JSON object that is no JSON-RPC"),
        (b'{"jsonrpc":"2.0","id":1}', "a JSON object that is no JSON-RPC response"),
        (b"[" * 100_000 + b"]" * 100_000, "JSON_TOO_DEEP"),
        (b'{"a":' * 20_000 + b"1" + b"}" * 20_000, "JSON_TOO_DEEP"),
    ],
)
def test_a_body_that_is_no_strict_message_says_why(body: bytes, problem: str) -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(whole(body))

    exchange, _ = talk(behaviour)
    assert exchange.message is None
    assert exchange.failure is None
    assert exchange.parse_error.startswith(problem)


def test_an_accepted_message_without_a_body_is_no_parse_error() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(whole(b"", status="202 Accepted"))

    exchange, _ = talk(behaviour)
    assert (exchange.status, exchange.message, exchange.parse_error) == (202, None, "")


def test_a_redirect_is_recorded_and_not_followed() -> None:
    async def scene(conversation: HttpConversation) -> Exchange:
        return await greeted(conversation)

    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        elsewhere = "location: http://169.254.169.254/latest/meta-data"
        writer.write(head("text/html", elsewhere, "content-length: 0", status="307 Moved"))

    exchange, hostile = talk(behaviour, scene)
    assert exchange.status == 307
    assert exchange.headers["location"] == "http://169.254.169.254/latest/meta-data"
    assert len(hostile.requests) == 1


def test_loopback_is_refused_without_the_operators_word_and_nothing_is_sent() -> None:
    exchange, hostile = talk(good, egress=EgressRules())
    assert exchange.failure is Failure.REFUSED_EGRESS
    assert exchange.note.startswith("EGRESS_ADDRESS_REFUSED")
    assert hostile.connections == 0


def test_a_name_is_resolved_once_and_the_connection_goes_to_the_judged_address(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A resolver that changes its mind (DNS rebinding) is not asked again."""
    asked: list[str] = []

    def resolver(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["127.0.0.1"] if len(asked) == 1 else ["127.0.0.2"]

    monkeypatch.setattr("workers.egress._getaddrinfo", resolver)

    async def run() -> tuple[list[Exchange], Hostile]:
        async with serve(good) as hostile:
            url = f"http://rebind.example:{hostile.port}/mcp"
            endpoint = HttpEndpoint(url, EgressRules(("127.0.0.1",)))
            terms = Terms("2026-07-28", Budget(), Redactor())
            async with HttpConversation(terms, endpoint) as conversation:
                return [await greeted(conversation) for _ in range(3)], hostile

    exchanges, hostile = asyncio.run(run())
    assert [exchange.failure for exchange in exchanges] == [None] * 3
    assert asked == ["rebind.example"]
    assert hostile.requests[0].header("host") == f"rebind.example:{hostile.port}"


def test_the_next_address_is_tried_when_nobody_listens_at_the_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("workers.egress._getaddrinfo", lambda host, port: ["::1", "127.0.0.1"])

    async def run() -> Exchange:
        async with serve(good) as hostile:
            endpoint = HttpEndpoint(
                f"http://two.example:{hostile.port}/", EgressRules(("two.example",))
            )
            async with HttpConversation(
                Terms("2026-07-28", Budget(), Redactor()), endpoint
            ) as conversation:
                return await greeted(conversation)

    assert asyncio.run(run()).failure is None


def test_proxies_of_the_environment_are_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    exchange, hostile = talk(good)
    assert exchange.failure is None
    assert len(hostile.requests) == 1


def test_connections_are_reused_within_a_conversation() -> None:
    async def scene(conversation: HttpConversation) -> list[Exchange]:
        return [await greeted(conversation) for _ in range(5)]

    _, hostile = talk(good, scene)
    assert len(hostile.requests) == 5
    assert hostile.connections == 1


def test_what_echoes_a_credential_is_masked_before_it_is_cut() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        token = str(request.header("authorization")).removeprefix("Bearer ")
        escaped = json.dumps("x" * 90 + token).replace("t", "\\u0074")
        body = f'{{"jsonrpc":"2.0","id":1,"result":{escaped}}}'.encode()
        cookie = f"set-cookie: sid={token}"
        writer.write(head("application/json", f"content-length: {len(body)}", cookie) + body)

    exchange, _ = talk(behaviour, headers={"Authorization": TOKEN}, caps=Caps(kept_bytes=130))
    assert exchange.result == "x" * 90 + "[redacted:credential]"
    assert exchange.headers["set-cookie"] == "[redacted]"
    assert "secret-token-1" not in str(exchange)


def test_a_legacy_session_is_kept_and_given_back() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        if request.line.startswith("DELETE"):
            writer.write(whole(b""))
        elif "id" not in request.message:
            writer.write(whole(b"", status="202 Accepted"))
        else:
            body = answer(request, {"protocolVersion": "2025-06-18"})
            session = "mcp-session-id: session-0123456789"
            length = f"content-length: {len(body)}"
            writer.write(head("application/json", length, session) + body)

    async def scene(conversation: HttpConversation) -> list[Exchange]:
        return [
            await conversation.greet("initialize"),
            await conversation.call("tools-list", "tools/list"),
            await conversation.greet("alive:x"),
        ]

    exchanges, hostile = talk(behaviour, scene, revision="2025-11-25")
    methods = [r.message["method"] for r in hostile.requests[:-1]]
    assert methods == ["initialize", "notifications/initialized", "tools/list", "ping"]
    assert hostile.requests[-1].line.startswith("DELETE")
    first, *later = hostile.requests
    assert first.header("mcp-protocol-version") is None
    assert {request.header("mcp-protocol-version") for request in later} == {"2025-06-18"}
    assert {request.header("mcp-session-id") for request in later} == {"session-0123456789"}
    assert all("session-0123456789" not in str(exchange) for exchange in exchanges)


def test_calls_that_overlap_from_the_first_share_their_connections() -> None:
    async def scene(conversation: HttpConversation) -> list[Exchange]:
        made = await asyncio.gather(*(greeted(conversation) for _ in range(4)))
        return [*made, await greeted(conversation)]

    exchanges, hostile = talk(good, scene)
    assert [exchange.failure for exchange in exchanges] == [None] * 5
    assert hostile.connections <= 4


def _signed(turn: str) -> str:
    """A token in the shape of a JWT: what servers sign their state as, and what is masked."""
    part = base64.urlsafe_b64encode(json.dumps({"turn": turn}).encode()).decode().rstrip("=")
    return f"{part}.{part}.c2lnbmF0dXJl"


def test_a_masked_request_state_goes_back_as_it_came_and_only_in_its_own_call() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        params = request.message["params"]
        if "requestState" in params:
            result = {"came": params["requestState"] == _signed(params["turn"])}
        else:
            result = {"resultType": "input_required", "requestState": _signed(params["turn"])}
        writer.write(whole(answer(request, result)))

    async def turn(conversation: HttpConversation, name: str) -> list[Exchange]:
        params = {"turn": name}
        asks = await conversation.call(f"suite:{name}", "tools/call", params)
        again = {**params, "requestState": asks.result["requestState"]}
        answers = await conversation.call(f"suite:{name}", "tools/call", again)
        after = await conversation.call(f"suite:{name}", "tools/call", again)
        return [asks, answers, after]

    async def scene(conversation: HttpConversation) -> list[list[Exchange]]:
        return await asyncio.gather(turn(conversation, "one"), turn(conversation, "two"))

    turns, _ = talk(behaviour, scene)
    for asks, answers, after in turns:
        assert asks.result["requestState"] == "[redacted:jwt]"
        assert answers.result == {"came": True}
        assert after.result == {"came": False}
        assert "eyJ" not in str([asks, answers, after])


def as_written(spell: Callable[[str, str], list[tuple[str, str]]]) -> Scene:
    async def scene(conversation: HttpConversation) -> Exchange:
        return await conversation.call("c", "server/discover", None, written=spell)

    return scene


def test_headers_are_written_as_a_stimulus_spells_them() -> None:
    lines: list[bytes] = []

    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        lines.extend(f"{name}: {value}".encode() for name, value in request.headers)
        writer.write(head("application/json", "transfer-encoding: chunked"))
        body = answer(request, {"ok": True})
        writer.write(b"%x;x=y\r\n%b\r\n0\r\n\r\n" % (len(body), body))

    def twice(name: str, value: str) -> list[tuple[str, str]]:
        return [(name, value), (name, "other")] if name == "mcp-method" else [(name, value)]

    exchange, hostile = talk(behaviour, as_written(twice), headers={"Authorization": TOKEN})
    assert exchange.result == {"ok": True}
    assert [line for line in lines if line.startswith(b"mcp-method")] == [
        b"mcp-method: server/discover",
        b"mcp-method: other",
    ]
    assert lines.count(f"host: 127.0.0.1:{hostile.port}".encode()) == 1
    assert TOKEN not in str(exchange)


@pytest.mark.parametrize(
    ("sent", "failure"),
    [
        (b"SSH-2.0-x\r\n\r\n", Failure.CLOSED),
        (b"", Failure.CLOSED),
        (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 20_000, Failure.CLOSED),
        (head("application/json", "content-length: 9") + b"{}", Failure.CLOSED),
        (head("application/json", "transfer-encoding: chunked") + b"zz\r\n", Failure.CLOSED),
        (head("application/json", "content-length: 90000") + b" " * 90_000, Failure.TOO_LARGE),
    ],
)
def test_what_answers_such_a_request_wrongly_ends_it(sent: bytes, failure: Failure) -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(sent)
        writer.close()

    plain = as_written(lambda name, value: [(name, value)])
    exchange, _ = talk(behaviour, plain, caps=Caps(answer_bytes=50_000))
    assert exchange.failure is failure


def test_nobody_there_is_nobody_there_however_headers_are_written() -> None:
    async def scene(conversation: HttpConversation) -> Exchange:
        return await conversation.call("c", "x", None, written=lambda name, value: [(name, value)])

    async def run() -> Exchange:
        async with serve(good) as hostile:
            url = hostile.url
        terms = Terms("2026-07-28", Budget(), Redactor([]))
        async with HttpConversation(terms, HttpEndpoint(url, LOOPBACK)) as conversation:
            return await scene(conversation)

    assert asyncio.run(run()).failure is Failure.UNREACHABLE


def test_of_an_answer_to_another_verb_only_the_head_is_read() -> None:
    async def behaviour(request: Request, writer: asyncio.StreamWriter) -> None:
        writer.write(head("text/event-stream"))

    async def scene(conversation: HttpConversation) -> Exchange:
        return await conversation.ask("verb:GET", "GET", timeout_s=5)

    exchange, hostile = talk(behaviour, scene)
    assert (exchange.status, exchange.failure) == (200, None)
    assert hostile.requests[0].line == "GET /mcp HTTP/1.1"
