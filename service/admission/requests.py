"""Idempotency-Key: the same request under the same key gives the same thing again."""

from bundles.errors import Conflict, Invalid
from service.admission.refusals import IDEMPOTENCY_KEY_INVALID, IDEMPOTENCY_KEY_REUSED
from service.admission.storage import KeptRequest, Unit

_LONGEST = 255


def checked_key(key: str | None) -> str | None:
    """A key of 1 to 255 printable ASCII characters, or none.

    Raises:
        Invalid: IDEMPOTENCY_KEY_INVALID.
    """
    if key is None or (0 < len(key) <= _LONGEST and key.isascii() and key.isprintable()):
        return key
    raise Invalid(
        IDEMPOTENCY_KEY_INVALID,
        "the Idempotency-Key cannot be used",
        seen=key[:_LONGEST],
        expected="1 to 255 printable ASCII characters",
    )


def made_before(
    unit: Unit, namespace: str, key: str | None, kept: KeptRequest, at: int
) -> str | None:
    """Take a key for a request, first thing in the transaction that makes `kept.subject`.

    Returns:
        None for a new key, or none: go on. Else what the same request made before: make nothing.

    Raises:
        Conflict: IDEMPOTENCY_KEY_REUSED: the key belongs to another request.
    """
    if key is None or unit.journal.keep_request(namespace, key, kept, at):
        return None
    return _agreed(unit.journal.request(namespace, key), kept)


def made_already(unit: Unit, namespace: str, key: str | None, kept: KeptRequest) -> str | None:
    """What the same request made before, by a look that takes no key: None goes on to the work.

    Raises:
        Conflict: IDEMPOTENCY_KEY_REUSED.
    """
    before = None if key is None else unit.journal.request(namespace, key)
    return None if before is None else _agreed(before, kept)


def _agreed(before: KeptRequest | None, kept: KeptRequest) -> str:
    if before is None or (before.action, before.request_digest) != (
        kept.action,
        kept.request_digest,
    ):
        raise Conflict(
            IDEMPOTENCY_KEY_REUSED,
            "the Idempotency-Key belongs to another request",
            seen=None if before is None else {"action": before.action, "made": before.subject},
            expected={"action": kept.action},
        )
    return before.subject
