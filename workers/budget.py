"""What one observation of one target may cost: time, bytes and calls, all bounded.

One `Budget` is made for each `observe`: its circuit breaker is about that target alone.
"""

import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MIB = 1 << 20

BREAK_AFTER = 2
"""Timeouts of one method after which it is not called again: a server that never answers would
otherwise cost the full wait for every stimulus."""


VALUE_BYTES = {b",": 72, b"[": 96, b"{": 256}
"""Memory a parsed value may take, by the byte that announces it: three bytes of `{},` become an
object, and seven of `{"a":1}` two hundred and more. Measured on CPython."""

WIDEST = 4
"""Bytes of memory a character takes in a text that has one outside ASCII."""

MESSAGE_BYTES = 256
"""What one message or line counts beside its bytes: reading an empty one takes time as well."""

START_FACTOR = 3
"""How many times `call_s` the first answer of a process may take: it loads its program first."""


@dataclass(frozen=True, slots=True)
class Caps:
    """Bounds of an observation. Times in seconds, sizes in bytes.

    Attributes:
        run_s: the whole observation.
        call_s: one call, where the caller says nothing else.
        answer_bytes: one body, event stream or stdout line; more is cut off and said so.
        kept_bytes: text of one answer kept in the transcript.
        total_bytes: all answers together: their bytes, what they take in memory once they are read,
            and `MESSAGE_BYTES` each.
        calls: stimuli sent.
        events: notifications and other messages kept for one call.
        sse_grace_s: how long an event stream may stay open after its response.
    """

    run_s: float = 600.0
    call_s: float = 10.0
    answer_bytes: int = 10 * MIB
    kept_bytes: int = 256 << 10
    total_bytes: int = 96 * MIB
    calls: int = 20_000
    events: int = 100
    sse_grace_s: float = 1.0


class Budget:
    """Counts what is spent and says when to stop. Not thread-safe; one event loop owns it."""

    def __init__(
        self, caps: Caps | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.caps = caps or Caps()
        self._clock = clock
        self._deadline = clock() + self.caps.run_s
        self._calls = 0
        self._bytes = 0
        self._timeouts: Counter[str] = Counter()
        self._stream_stayed_open = False

    def remaining_s(self) -> float:
        """Seconds until the deadline of the observation, never negative."""
        return max(0.0, self._deadline - self._clock())

    @property
    def exhausted_bytes(self) -> bool:
        """True when the bytes of the whole observation are used up."""
        return self._bytes >= self.caps.total_bytes

    def refusal(self, method: str, *, own_timeout: bool = False) -> str:
        """Why a call of a method is not to be sent, "" when it is.

        A call with a timeout of its own (a suite's case) does not obey the circuit breaker: its
        author said how long to wait, and each case stands for itself.
        """
        if not own_timeout and self._timeouts[method] >= BREAK_AFTER:
            return f"{method} timed out {BREAK_AFTER} times and is not called again"
        if self.remaining_s() <= 0:
            return f"the {self.caps.run_s:.0f} s of this observation are used up"
        if self._calls >= self.caps.calls:
            return f"the {self.caps.calls} calls of this observation are used up"
        if self.exhausted_bytes:
            return f"the {self.caps.total_bytes} bytes of this observation are used up"
        return ""

    def begin(self, timeout_s: float | None, *, starting: bool = False) -> float:
        """Count a call; the seconds it may take, bounded by what the observation has left.

        Args:
            timeout_s: what its caller wants, None for `call_s`.
            starting: the server is a process that has not said anything yet.
        """
        self._calls += 1
        usual = self.caps.call_s * (START_FACTOR if starting else 1)
        return min(usual if timeout_s is None else timeout_s, self.remaining_s())

    def spend(self, size: int) -> None:
        """Count bytes received."""
        self._bytes += size

    def unaffordable(self, message: bytes) -> str:
        """Why a message is not to be read, "" when it is: it could take more memory than is left.

        An upper bound, since it is asked before anything is made of the bytes; commas and brackets
        inside of texts count as well.
        """
        wide = not message.isascii() or b"\\u" in message
        bound = len(message) * (WIDEST if wide else 1)
        bound += sum(message.count(sign) * size for sign, size in VALUE_BYTES.items())
        if bound <= self.caps.total_bytes - self._bytes:
            return ""
        return f"reading its {len(message)} bytes may take more memory than this observation has"

    def spend_parsed(self, document: Any) -> None:
        """Count what a message took once it was read: the memory of its values, and some time."""
        self._bytes += MESSAGE_BYTES
        left = [document]
        while left:
            value = left.pop()
            self._bytes += sys.getsizeof(value)
            if isinstance(value, dict):
                left.extend(value)
                left.extend(value.values())
            elif isinstance(value, list):
                left.extend(value)

    @property
    def stream_grace_s(self) -> float:
        """How long an event stream may stay open after its response: waited for once."""
        return 0.0 if self._stream_stayed_open else self.caps.sse_grace_s

    def stream_stayed_open(self) -> None:
        """One stream did not end in its grace, and the others need not show it again."""
        self._stream_stayed_open = True

    def timed_out(self, method: str) -> None:
        """Count a timeout of a method towards its circuit breaker."""
        self._timeouts[method] += 1
