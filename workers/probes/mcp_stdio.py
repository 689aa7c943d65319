"""MCP over stdio, raw: one message a line, everything else on stdout is noise and recorded.

One conversation is one process of its own: SDK servers fix the protocol era on the first request,
and a hostile stimulus must not spoil the next one.
"""

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from bundles.errors import BundlegateError
from bundles.mcp import wire
from bundles.mcp.probes import LARGER_THAN
from bundles.transcript import Failure
from workers.endpoints import StdioEndpoint
from workers.probes.conversation import Answer, Conversation, Sent, Terms, TooMuchToRead
from workers.spawn import Candidate, start

_CHUNK = 64 << 10
# an exit follows the end of stdout at once, or it is no exit
_EXIT_S = 0.2
_NOISE_LINES = 100
_NOISE_CHARS = 500


@dataclass(slots=True)
class _Waiting:
    """A call whose answer has not come."""

    sent: Sent
    answer: Answer
    done: asyncio.Event = field(default_factory=asyncio.Event)


class StdioConversation(Conversation):
    """One process of a candidate, spoken to over its pipes.

    Attributes:
        hurried: end it without waiting for it to see the end of its stdin.
    """

    def __init__(self, terms: Terms, endpoint: StdioEndpoint) -> None:
        super().__init__(terms)
        self._endpoint = endpoint
        self._candidate: Candidate | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: list[_Waiting] = []
        self._stray: list[dict[str, Any]] = []
        self._unanswered_bytes = 0
        self._given_up: set[wire.JsonRpcId] = set()
        self._ignored: set[wire.JsonRpcId] = set()
        self._spoke = False
        self._over = ""
        self._first_probe = ""
        self.hurried = False

    async def __aenter__(self) -> Self:
        try:
            self._candidate = await start(self._endpoint)
        except BundlegateError as error:
            self._over = str(error)
        else:
            self._reading = asyncio.create_task(self._read_lines(self._candidate))
        return self

    async def close(self) -> None:
        """Stop the process and whatever it started."""
        if self._reading is not None:
            self._reading.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._reading
        if self._candidate is not None:
            await self._candidate.stop(busy=bool(self._given_up) or self.hurried)

    @property
    def ending(self) -> dict[str, Any] | None:
        """How the process ended, once closed: an entry of `CONTEXT_ENDINGS`; None without one."""
        candidate = self._candidate
        if candidate is None or candidate.parting is None:
            return None
        how, left = candidate.parting.value, candidate.left_behind
        return {"probe": self._first_probe, "how": how, "left": left}

    async def cancel(self, request_id: wire.JsonRpcId) -> None:
        """Send notifications/cancelled for a request."""
        await self._notify(wire.cancelled_notification(request_id))

    @property
    def dead(self) -> bool:
        """True once the process ended or closed its stdout."""
        return bool(self._over)

    @property
    def _starting(self) -> bool:
        return not self._spoke

    @property
    def stderr_tail(self) -> str:
        """The last of what the process wrote to stderr, masked."""
        if self._candidate is None:
            return ""
        tail = self._candidate.stderr_tail().decode("utf-8", "backslashreplace")
        return self.terms.redactor.text(tail)

    @property
    def exit_code(self) -> int | None:
        """Exit code of the process once it ended, 128 + n by signal n."""
        return None if self._candidate is None else self._candidate.exit_code

    async def _transact(self, sent: Sent, answer: Answer) -> None:
        if self._candidate is None or self._over:
            answer.fail(Failure.UNREACHABLE, self._over)
            return
        waiting = _Waiting(sent, answer)
        self._first_probe = self._first_probe or sent.probe
        self._waiting.append(waiting)
        answer.events.extend(self._stray)
        self._stray.clear()
        try:
            self._candidate.stdin.write(sent.body + b"\n")
            await self._candidate.stdin.drain()
            await waiting.done.wait()
        except (ConnectionError, RuntimeError) as error:
            # RuntimeError: the transport is closing, which is how asyncio says it is too late
            answer.fail(Failure.CLOSED, f"it no longer reads its stdin: {error}")
        finally:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
                self._give_up(sent, left=answer.patience.left)

    def _give_up(self, sent: Sent, *, left: bool) -> None:
        """Nobody waits for the answer any more, which may still come.

        Where the caller left and says so, the server is not busy with it.
        """
        if sent.is_request and sent.request_id is not None and not left:
            self._given_up.add(sent.request_id)
            return
        self._unanswered_bytes += not left
        if sent.request_id is not None:
            self._ignored.add(sent.request_id)

    async def _notify(self, message: Mapping[str, Any]) -> None:
        if self._candidate is not None and not self._over:
            self._candidate.stdin.write(wire.encode(message) + b"\n")

    async def _read_lines(self, candidate: Candidate) -> None:
        """Read stdout to its end, or until the bytes of the observation are used up."""
        caps = self.terms.budget.caps
        held: list[bytes] = []
        size = 0
        while chunk := await candidate.stdout.read(_CHUNK):
            self.terms.budget.spend(len(chunk))
            *lines, rest = chunk.split(b"\n")
            for line in lines:
                if size + len(line) <= caps.answer_bytes:
                    self._take_line(b"".join(held) + line)
                elif size <= caps.answer_bytes:
                    self._too_long(b"".join(held))
                held, size = [], 0
            if size <= caps.answer_bytes < size + len(rest):
                self._too_long(b"".join(held))
            size += len(rest)
            if size <= caps.answer_bytes:
                held.append(rest)
            else:
                held = []  # the rest of the line is read away, not kept
            if self.terms.budget.exhausted_bytes:
                self._end(Failure.TOO_LARGE, "the bytes of this observation are used up")
                return
        if any(held):
            self._take_unfinished(b"".join(held))
        code = await candidate.exit_within(_EXIT_S)
        why = "it closed its stdout" if code is None else f"it ended with exit code {code}"
        self._end(Failure.CLOSED, why)

    def _take_line(self, line: bytes) -> None:
        try:
            message, problem = self._read(line.removesuffix(b"\r"))
        except TooMuchToRead as error:
            self._too_much(line, str(error))
            return
        if message is not None and wire.is_jsonrpc(message):
            self._spoke = True
            if wire.is_response(message):
                self._take_response(line, message)
            else:
                self._to_latest(message)
        elif (waiting := self._addressed()) is not None and _meant_as_message(line):
            waiting.answer.parse_error = problem or "a JSON object that is no JSON-RPC message"
            self._answer(waiting, line, None)
        else:
            self._take_noise(line)

    def _addressed(self) -> _Waiting | None:
        """Who an unreadable answer is for: the one that waits, or the one that sent no request."""
        no_requests = [waiting for waiting in self._waiting if not waiting.sent.is_request]
        for candidates in (self._waiting, no_requests):
            if len(candidates) == 1:
                return candidates[0]
        return None

    def _take_unfinished(self, line: bytes) -> None:
        """A last line without its end: a message all the same, or an answer cut short."""
        try:
            message, problem = self._read(line)
        except TooMuchToRead as error:
            self._too_much(line, str(error))
            return
        if (message is not None and wire.is_jsonrpc(message)) or len(self._waiting) != 1:
            self._take_line(line)
        else:
            self._waiting[0].answer.raw += line
            self._waiting[0].answer.parse_error = problem

    def _take_response(self, line: bytes, message: dict[str, Any]) -> None:
        received = message.get("id")
        for waiting in self._waiting:
            wanted = waiting.sent.request_id
            if wanted is not None and wire.same_id(wanted, received):
                self._answer(waiting, line, message)
                return
        no_requests = [waiting for waiting in self._waiting if not waiting.sent.is_request]
        if received is None and len(no_requests) == 1:
            self._answer(no_requests[0], line, message)  # a well-formed request has an id to name
        elif received is None and self._unanswered_bytes:
            self._unanswered_bytes -= 1  # the late refusal of bytes nobody waits for any more
            self._to_latest(message)
        elif len(self._waiting) == 1 and not self._belongs_to_earlier(received):
            self._answer(self._waiting[0], line, message)
        else:
            if isinstance(received, int | str):
                self._given_up.discard(received)
            self._to_latest(message)

    def _belongs_to_earlier(self, received: object) -> bool:
        """True for the id of a call of ours that was given up, or of bytes that got no answer."""
        if isinstance(received, str):
            return received in self._ignored
        return isinstance(received, int) and 0 < received <= self._next_id

    def _answer(self, waiting: _Waiting, line: bytes, message: dict[str, Any] | None) -> None:
        waiting.answer.raw += line
        waiting.answer.message = message
        self._waiting.remove(waiting)
        waiting.done.set()

    def _take_noise(self, line: bytes) -> None:
        if len(self.noise) < _NOISE_LINES:
            probe = self._waiting[-1].sent.probe if self._waiting else ""
            text = line.decode("utf-8", "backslashreplace")
            masked = self.terms.redactor.text(text)[:_NOISE_CHARS]
            self.noise.append({"probe": probe, "line": masked})

    def _too_long(self, head: bytes) -> None:
        if not self._waiting:
            self._take_noise(head[:_CHUNK])
            return
        caps = self.terms.budget.caps
        self._too_much(head, f"{LARGER_THAN} {caps.answer_bytes} bytes")

    def _too_much(self, head: bytes, why: str) -> None:
        """The answer that somebody waits for, or whatever it is, is not read."""
        if not self._waiting:
            self._end(Failure.TOO_LARGE, why)
            return
        waiting = self._waiting[0]
        waiting.answer.fail(Failure.TOO_LARGE, why)
        self._answer(waiting, head, None)

    def _to_latest(self, message: dict[str, Any]) -> None:
        """Keep a message that answers nobody with the call it came during, or the next one."""
        if self._waiting:
            self._keep_event(self._waiting[-1].answer, message)
        elif len(self._stray) < self.terms.budget.caps.events:
            self._stray.append(message)

    def _end(self, failure: Failure, why: str) -> None:
        self._over = why
        for waiting in self._waiting:
            waiting.answer.fail(failure, why)
            waiting.done.set()
        self._waiting.clear()


def _meant_as_message(line: bytes) -> bool:
    """True for a line that looks like an answer, or a batch of them, rather than like a log."""
    begins = line.removeprefix(b"\xef\xbb\xbf").lstrip()[:1]
    return begins in (b"{", b"[") and b'"jsonrpc"' in line
