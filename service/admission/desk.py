"""What every use case has at hand, and the few things all of them do with it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bundles.errors import Forbidden, NotFound
from service.admission import ids
from service.admission.model import AuditEntry, Principal
from service.admission.ports import Clock, RunQueue, Signer, Terms
from service.admission.refusals import SCOPE_MISSING
from service.admission.storage import Store, Unit


@dataclass(frozen=True, slots=True)
class Desk:
    """The ports, wired once in a composition root."""

    store: Store
    signer: Signer
    clock: Clock
    queue: RunQueue
    terms: Terms


def require(principal: Principal, scope: str) -> None:
    """Let a principal pass that was granted a scope.

    Raises:
        Forbidden: SCOPE_MISSING.
    """
    if not principal.may(scope):
        raise Forbidden(
            SCOPE_MISSING,
            f"this needs the scope {scope}",
            seen=sorted(principal.scopes),
            expected=scope,
        )


def unknown(code: str, what: str, seen: str) -> NotFound:
    """No such thing, or one of another namespace: the same words for both."""
    return NotFound(code, f"there is no such {what} here", seen=seen)


def known_id(prefix: str, text: str, code: str, what: str) -> str:
    """An id in its one spelling.

    Raises:
        NotFound: `code`; what is not an id names nothing.
    """
    if not ids.is_id(prefix, text):
        raise unknown(code, what, text[:200])
    return text


def note(
    unit: Unit,
    namespace: str,
    *,
    actor: str,
    action: str,
    subject: str,
    at: int,
    body: Mapping[str, Any] | None = None,
) -> None:
    """Append to the audit log, in the transaction of the write it is about."""
    entry = AuditEntry(ids.new_id(ids.AUDIT), at, actor, action, subject, body or {})
    unit.journal.add(namespace, entry)
