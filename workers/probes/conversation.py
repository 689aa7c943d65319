"""What every transport has in common: build the request, bound the wait, record what came back.

A conversation never raises for what a server does. It judges nothing: an odd answer is recorded as
it came, redacted.
"""

import asyncio
import base64
import hashlib
import hmac
import time
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Self

from bundles.mcp import wire
from bundles.mcp.client import Client
from bundles.transcript import Exchange, Failure
from workers.budget import Budget
from workers.probes.mirror import mirrored_headers
from workers.probes.redact import Redactor
from workers.probes.request_state import RequestStates

# longer than any credential: one that straddles the cut is masked before the cut
_CUT_MARGIN = 16 << 10
_ACCEPT = "application/json, text/event-stream"


@dataclass(frozen=True, slots=True)
class Terms:
    """What the conversations of one observation share.

    Attributes:
        tools: inputSchema by tool name, learned from tools/list: a modern client mirrors arguments
            into headers where a schema says so.
        digest_key: key of the raw digests, b"" for none.
        client: who asks, by the profile.
    """

    revision: str
    budget: Budget
    redactor: Redactor
    digest_key: bytes = b""
    tools: dict[str, Any] = field(default_factory=dict)
    client: Client = field(default_factory=Client)


HeaderLine = tuple[str, str]
Written = Callable[[str, str], Sequence[HeaderLine]]
"""How one header is written on the wire: the lines it becomes, names and values as they go out."""


@dataclass(frozen=True, slots=True)
class Sent:
    """One stimulus ready for the wire.

    `request_id` is None for bytes without an id; bytes that are no well-formed request may have one
    and may still be answered to nobody. `lines` are the header lines where their spelling is the
    stimulus, and `verb` is the HTTP method; stdio has neither. Of some answers only the head is
    wanted (`head_only`): the body of a stream has no end.
    """

    probe: str
    body: bytes
    headers: dict[str, str]
    request_id: wire.JsonRpcId | None
    is_request: bool
    lines: tuple[HeaderLine, ...] = ()
    verb: str = "POST"
    head_only: bool = False


class TooMuchToRead(Exception):
    """A message that is not read, because nobody knows how much memory it would take."""


class Patience:
    """How long an answer is waited for, which may end sooner: when the caller has seen enough.

    Args:
        leaves: a wait cut short is no failure, since nobody expects an answer any more.
        after_message_s: seconds after the first message that is no answer, when it is enough;
            None for never.

    Attributes:
        ended: what the caller saw, "" where the wait was not cut short.
    """

    def __init__(self, *, leaves: bool = False, after_message_s: float | None = None) -> None:
        self.ended = ""
        self._leaves = leaves
        self._after_message_s = after_message_s
        self._limit: asyncio.Timeout | None = None

    @property
    def left(self) -> bool:
        """True where the caller went away on purpose."""
        return self._leaves and bool(self.ended)

    def heard(self) -> None:
        """A message came that is no answer."""
        if self._after_message_s is not None and not self.ended:
            self.end_in(self._after_message_s, "left after its first message")

    @asynccontextmanager
    async def within(self, seconds: float) -> AsyncIterator[None]:
        """At most so many seconds.

        Raises:
            TimeoutError: they are over, or it was ended.
        """
        async with asyncio.timeout(seconds) as limit:
            self._limit = limit
            try:
                yield
            finally:
                self._limit = None

    def end_in(self, seconds: float, why: str) -> None:
        """Wait no longer than this from now; nothing where nobody waits any more."""
        if self._limit is not None:
            self.ended = why
            sooner = asyncio.get_running_loop().time() + seconds
            self._limit.reschedule(min(self._limit.when() or sooner, sooner))


@dataclass(slots=True)
class Answer:
    """What has come back so far; filled while it arrives, so that a timeout keeps its part."""

    status: int | None = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytearray = field(default_factory=bytearray)
    message: dict[str, Any] | None = None
    parse_error: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    failure: Failure | None = None
    note: str = ""
    patience: Patience = field(default_factory=Patience)

    def fail(self, failure: Failure, note: str) -> None:
        """There is no answer, and why."""
        self.failure, self.note = failure, note


class Conversation(ABC):
    """A `Session` (see `workers.probes.session`) over one transport in one revision.

    Attributes:
        greeting: what came back for discover or initialize, None before either was asked.
        noise: stdout lines of a launched server that are no messages: [{"probe", "line"}], masked,
            each cut, the first ones; empty over HTTP.
        listed: the pages of tools/list that opening it took; empty where it took none.
        states: each requestState that came, where what is recorded of it is masked.
    """

    def __init__(self, terms: Terms) -> None:
        self.terms = terms
        self._legacy = terms.revision == wire.LEGACY
        self._version = terms.revision
        self._session_id = ""
        self._greeted = False
        self._next_id = 0
        self.states = RequestStates()
        self.greeting: Exchange | None = None
        self.noise: list[dict[str, str]] = []
        self.listed: Sequence[Exchange] = ()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    @property
    def dead(self) -> bool:
        """True when no further call can be answered and a new conversation is needed."""
        return False

    @property
    def stderr_tail(self) -> str:
        """The last of what a launched server wrote to stderr, masked; "" over HTTP."""
        return ""

    @property
    def exit_code(self) -> int | None:
        """Exit code of a launched server that ended (128 + n by signal n), else None."""
        return None

    @property
    def _starting(self) -> bool:
        """True while the server may still be loading its program."""
        return False

    @abstractmethod
    async def close(self) -> None:
        """End the conversation; never raises for what the server does."""

    @abstractmethod
    async def _transact(self, sent: Sent, answer: Answer) -> None:
        """Send, and fill the answer until it is complete. Cancelled when the time is up."""

    @abstractmethod
    async def _notify(self, message: Mapping[str, Any]) -> None:
        """Send a notification."""

    @abstractmethod
    async def cancel(self, request_id: wire.JsonRpcId) -> None:
        """Say that a request is no longer wanted, where leaving its answer has not said so."""

    def turn_to(self, revision: str) -> None:
        """Speak another revision from now on; for a server that refused the first one."""
        self.terms = replace(self.terms, revision=revision)
        self._legacy = revision == wire.LEGACY
        self._version = revision
        self._session_id = ""
        self._greeted = False

    async def greet(self, probe: str, headers: Mapping[str, str | None] | None = None) -> Exchange:
        """The well-formed first request of the revision, or one more of its kind.

        2026-07-28: server/discover. 2025-11-25: the handshake, and `ping` once that is done.
        """
        if not self._legacy:
            self.greeting = await self.call(probe, "server/discover", headers=headers)
            return self.greeting
        if self._greeted:
            return await self.call(probe, "ping", headers=headers)
        handshake = self.terms.client.initialize_params()
        exchange = await self.call(probe, "initialize", handshake, headers=headers)
        self.greeting = exchange
        if isinstance(exchange.result, dict):
            self._greeted = True
            version = exchange.result.get("protocolVersion")
            self._version = version if isinstance(version, str) else wire.LEGACY
            await self._notify(wire.initialized_notification())
        return exchange

    async def call(
        self,
        probe: str,
        method: str,
        params: Mapping[str, Any] | None = None,
        *,
        timeout_s: float | None = None,
        headers: Mapping[str, str | None] | None = None,
        raw: bytes | None = None,
        request_id: wire.JsonRpcId | None = None,
        patience: Patience | None = None,
        written: Written | None = None,
    ) -> Exchange:
        """See `workers.probes.session.Session.call`.

        `patience` lets the caller end the wait; `written` spells the headers over HTTP.
        """
        if request_id is None:
            self._next_id += 1
            request_id = self._next_id
        if self._legacy:
            message = wire.legacy_request(method, params, request_id)
        else:
            message = wire.modern_request(method, self.terms.client.introduced(params), request_id)
        sent_headers = self._headers(message, headers or {})
        recorded: dict[str, Any] = {"method": method}
        if raw is None:
            recorded.update({k: message[k] for k in ("params", "id") if k in message})
            body = wire.encode(self.states.restored(probe, message))
            lines = _lines(sent_headers, written)
            sent = Sent(probe, body, sent_headers, request_id, is_request=True, lines=lines)
        else:
            recorded["raw"] = base64.b64encode(raw).decode()
            sent = Sent(probe, raw, sent_headers, None, is_request=False)
        exchange = await self._bounded(method, sent, recorded, timeout_s, patience)
        self.states.belongs(request_id, probe)
        return exchange

    async def post(
        self,
        probe: str,
        body: bytes,
        *,
        method: str,
        answered_to: wire.JsonRpcId | None,
        timeout_s: float,
        patience: Patience | None = None,
        headers: Mapping[str, str | None] | None = None,
    ) -> Exchange:
        """Send bytes that are no request as it should be, and wait for what is said to them.

        Args:
            probe: id of the stimulus, recorded.
            body: what is sent (on stdio, a newline is added).
            method: whose headers go with it over HTTP, as of a well-formed request.
            answered_to: the id in the bytes, None where they have none an answer could carry.
            timeout_s: seconds to wait.
            patience: lets the caller end the wait before that.
            headers: HTTP headers to add or, with the value None, to leave out.
        """
        build = wire.legacy_request if self._legacy else wire.modern_request
        sent_headers = self._headers(build(method, None, 0), headers or {})
        recorded = {"method": method, "raw": base64.b64encode(body).decode()}
        sent = Sent(probe, body, sent_headers, answered_to, is_request=False)
        return await self._bounded(method, sent, recorded, timeout_s, patience)

    async def _bounded(
        self,
        method: str,
        sent: Sent,
        recorded: dict[str, Any],
        timeout_s: float | None,
        patience: Patience | None = None,
    ) -> Exchange:
        budget = self.terms.budget
        patience = patience or Patience()
        answer = Answer(patience=patience)
        refusal = budget.refusal(method, own_timeout=timeout_s is not None)
        if refusal:
            answer.fail(Failure.BUDGET, refusal)
            return self._exchange(sent, recorded, answer, 0)
        seconds = budget.begin(timeout_s, starting=self._starting)
        began = time.monotonic_ns()
        try:
            async with patience.within(seconds):
                await self._transact(sent, answer)
        except TimeoutError:
            why = patience.ended or f"no complete answer within {seconds:.1f} s"
            if patience.left:
                answer.note = why
            else:
                answer.fail(Failure.TIMEOUT, why)
            if timeout_s is None:
                budget.timed_out(method)
        elapsed = time.monotonic_ns() - began
        return self._exchange(sent, recorded, answer, elapsed // 1000)

    def _exchange(
        self, sent: Sent, recorded: dict[str, Any], answer: Answer, elapsed_us: int
    ) -> Exchange:
        redactor = self.terms.redactor
        kept = self.terms.budget.caps.kept_bytes
        if sent.headers:
            recorded["headers"] = self._masked_request(sent.headers)
        head = bytes(answer.raw[: kept + _CUT_MARGIN]).decode("utf-8", "backslashreplace")
        return Exchange(
            probe=sent.probe,
            seq=0,
            request=recorded,
            status=answer.status,
            headers=redactor.headers(answer.headers),
            body=redactor.text(head)[:kept],
            message=answer.message,
            parse_error=redactor.text(answer.parse_error),
            events=tuple(answer.events),
            failure=answer.failure,
            note=redactor.text(answer.note),
            elapsed_us=elapsed_us,
            raw_digest=self._digest(answer.raw),
        )

    def _masked_request(self, headers: dict[str, str]) -> dict[str, str]:
        return self.terms.redactor.headers(headers)

    def _digest(self, raw: bytearray) -> str:
        key = self.terms.digest_key
        return hmac.new(key, raw, hashlib.sha256).hexdigest() if key else ""

    def _headers(
        self, message: Mapping[str, Any], overrides: Mapping[str, str | None]
    ) -> dict[str, str]:
        """HTTP headers of a request, lower-case names; stdio has none."""
        del message, overrides
        return {}

    def _protocol_headers(self, message: Mapping[str, Any]) -> dict[str, str]:
        headers = {"content-type": "application/json", "accept": _ACCEPT}
        if not self._legacy:
            return headers | mirrored_headers(message, self.terms.tools)
        if message["method"] != "initialize":
            headers["mcp-protocol-version"] = self._version
            if self._session_id:
                headers["mcp-session-id"] = self._session_id
        return headers

    def _read(self, data: bytes) -> tuple[dict[str, Any] | None, str]:
        """Read one message and mask the credentials in it.

        Raises:
            TooMuchToRead: it could take more memory than is left.
        """
        if why := self.terms.budget.unaffordable(data):
            raise TooMuchToRead(why)
        message, problem = wire.read_message(data)
        self.terms.budget.spend_parsed(message)
        if message is not None and self.terms.redactor.touches(data):
            plain, message = message, self.terms.redactor.value(message)
            self.states.keep(plain, message)
        return message, problem

    def _keep_event(self, answer: Answer, message: dict[str, Any]) -> None:
        answer.patience.heard()
        if len(answer.events) < self.terms.budget.caps.events:
            answer.events.append(message)


def _lines(headers: Mapping[str, str], written: Written | None) -> tuple[HeaderLine, ...]:
    if written is None:
        return ()
    return tuple(line for name, value in headers.items() for line in written(name, value))
