"""MCP over Streamable HTTP, raw: the transport below the client, so nothing is repaired.

No environment proxies, no redirects, no cookies, no decompression: the transport is used directly
and has none of them. A connection goes to an address the egress rules judged (`workers.egress`),
with Host and SNI of the name.
"""

import asyncio
import ssl
from collections.abc import Mapping
from functools import cache
from typing import Any

import httpx2

from bundles.errors import BundlegateError, Refused
from bundles.mcp import wire
from bundles.mcp.event_stream import EventStream
from bundles.mcp.probes import LARGER_THAN, STREAM_LEFT_OPEN
from bundles.transcript import Exchange, Failure
from workers.egress import Pinned, check_url
from workers.endpoints import HttpEndpoint
from workers.probes.conversation import Answer, Conversation, Sent, Terms, TooMuchToRead
from workers.probes.exact_http import send_exactly
from workers.probes.redact import MASK

_CONNECTIONS = 128
# shorter than servers keep idle connections (5 s is common), so that none is closed as we use it
_KEEPALIVE_S = 2.0
_CLOSE_S = 1.0


class HttpConversation(Conversation):
    """One client of one endpoint, with connections of its own."""

    def __init__(self, terms: Terms, endpoint: HttpEndpoint) -> None:
        super().__init__(terms)
        self._endpoint = endpoint
        self._credentials = {name.lower(): value for name, value in endpoint.headers.items()}
        self._opening = asyncio.Lock()
        self._pinned: Pinned | None = None
        self._url: httpx2.URL | None = None
        self._transport: httpx2.AsyncHTTPTransport | None = None

    async def close(self) -> None:
        """Give a legacy session back to the server, and close the connections."""
        if self._transport is None:
            return
        try:
            if self._session_id:
                async with asyncio.timeout(_CLOSE_S):
                    await self._end_session()
        except (TimeoutError, httpx2.TransportError):
            pass  # a courtesy: a server that does not take it has said so by its silence
        finally:
            await self._transport.aclose()

    def _headers(
        self, message: Mapping[str, Any], overrides: Mapping[str, str | None]
    ) -> dict[str, str]:
        headers: dict[str, str | None] = {
            **self._protocol_headers(message),
            **self._credentials,
            **{name.lower(): value for name, value in overrides.items()},
        }
        return {name: value for name, value in headers.items() if value is not None}

    def _masked_request(self, headers: dict[str, str]) -> dict[str, str]:
        masked = self.terms.redactor.headers(headers)
        return masked | dict.fromkeys(self._credentials.keys() & headers.keys(), MASK)

    async def _transact(self, sent: Sent, answer: Answer) -> None:
        try:
            response = await self._sent(sent)
        except Refused as refusal:
            answer.fail(Failure.REFUSED_EGRESS, str(refusal))
            return
        except (BundlegateError, httpx2.ConnectError) as error:
            answer.fail(Failure.UNREACHABLE, str(error) or type(error).__name__)
            return
        except httpx2.TransportError as error:
            answer.fail(Failure.CLOSED, f"{type(error).__name__}: {error}")
            return
        answer.status = response.status_code
        for name, value in response.headers.multi_items():
            known = answer.headers.get(name)
            answer.headers[name] = value if known is None else f"{known}, {value}"
        if self._legacy and "mcp-session-id" in answer.headers:
            self._session_id = answer.headers["mcp-session-id"]
        if sent.head_only:
            await response.aclose()
            return
        try:
            await self._receive(sent, answer, response)
        except TooMuchToRead as error:
            answer.fail(Failure.TOO_LARGE, str(error))
        except httpx2.TransportError as error:
            if answer.message is None:
                answer.fail(Failure.CLOSED, f"{type(error).__name__}: {error}")
            else:
                answer.note = f"after the response: {type(error).__name__}: {error}"
        finally:
            await response.aclose()

    async def ask(self, probe: str, verb: str, *, timeout_s: float) -> Exchange:
        """Ask the endpoint with another HTTP method than POST; of the answer, only the head."""
        wanted = {"method": verb}
        version = {} if self._legacy else {"mcp-protocol-version": self._version}
        headers = {"accept": "text/event-stream", **version, **self._credentials}
        sent = Sent(probe, b"", headers, None, is_request=False, verb=verb, head_only=True)
        return await self._bounded(verb, sent, wanted, timeout_s)

    @property
    def origin(self) -> str:
        """Origin of a page that the endpoint's own address would serve."""
        destination = check_url(self._endpoint.url)
        return f"{destination.scheme}://{destination.host_header}"

    @property
    def on_loopback(self) -> bool | None:
        """Whether the endpoint is on this very machine, None before it was asked anything."""
        if self._pinned is None:
            return None
        return all(address.is_loopback for address in self._pinned.addresses)

    async def _notify(self, message: Mapping[str, Any]) -> None:
        headers = self._headers(message, {})
        try:
            async with asyncio.timeout(self.terms.budget.caps.call_s):
                response = await self._send("POST", headers, wire.encode(message))
                await response.aclose()
        except (TimeoutError, BundlegateError, httpx2.TransportError):
            pass  # a notification has no answer; whether the session works shows at the next call

    async def cancel(self, request_id: wire.JsonRpcId) -> None:
        """Nothing: the stream of the request was closed, which says it."""

    async def _end_session(self) -> None:
        headers = self._headers({"method": "DELETE"}, {"content-type": None})
        response = await self._send("DELETE", headers, b"")
        await response.aclose()

    async def _sent(self, sent: Sent) -> httpx2.Response:
        if not sent.lines:
            return await self._send(sent.verb, sent.headers, sent.body)
        await self._open()
        assert self._pinned is not None  # noqa: S101 - `_open` has pinned
        where = self._pinned.destination.url_at(self._pinned.addresses[0])
        request = self._request(sent.verb, self._url or httpx2.URL(where), {}, sent.body)
        own = [(n, v) for n, v in request.headers.multi_items() if n not in sent.headers]
        tls = _tls() if self._pinned.destination.scheme == "https" else None
        return await send_exactly(request, (*own, *sent.lines), tls)

    async def _open(self) -> None:
        async with self._opening:  # calls may overlap; the address is judged once
            if self._transport is None:
                self._pinned = await self._endpoint.egress.pin(self._endpoint.url)
                self._transport = _transport(self._pinned.destination.scheme)

    async def _send(self, verb: str, headers: dict[str, str], body: bytes) -> httpx2.Response:
        await self._open()
        assert self._transport is not None  # noqa: S101 - `_open` has made it
        if self._url is not None:
            return await self._transport.handle_async_request(
                self._request(verb, self._url, headers, body)
            )
        return await self._send_first(verb, headers, body)

    async def _send_first(self, verb: str, headers: dict[str, str], body: bytes) -> httpx2.Response:
        """Find the address that answers; a family without a route is tried once."""
        assert self._pinned is not None  # noqa: S101 - `_send` has pinned
        assert self._transport is not None  # noqa: S101
        failed: httpx2.ConnectError | None = None
        for address in self._pinned.addresses:
            url = httpx2.URL(self._pinned.destination.url_at(address))
            try:
                response = await self._transport.handle_async_request(
                    self._request(verb, url, headers, body)
                )
            except httpx2.ConnectError as error:
                failed = error
                continue
            self._url = url
            return response
        raise failed or httpx2.ConnectError("no address")

    def _request(
        self, verb: str, url: httpx2.URL, headers: dict[str, str], body: bytes
    ) -> httpx2.Request:
        assert self._pinned is not None  # noqa: S101
        destination = self._pinned.destination
        return httpx2.Request(
            verb,
            url,
            headers={
                "host": destination.host_header,
                "accept-encoding": "identity",
                "user-agent": _USER_AGENT,
                **headers,
            },
            content=body,
            extensions={"sni_hostname": destination.host},
        )

    async def _receive(self, sent: Sent, answer: Answer, response: httpx2.Response) -> None:
        content_type = answer.headers.get("content-type", "").partition(";")[0].strip().lower()
        if content_type == "text/event-stream":
            await self._receive_events(sent, answer, response)
            return
        if not await self._receive_body(answer, response):
            return
        if answer.raw:
            message, answer.parse_error = self._read(bytes(answer.raw))
            if message is not None and not wire.is_answer(message):
                # what stands before a server refuses in JSON too, and says nothing for the server
                message, answer.parse_error = None, "a JSON object that is no JSON-RPC response"
            answer.message = message
        elif answer.status not in (202, 204):
            answer.parse_error = "the body is empty"

    async def _receive_body(self, answer: Answer, response: httpx2.Response) -> bool:
        async for chunk in response.aiter_raw():
            if not self._take(answer, chunk):
                return False
        return True

    async def _receive_events(self, sent: Sent, answer: Answer, response: httpx2.Response) -> None:
        """Read events until the response came and the stream ended, or its grace was over."""
        stream = EventStream()
        budget = self.terms.budget
        loop = asyncio.get_running_loop()
        try:
            async with asyncio.timeout(None) as grace:
                async for chunk in response.aiter_raw():
                    if not self._take(answer, chunk):
                        return
                    for event in stream.feed(chunk):
                        if self._take_event(sent, answer, event) and grace.when() is None:
                            grace.reschedule(loop.time() + budget.stream_grace_s)
        except TimeoutError:
            if budget.stream_grace_s > 0:  # else nobody waited to see it end
                grace_s = budget.caps.sse_grace_s
                answer.note = f"{STREAM_LEFT_OPEN} {grace_s:.0f} s after the response"
            budget.stream_stayed_open()
        if answer.message is None and not answer.parse_error:
            answer.parse_error = "the event stream ended without a response"

    def _take_event(self, sent: Sent, answer: Answer, event: bytes) -> bool:
        """Record one event; True when it is a response.

        A response with another id than was sent stands for the answer until the right one comes.
        Empty data is no message: servers begin a stream with it, to name its first event.
        """
        if not event:
            return False
        message, problem = self._read(event)
        if message is None:
            answer.parse_error = answer.parse_error or problem
            return False
        if not wire.is_response(message):
            self._keep_event(answer, message)
            return False
        held = answer.message
        if held is None:
            answer.message = message
        elif _answers(sent, message) and not _answers(sent, held):
            answer.message = message
            self._keep_event(answer, held)
        else:
            self._keep_event(answer, message)
        return True

    def _take(self, answer: Answer, chunk: bytes) -> bool:
        """Keep a chunk; False when the cap is reached and the rest is left unread."""
        caps = self.terms.budget.caps
        room = caps.answer_bytes - len(answer.raw)
        answer.raw += chunk[:room]
        self.terms.budget.spend(len(chunk))
        if len(chunk) > room:
            answer.fail(Failure.TOO_LARGE, f"{LARGER_THAN} {caps.answer_bytes} bytes")
        elif self.terms.budget.exhausted_bytes:
            answer.fail(Failure.TOO_LARGE, "the bytes of this observation are used up")
        return answer.failure is None


def _answers(sent: Sent, message: Mapping[str, Any]) -> bool:
    return sent.request_id is not None and wire.same_id(sent.request_id, message.get("id"))


_USER_AGENT = f"bundlegate/{wire.CLIENT_INFO['version']}"


@cache
def _tls() -> ssl.SSLContext:
    return httpx2.create_ssl_context(trust_env=False)


def _transport(scheme: str) -> httpx2.AsyncHTTPTransport:
    return httpx2.AsyncHTTPTransport(
        verify=_tls() if scheme == "https" else False,
        trust_env=False,
        limits=httpx2.Limits(
            max_connections=_CONNECTIONS,
            max_keepalive_connections=_CONNECTIONS,
            keepalive_expiry=_KEEPALIVE_S,
        ),
    )
