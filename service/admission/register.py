"""Registering a candidate: one build put forward against one bundle digest, judged at once."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from bundles.canonical import semantic_digest
from bundles.digest import parse_digest
from bundles.errors import Conflict, Invalid, Refused
from service.admission import ids
from service.admission.desk import Desk, note, require, unknown
from service.admission.model import Candidate, Principal, State, Target
from service.admission.move import advance
from service.admission.policies import find_policy
from service.admission.record import touched
from service.admission.refusals import (
    ARTIFACT_NOT_PINNED,
    BUNDLE_UNKNOWN,
    CANDIDATE_VERSION_TAKEN,
    POLICY_UNKNOWN,
    VERSION_INVALID,
)
from service.admission.static_stage import judge_statically, write_static
from service.admission.storage import StoredBundle
from service.admission.targets import check_observed, checked_targets

_LONGEST_VERSION = 128
_SHOWN_PINS = 20


def register_candidate(
    desk: Desk,
    principal: Principal,
    *,
    bundle_digest: str,
    version: str,
    artifact_digest: str,
    targets: Sequence[Target],
    policy: str,
) -> tuple[Candidate, bool]:
    """See `Registry.register_candidate`."""
    require(principal, "candidates:write")
    parse_digest(bundle_digest)
    parse_digest(artifact_digest)
    _check_version(version)
    reached = checked_targets(targets)
    namespace = principal.namespace
    with desk.store.read() as unit:
        stored = unit.bundles.find(namespace, bundle_digest)
        if stored is None:
            raise unknown(BUNDLE_UNKNOWN, "bundle", bundle_digest)
        if find_policy(unit, namespace, policy) is None:
            raise unknown(POLICY_UNKNOWN, "policy", policy[:200])
        _check_pin(stored, artifact_digest)
        content = {
            "bundle_digest": bundle_digest,
            "version": version,
            "artifact_digest": artifact_digest,
            "targets": [_content(target) for target in reached],
            "policy": policy,
        }
        content_digest = semantic_digest(content)
        known = unit.candidates.by_content(namespace, content_digest)
        if known is not None:
            return known, False
    now = desk.clock.now()
    candidate = _new(
        principal,
        stored,
        version=version,
        artifact_digest=artifact_digest,
        targets=reached,
        policy=policy,
        now=now,
    )
    judged = judge_statically(desk, candidate, now)
    check_observed(judged.contract, reached)
    with desk.store.write() as unit:
        # one registration of a bundle at a time, so that a version names one build
        unit.bundles.find(namespace, bundle_digest, lock=True)
        other = unit.candidates.other_build(stored.id, version, artifact_digest)
        if other is not None:
            raise Conflict(
                CANDIDATE_VERSION_TAKEN,
                f"version {version} of this contract is another build",
                pointer="/version",
                seen=artifact_digest,
                expected=other,
            )
        if not unit.candidates.add(candidate, stored.id, content_digest):
            known = unit.candidates.by_content(namespace, content_digest)
            assert known is not None, "a candidate that could not be added is there"  # noqa: S101
            return known, False
        note(
            unit,
            namespace,
            actor=principal.token_id,
            action="candidate.register",
            subject=candidate.id,
            at=now,
            body=content,
        )
        write_static(desk, unit, judged, now)
        return advance(desk, unit, touched(unit, candidate, now), now), True


def _new(
    principal: Principal,
    stored: StoredBundle,
    *,
    version: str,
    artifact_digest: str,
    targets: tuple[Target, ...],
    policy: str,
    now: int,
) -> Candidate:
    return Candidate(
        id=ids.new_id(ids.CANDIDATE),
        namespace=principal.namespace,
        bundle_digest=stored.bundle.digest,
        contract_id=stored.bundle.contract_id,
        producer=stored.bundle.producer,
        version=version,
        artifact_digest=artifact_digest,
        targets=targets,
        policy=policy,
        state=State.DRAFT,
        state_version=0,
        inputs_version=0,
        route_enabled=True,
        needs_reverification=False,
        reopened_at=0,
        created_at=now,
        created_by=principal.token_id,
        updated_at=now,
    )


def _content(target: Target) -> dict[str, Any]:
    """What makes a target another one; without members that say nothing, so that a candidate keeps
    its identity when targets learn to say more.
    """
    content = asdict(target)
    instances = content.pop("instances")
    return content | ({"instances": list(instances)} if instances else {})


def _check_version(version: str) -> None:
    if not 1 <= len(version) <= _LONGEST_VERSION or not version.isprintable():
        raise Invalid(
            VERSION_INVALID,
            "the version cannot be used",
            pointer="/version",
            seen=version[:_LONGEST_VERSION],
            expected=f"1 to {_LONGEST_VERSION} printable characters",
        )


def _check_pin(stored: StoredBundle, artifact_digest: str) -> None:
    pins = stored.bundle.artifact_digests
    if pins and artifact_digest not in pins:
        raise Refused(
            ARTIFACT_NOT_PINNED,
            "the bundle pins other builds than this one",
            pointer="/artifact_digest",
            seen=artifact_digest,
            expected=list(pins[:_SHOWN_PINS]),
        )
