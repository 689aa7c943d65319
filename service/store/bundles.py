"""Bundles, their files as content-addressed blobs, and findings."""

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from service.admission.model import Bundle
from service.admission.storage import FindingRow, StoredBundle
from service.store import tables
from service.store.rows import (
    equal,
    insert_unless_taken,
    newest_first,
    record_of,
    values_of,
)

_bundle, _file, _blob, _finding = (
    tables.bundle,
    tables.bundle_file,
    tables.blob,
    tables.finding,
)


class BundleRows:
    """Implements `service.admission.storage.Bundles`."""

    def __init__(self, connection: sa.Connection) -> None:
        self._connection = connection

    def add(
        self, stored: StoredBundle, files: Mapping[str, bytes], digests: Mapping[str, str]
    ) -> bool:
        """Store a bundle with its files; False if its digest or contract version is taken."""
        values = values_of(
            stored.bundle,
            id=stored.id,
            artifact_digests=list(stored.bundle.artifact_digests),
            outcomes=list(stored.outcomes),
        )
        statement = insert_unless_taken(_bundle, self._connection).values(values)
        if not self._connection.execute(statement.returning(_bundle.c.id)).all():
            return False
        add_blobs(self._connection, {digests[path]: content for path, content in files.items()})
        self._connection.execute(
            sa.insert(_file),
            [{"bundle_id": stored.id, "path": path, "digest": digests[path]} for path in files],
        )
        return True

    def rejudge(
        self, bundle_id: str, harness_version: str, verdict: str, outcomes: Sequence[Any]
    ) -> None:
        """Put the static outcomes of another harness version in place of the old ones."""
        self._connection.execute(
            sa.update(_bundle)
            .where(_bundle.c.id == bundle_id)
            .values(
                harness_version=harness_version, static_verdict=verdict, outcomes=list(outcomes)
            )
        )

    def find(self, namespace: str, digest: str, *, lock: bool = False) -> StoredBundle | None:
        """A bundle by digest."""
        statement = sa.select(_bundle).where(
            _bundle.c.namespace == namespace, _bundle.c.digest == digest
        )
        return self._one(statement.with_for_update() if lock else statement)

    def by_contract(self, namespace: str, contract_id: str, version: str) -> StoredBundle | None:
        """The bundle that was submitted under a contract version."""
        return self._one(
            sa.select(_bundle).where(
                _bundle.c.namespace == namespace,
                _bundle.c.contract_id == contract_id,
                _bundle.c.contract_version == version,
            )
        )

    def _one(self, statement: sa.Select[Any]) -> StoredBundle | None:
        row = self._connection.execute(statement).mappings().one_or_none()
        return None if row is None else _stored(row)

    def page(
        self,
        namespace: str,
        *,
        contract_id: str | None,
        producer: str | None,
        digest: str | None,
        before: str | None,
        limit: int,
    ) -> list[StoredBundle]:
        """Bundles with ids below `before`, newest first."""
        wanted = equal(
            _bundle,
            namespace=namespace,
            contract_id=contract_id,
            producer=producer,
            digest=digest,
        )
        statement = newest_first(sa.select(_bundle).where(*wanted), _bundle.c.id, before, limit)
        return [_stored(row) for row in self._connection.execute(statement).mappings()]

    def digests(self, bundle_id: str) -> dict[str, str]:
        """Path → raw digest of its file."""
        statement = sa.select(_file.c.path, _file.c.digest).where(_file.c.bundle_id == bundle_id)
        return {row.path: row.digest for row in self._connection.execute(statement)}

    def file(self, bundle_id: str, path: str) -> bytes | None:
        """One file."""
        return self._connection.execute(
            sa.select(_blob.c.content)
            .join(_file, _file.c.digest == _blob.c.digest)
            .where(_file.c.bundle_id == bundle_id, _file.c.path == path)
        ).scalar()

    def files(self, bundle_id: str) -> dict[str, bytes]:
        """Every file, sorted by the UTF-8 bytes of its path."""
        rows = self._connection.execute(
            sa.select(_file.c.path, _blob.c.content)
            .join(_blob, _file.c.digest == _blob.c.digest)
            .where(_file.c.bundle_id == bundle_id)
        )
        return dict(sorted(((p, c) for p, c in rows), key=lambda entry: entry[0].encode()))

    def add_findings(self, rows: Sequence[FindingRow]) -> None:
        """Store findings, of bundles or of runs."""
        if rows:
            self._connection.execute(sa.insert(_finding), [values_of(row) for row in rows])

    def findings(self, bundle_id: str, harness_version: str) -> list[Mapping[str, Any]]:
        """Static findings, in order."""
        statement = (
            sa.select(_finding.c.document)
            .where(
                _finding.c.bundle_id == bundle_id,
                _finding.c.harness_version == harness_version,
            )
            .order_by(_finding.c.id)
        )
        return list(self._connection.execute(statement).scalars())


def add_blobs(connection: sa.Connection, blobs: Mapping[str, bytes]) -> None:
    """Store contents by digest. In digest order: two writers of the same contents cannot wait for
    each other.
    """
    there = connection.execute(sa.select(_blob.c.digest).where(_blob.c.digest.in_(blobs)))
    new = sorted(blobs.keys() - set(there.scalars()))
    if new:
        connection.execute(
            insert_unless_taken(_blob, connection),
            [
                {"digest": digest, "size": len(blobs[digest]), "content": blobs[digest]}
                for digest in new
            ],
        )


def _stored(row: sa.RowMapping) -> StoredBundle:
    return StoredBundle(row["id"], record_of(Bundle, row), tuple(row["outcomes"]))
