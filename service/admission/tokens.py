"""Tokens: made once, stored as a hash, remembered for a moment.

A token reads "bgt_<id><secret>": 32 hex digits that find its row, and 43 characters that carry 256
random bits. The stored SHA-256 of those is compared in constant time.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bundles.errors import Invalid, Unauthorised
from service.admission import ids
from service.admission.desk import Desk, known_id, note, require, unknown
from service.admission.model import Principal, TokenRecord
from service.admission.refusals import (
    NAMESPACE_UNKNOWN,
    SCOPE_UNKNOWN,
    TOKEN_EXPIRED,
    TOKEN_INVALID,
    TOKEN_LIFETIME_INVALID,
    TOKEN_UNKNOWN,
)
from service.admission.storage import StoredToken
from service.admission.words import name as checked_name

SCOPES = (
    "bundles:write",
    "candidates:write",
    "runs:write",
    "transitions:write",
    "evidence:read",
    "observations:write",
    "policies:write",
    "admin",
)
"""Every scope. `admin` includes the others; what none of them is needed for, any token may read."""

OWNER = "owner"
"""Actor in the audit log for the person with the database at hand."""

_TOKEN = re.compile(r"bgt_([0-9a-f]{32})([A-Za-z0-9_-]{43})")
_LONGEST_LIFE_S = 10 * 366 * 86_400
_MOST_REMEMBERED = 10_000
_USE_NOTED_EVERY_US = 60_000_000


@dataclass(frozen=True, slots=True)
class _Remembered:
    principal: Principal
    expires_at: int | None
    until: int


class Gatekeeper:
    """Authenticates bearers. One a process: it remembers tokens for `token_cache_s` seconds."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._remembered: dict[bytes, _Remembered] = {}

    def authenticate(self, bearer: str) -> Principal:
        """See `Registry.authenticate`."""
        now = self._desk.clock.now()
        key = hashlib.sha256(bearer.encode("utf-8", "replace")).digest()
        known = self._remembered.get(key)
        if known is None or known.until <= now:
            known = self._look_up(bearer, now)
            if len(self._remembered) >= _MOST_REMEMBERED:
                self._remembered.clear()
            self._remembered[key] = known
        if known.expires_at is not None and known.expires_at <= now:
            raise Unauthorised(TOKEN_EXPIRED, "the token is past its expiry", seen=known.expires_at)
        return known.principal

    def _look_up(self, bearer: str, now: int) -> _Remembered:
        parts = _TOKEN.fullmatch(bearer)
        stored = None
        if parts is not None:
            with self._desk.store.read() as unit:
                stored = unit.tokens.get(f"{ids.TOKEN}_{parts[1]}")
        if (
            parts is None
            or stored is None
            or not hmac.compare_digest(stored.secret_hash, _hash(parts[2]))
            or stored.record.revoked_at is not None
        ):
            raise Unauthorised(TOKEN_INVALID, "the token is not one that is in force")
        record = stored.record
        # At most one write a minute for each token, so that reading stays reading.
        if record.last_used_at is None or record.last_used_at <= now - _USE_NOTED_EVERY_US:
            with self._desk.store.write() as unit:
                unit.tokens.used(record.id, now)
        principal = Principal(record.id, record.name, record.namespace, frozenset(record.scopes))
        until = now + self._desk.terms.token_cache_s * 1_000_000
        return _Remembered(principal, record.expires_at, until)


def create_token(
    desk: Desk,
    principal: Principal | None,
    *,
    name: str,
    namespace: str,
    scopes: Sequence[str],
    expires_in_s: int | None,
) -> tuple[str, TokenRecord]:
    """See `Registry.create_token`."""
    if principal is not None:
        require(principal, "admin")
        if namespace != principal.namespace:
            raise unknown(NAMESPACE_UNKNOWN, "namespace", namespace[:200])
    foreign = sorted(set(scopes) - set(SCOPES))
    if foreign or not scopes:
        raise Invalid(
            SCOPE_UNKNOWN,
            "a token needs at least one scope, and only known ones",
            pointer="/scopes",
            seen=foreign,
            expected=list(SCOPES),
        )
    if expires_in_s is not None and not 0 < expires_in_s <= _LONGEST_LIFE_S:
        raise Invalid(
            TOKEN_LIFETIME_INVALID,
            "no token lives that long",
            pointer="/expires_in_s",
            seen=expires_in_s,
            expected=f"1 to {_LONGEST_LIFE_S} seconds, or none",
        )
    now = desk.clock.now()
    record = TokenRecord(
        id=ids.new_id(ids.TOKEN),
        name=checked_name(name, "the token's name", "/name"),
        namespace=checked_name(namespace, "the namespace", "/namespace"),
        scopes=tuple(s for s in SCOPES if s in scopes),
        created_at=now,
        expires_at=None if expires_in_s is None else now + expires_in_s * 1_000_000,
        revoked_at=None,
        last_used_at=None,
    )
    secret = secrets.token_urlsafe(32)
    actor = OWNER if principal is None else principal.token_id
    with desk.store.write() as unit:
        unit.tokens.ensure_namespace(namespace, now)
        unit.tokens.add(StoredToken(record, _hash(secret)), actor)
        body = {"name": name, "scopes": list(record.scopes), "expires_at": record.expires_at}
        note(
            unit,
            namespace,
            actor=actor,
            action="token.create",
            subject=record.id,
            at=now,
            body=body,
        )
    return f"bgt_{record.id.removeprefix(f'{ids.TOKEN}_')}{secret}", record


def list_tokens(desk: Desk, principal: Principal) -> list[TokenRecord]:
    """See `Registry.list_tokens`."""
    require(principal, "admin")
    with desk.store.read() as unit:
        return unit.tokens.all(principal.namespace)


def revoke_token(desk: Desk, principal: Principal, token_id: str) -> TokenRecord:
    """See `Registry.revoke_token`."""
    require(principal, "admin")
    known_id(ids.TOKEN, token_id, TOKEN_UNKNOWN, "token")
    now = desk.clock.now()
    with desk.store.write() as unit:
        stored = unit.tokens.get(token_id)
        if stored is None or stored.record.namespace != principal.namespace:
            raise unknown(TOKEN_UNKNOWN, "token", token_id)
        if stored.record.revoked_at is not None:
            return stored.record
        unit.tokens.revoke(token_id, now)
        note(
            unit,
            principal.namespace,
            actor=principal.token_id,
            action="token.revoke",
            subject=token_id,
            at=now,
        )
    return replace(stored.record, revoked_at=now)


def _hash(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("ascii")).digest()
