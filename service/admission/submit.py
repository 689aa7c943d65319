"""Submitting a bundle: read within limits, pin the digest, judge, store. Nothing of it is stored
when it is unreadable, unsafe, unpinned or secret-bearing.
"""

from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO

from bundles.archive import read_archive
from bundles.check import Finding, Outcome
from bundles.contract import Contract
from bundles.digest import raw_digest
from bundles.errors import Conflict
from bundles.plan import HARNESS_VERSION
from bundles.static import findings_of, judge_bundle, refusal_of
from bundles.verdict import Stage
from service.admission import ids
from service.admission.desk import Desk, note, require
from service.admission.evidence import stage_verdict
from service.admission.gate import STATIC_PROFILE
from service.admission.model import Bundle, Principal, Submission
from service.admission.refusals import CONTRACT_VERSION_TAKEN
from service.admission.requests import checked_key, made_before
from service.admission.storage import FindingRow, KeptRequest, StoredBundle, Unit

ACTION = "bundle.submit"
_SHOWN_PATHS = 50


def submit_bundle(
    desk: Desk, principal: Principal, archive: BinaryIO, *, idempotency_key: str | None
) -> Submission:
    """See `Registry.submit_bundle`."""
    require(principal, "bundles:write")
    key = checked_key(idempotency_key)
    contract = Contract.read(read_archive(archive))
    known = _known(desk, principal.namespace, contract.digest)
    if known is not None and key is None:
        return known
    outcomes = judge_bundle(contract)
    refusal = refusal_of(outcomes)
    if refusal is not None:
        raise refusal
    now = desk.clock.now()
    stored = _stored(contract, outcomes, principal, now)
    digests = {path: raw_digest(content) for path, content in contract.files.items()}
    kept = KeptRequest(ACTION, contract.digest, contract.digest)
    with desk.store.write() as unit:
        made_before(unit, principal.namespace, key, kept, now)
        created = unit.bundles.add(stored, contract.files, digests)
        if created:
            findings = findings_of(outcomes)
            unit.bundles.add_findings(finding_rows(findings, now, bundle_id=stored.id))
            note(
                unit,
                principal.namespace,
                actor=principal.token_id,
                action=ACTION,
                subject=contract.digest,
                at=now,
                body={
                    "contract_id": stored.bundle.contract_id,
                    "static": stored.bundle.static_verdict,
                },
            )
            return _shown(stored, [f.to_dict() for f in findings], created=True)
        _refuse_taken_version(unit, stored, digests)
    known = _known(desk, principal.namespace, contract.digest)
    assert known is not None, "a bundle that could not be added is there"  # noqa: S101
    return known


def rejudge(unit: Unit, namespace: str, digest: str, outcomes: Sequence[Outcome], now: int) -> None:
    """Put the verdict of this harness in place of another one's; the other findings stay on file.

    While two versions run side by side they take turns here: each keeps its findings once.
    """
    stored = unit.bundles.find(namespace, digest, lock=True)
    assert stored is not None, "a bundle that was judged is there"  # noqa: S101
    if stored.bundle.harness_version == HARNESS_VERSION:
        return
    unit.bundles.rejudge(
        stored.id,
        HARNESS_VERSION,
        stage_verdict(outcomes).value,
        [outcome.to_dict() for outcome in outcomes],
    )
    if not unit.bundles.findings(stored.id, HARNESS_VERSION):
        unit.bundles.add_findings(finding_rows(findings_of(outcomes), now, bundle_id=stored.id))


def finding_rows(
    findings: Sequence[Finding],
    now: int,
    *,
    bundle_id: str | None = None,
    run_id: str | None = None,
    stage: str = Stage.STATIC.value,
    profile: str = STATIC_PROFILE,
) -> list[FindingRow]:
    """Findings as rows; their ids keep their order."""
    return [
        FindingRow(
            id=ids.new_id(ids.FINDING),
            bundle_id=bundle_id,
            run_id=run_id,
            stage=stage,
            profile=profile,
            harness_version=HARNESS_VERSION,
            check_id=finding.check_id,
            reason_code=finding.reason_code,
            severity=finding.severity.value,
            document=finding.to_dict(),
            created_at=now,
        )
        for finding in findings
    ]


def _known(desk: Desk, namespace: str, digest: str) -> Submission | None:
    with desk.store.read() as unit:
        stored = unit.bundles.find(namespace, digest)
        if stored is None:
            return None
        findings = unit.bundles.findings(stored.id, stored.bundle.harness_version)
    return _shown(stored, findings, created=False)


def _shown(
    stored: StoredBundle, findings: Sequence[Mapping[str, Any]], *, created: bool
) -> Submission:
    return Submission(stored.bundle, created, stored.outcomes, tuple(findings))


def _stored(
    contract: Contract, outcomes: Sequence[Outcome], principal: Principal, now: int
) -> StoredBundle:
    manifest = contract.manifest
    bundle = Bundle(
        digest=contract.digest,
        namespace=principal.namespace,
        contract_id=manifest.contract_id,
        contract_version=manifest.contract_version,
        producer=manifest.producer,
        artifact_digests=manifest.artifact_digests,
        protocol=dict(manifest.protocol),
        size=sum(len(content) for content in contract.files.values()),
        file_count=len(contract.files),
        static_verdict=stage_verdict(outcomes).value,
        harness_version=HARNESS_VERSION,
        created_at=now,
        created_by=principal.token_id,
    )
    shown = tuple(outcome.to_dict() for outcome in outcomes)
    return StoredBundle(ids.new_id(ids.BUNDLE), bundle, shown)


def _refuse_taken_version(unit: Unit, ours: StoredBundle, digests: Mapping[str, str]) -> None:
    bundle = ours.bundle
    theirs = unit.bundles.by_contract(bundle.namespace, bundle.contract_id, bundle.contract_version)
    if theirs is None or theirs.bundle.digest == bundle.digest:
        return
    raise Conflict(
        CONTRACT_VERSION_TAKEN,
        f"{bundle.contract_id} {bundle.contract_version} was submitted before with other content",
        seen={"digest": bundle.digest, **_difference(unit.bundles.digests(theirs.id), digests)},
        expected={"digest": theirs.bundle.digest},
    )


def _difference(old: Mapping[str, str], new: Mapping[str, str]) -> dict[str, Any]:
    """What differs, by path; the first fifty of each kind and how many more there are."""
    changes = {
        "added": sorted(new.keys() - old.keys()),
        "removed": sorted(old.keys() - new.keys()),
        "changed": sorted(path for path in old.keys() & new.keys() if old[path] != new[path]),
    }
    shown: dict[str, Any] = {kind: paths[:_SHOWN_PATHS] for kind, paths in changes.items()}
    hidden = sum(len(paths[_SHOWN_PATHS:]) for paths in changes.values())
    return {**shown, "more": hidden} if hidden else shown
