"""Which policy decides about a candidate: a stored version, or the one built in."""

from collections.abc import Mapping
from typing import Any

from bundles.errors import Conflict
from service.admission.desk import Desk, note, require, unknown
from service.admission.model import Candidate, PolicyRecord, Principal
from service.admission.policy import DEFAULT_POLICY, Policy, read_policy
from service.admission.refusals import POLICY_ALTERED, POLICY_UNKNOWN
from service.admission.storage import Unit
from service.admission.words import name as checked_name
from service.admission.words import storable

DEFAULT = "default"
"""The policy every namespace has from the start, until it stores one of that name."""

_BUILT_IN = PolicyRecord(
    name=DEFAULT,
    digest=read_policy(DEFAULT_POLICY).digest,
    document=DEFAULT_POLICY,
    current=True,
    created_at=0,
    created_by="built in",
)

_MOST_READ = 256
_read: dict[str, Policy] = {}


def find_policy(unit: Unit, namespace: str, name: str) -> PolicyRecord | None:
    """The version of a policy that decides now."""
    stored = unit.policies.current(namespace, name) if storable(name) else None
    return stored or (_BUILT_IN if name == DEFAULT else None)


def policy_of(unit: Unit, candidate: Candidate) -> PolicyRecord:
    """The policy of a candidate; its name was known when the candidate was registered."""
    found = find_policy(unit, candidate.namespace, candidate.policy)
    if found is None:
        raise unknown(POLICY_UNKNOWN, "policy", candidate.policy)
    return found


def stored_digest_or_built_in(name: str, stored: str | None) -> str | None:
    """The digest of the version that decides, when the stored one's is known."""
    return stored or (_BUILT_IN.digest if name == DEFAULT else None)


def read_stored(record: PolicyRecord) -> Policy:
    """A policy as the gate takes it, read once for each digest.

    Raises:
        Conflict: POLICY_ALTERED, the document in the database is not the one its digest names.
    """
    known = _read.get(record.digest)
    if known is None:
        if len(_read) >= _MOST_READ:
            _read.clear()
        policy = read_policy(record.document)
        if policy.digest != record.digest:
            raise Conflict(
                POLICY_ALTERED,
                f"the stored document of policy {record.name} is not the one that was put",
                seen=policy.digest,
                expected=record.digest,
            )
        known = _read[record.digest] = policy
    return known


def get_policy(desk: Desk, principal: Principal, name: str) -> PolicyRecord:
    """See `Registry.get_policy`."""
    with desk.store.read() as unit:
        found = find_policy(unit, principal.namespace, name)
    if found is None:
        raise unknown(POLICY_UNKNOWN, "policy", name[:200])
    return found


def list_policies(desk: Desk, principal: Principal) -> list[PolicyRecord]:
    """See `Registry.list_policies`."""
    with desk.store.read() as unit:
        stored = {record.name: record for record in unit.policies.all_current(principal.namespace)}
    return [record for _, record in sorted({DEFAULT: _BUILT_IN, **stored}.items())]


def put_policy(
    desk: Desk, principal: Principal, name: str, document: Mapping[str, Any]
) -> tuple[PolicyRecord, bool]:
    """See `Registry.put_policy`."""
    require(principal, "policies:write")
    checked_name(name, "the policy's name", "/name")
    policy = read_policy(document)
    now = desk.clock.now()
    record = PolicyRecord(
        name=name,
        digest=policy.digest,
        document=document,
        current=False,
        created_at=now,
        created_by=principal.token_id,
    )
    with desk.store.write() as unit:
        unit.policies.lock(principal.namespace)
        before = unit.policies.current(principal.namespace, name)
        if before is not None and before.digest == policy.digest:
            return before, False
        created = unit.policies.keep(principal.namespace, record)
        unit.policies.make_current(principal.namespace, name, policy.digest)
        note(
            unit,
            principal.namespace,
            actor=principal.token_id,
            action="policy.put",
            subject=name,
            at=now,
            body={"digest": policy.digest, "before": None if before is None else before.digest},
        )
        current = unit.policies.current(principal.namespace, name)
    assert current is not None, "the version just made current is there"  # noqa: S101
    return current, created
