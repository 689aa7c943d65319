"""The one root of every refusal this product makes, and its shallow tree.

Every refusal carries a reason code, where, what was seen, what was expected, and the next step.
`service.api.problems` translates the tree to HTTP in one place, the command to exit codes.
"""

from collections.abc import Sequence
from typing import Any


class BundlegateError(Exception):
    """A refusal with a reason.

    Attributes:
        reason_code: a code of `bundles.reasons`.
        detail: one sentence for a person.
        path: file or archive entry the refusal is about, "" where there is none.
        pointer: RFC 6901 JSON pointer inside that document, "" for its root.
        line: 1-based line in the file, where one is known.
        seen, expected: what was met and what would have been accepted (plain JSON values).
        next_steps: what the reader can do now; never empty.
    """

    def __init__(
        self,
        reason_code: str,
        detail: str,
        *,
        path: str = "",
        pointer: str = "",
        line: int | None = None,
        seen: object = None,
        expected: object = None,
        next_steps: Sequence[str] = (),
    ) -> None:
        super().__init__(f"{reason_code}: {detail}")
        self.reason_code = reason_code
        self.detail = detail
        self.path = path
        self.pointer = pointer
        self.line = line
        self.seen = seen
        self.expected = expected
        self.next_steps = tuple(next_steps) or _default_steps(reason_code)

    def to_dict(self) -> dict[str, Any]:
        """The refusal as plain JSON, empty members left out, for CLI JSON and Problem Details."""
        members = {
            "reason_code": self.reason_code,
            "detail": self.detail,
            "path": self.path or None,
            "pointer": self.pointer or None,
            "line": self.line,
            "seen": self.seen,
            "expected": self.expected,
            "next_steps": list(self.next_steps),
        }
        return {name: value for name, value in members.items() if value is not None}


def _default_steps(reason_code: str) -> tuple[str, ...]:
    from bundles.reasons import next_step  # noqa: PLC0415 - reasons may raise our errors

    return (next_step(reason_code),)


class Refused(BundlegateError):
    """Input that is unreadable, unsafe, unpinned or secret-bearing (HTTP 422, exit 2)."""


class LimitExceeded(Refused):
    """A size, count or depth limit was exceeded (HTTP 413 for whole bodies, else 422; exit 2)."""


class Invalid(BundlegateError):
    """A well-read request that asks for something that makes no sense (HTTP 400, exit 2)."""


class NotFound(BundlegateError):
    """No such thing in this namespace (HTTP 404, exit 2)."""


class Conflict(BundlegateError):
    """The state is not what the caller expected, or the key is taken (HTTP 409, exit 1)."""


class Unauthorised(BundlegateError):
    """No valid credentials (HTTP 401, exit 5)."""


class Forbidden(BundlegateError):
    """Valid credentials that do not allow this (HTTP 403, exit 5)."""


class Unreachable(BundlegateError):
    """The service, the broker or the candidate could not be reached (HTTP 503, exit 4)."""
