"""The tables. One truth for statements here and for the migrations' `alembic check`.

Insert-only tables are named in `INSERT_ONLY`; their triggers are made by `migrations.guard`.
Hostile text (what a server said) lives inside JSON columns only: plain text columns hold words
whose form was checked.
"""

import sqlalchemy as sa
from sqlalchemy import Column, ForeignKey, Index, PrimaryKeyConstraint, Table, UniqueConstraint

from service.admission import ids
from service.store.columns import Json, Micros, TypedId

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)

INSERT_ONLY = (
    "audit",
    "blob",
    "bundle_file",
    "decision",
    "evidence",
    "finding",
    "run_event",
    "transcript",
    "transition",
)
"""Tables whose rows nobody changes or removes, not even this program. Of `policy` all but `current`
is guarded in the same way.
"""


CURRENT = sa.text("current")
"""Which rows of `policy` may be no more than one a name."""


def _namespace() -> "Column[str]":
    return Column("namespace", sa.Text, ForeignKey("namespace.name"), nullable=False)


namespace = Table(
    "namespace",
    metadata,
    Column("name", sa.Text, primary_key=True),
    Column("created_at", Micros, nullable=False),
)

token = Table(
    "token",
    metadata,
    Column("id", TypedId(ids.TOKEN), primary_key=True),
    _namespace(),
    Column("name", sa.Text, nullable=False),
    Column("secret_hash", sa.LargeBinary, nullable=False),
    Column("scopes", Json, nullable=False),
    Column("created_at", Micros, nullable=False),
    Column("created_by", sa.Text, nullable=False),
    Column("expires_at", Micros),
    Column("revoked_at", Micros),
    Column("last_used_at", Micros),
    Index(None, "namespace", "id"),
)

blob = Table(
    "blob",
    metadata,
    Column("digest", sa.Text, primary_key=True),
    Column("size", sa.BigInteger, nullable=False),
    Column("content", sa.LargeBinary, nullable=False),
)

bundle = Table(
    "bundle",
    metadata,
    Column("id", TypedId(ids.BUNDLE), primary_key=True),
    _namespace(),
    Column("digest", sa.Text, nullable=False),
    Column("contract_id", sa.Text, nullable=False),
    Column("contract_version", sa.Text, nullable=False),
    Column("producer", sa.Text, nullable=False),
    Column("artifact_digests", Json, nullable=False),
    Column("protocol", Json, nullable=False),
    Column("size", sa.BigInteger, nullable=False),
    Column("file_count", sa.Integer, nullable=False),
    Column("static_verdict", sa.Text, nullable=False),
    Column("harness_version", sa.Text, nullable=False),
    Column("outcomes", Json, nullable=False),
    Column("created_at", Micros, nullable=False),
    Column("created_by", sa.Text, nullable=False),
    UniqueConstraint("namespace", "digest"),
    UniqueConstraint("namespace", "contract_id", "contract_version"),
    Index(None, "namespace", "id"),
    Index(None, "namespace", "producer", "id"),
)

bundle_file = Table(
    "bundle_file",
    metadata,
    Column("bundle_id", TypedId(ids.BUNDLE), ForeignKey("bundle.id"), nullable=False),
    Column("path", sa.Text, nullable=False),
    Column("digest", sa.Text, ForeignKey("blob.digest"), nullable=False),
    PrimaryKeyConstraint("bundle_id", "path"),
)

candidate = Table(
    "candidate",
    metadata,
    Column("id", TypedId(ids.CANDIDATE), primary_key=True),
    _namespace(),
    Column("bundle_id", TypedId(ids.BUNDLE), ForeignKey("bundle.id"), nullable=False),
    Column("bundle_digest", sa.Text, nullable=False),
    Column("contract_id", sa.Text, nullable=False),
    Column("producer", sa.Text, nullable=False),
    Column("version", sa.Text, nullable=False),
    Column("artifact_digest", sa.Text, nullable=False),
    Column("targets", Json, nullable=False),
    Column("policy", sa.Text, nullable=False),
    Column("content_digest", sa.Text, nullable=False),
    Column("state", sa.Text, nullable=False),
    Column("state_version", sa.Integer, nullable=False),
    Column("inputs_version", sa.Integer, nullable=False),
    Column("route_enabled", sa.Boolean, nullable=False),
    Column("needs_reverification", sa.Boolean, nullable=False),
    Column("reopened_at", Micros, nullable=False),
    Column("created_at", Micros, nullable=False),
    Column("created_by", sa.Text, nullable=False),
    Column("updated_at", Micros, nullable=False),
    UniqueConstraint("namespace", "content_digest"),
    Index(None, "bundle_id", "version"),
    Index(None, "namespace", "id"),
    Index(None, "namespace", "state", "id"),
    Index(None, "namespace", "producer", "id"),
    Index(None, "namespace", "contract_id", "id"),
    Index(None, "namespace", "artifact_digest"),
    Index(None, "namespace", "bundle_digest"),
)

run = Table(
    "run",
    metadata,
    Column("id", TypedId(ids.RUN), primary_key=True),
    _namespace(),
    Column("candidate_id", TypedId(ids.CANDIDATE), ForeignKey("candidate.id"), nullable=False),
    Column("state", sa.Text, nullable=False),
    Column("verdict", sa.Text),
    Column("reason_code", sa.Text),
    Column("detail", sa.Text),
    Column("attempt", sa.Integer, nullable=False),
    Column("max_attempts", sa.Integer, nullable=False),
    Column("fence", sa.Integer, nullable=False),
    Column("lease_until", Micros),
    Column("worker", sa.Text),
    Column("cancel_requested", sa.Boolean, nullable=False),
    Column("dispatched_at", Micros),
    Column("last_seq", sa.Integer, nullable=False),
    Column("created_at", Micros, nullable=False),
    Column("created_by", sa.Text, nullable=False),
    Column("started_at", Micros),
    Column("finished_at", Micros),
    Index(None, "namespace", "id"),
    Index(None, "candidate_id", "id"),
    Index(None, "state", "dispatched_at"),
    Index(None, "state", "lease_until"),
)

run_stage = Table(
    "run_stage",
    metadata,
    Column("run_id", TypedId(ids.RUN), ForeignKey("run.id"), nullable=False),
    Column("stage", sa.Text, nullable=False),
    Column("profile", sa.Text, nullable=False),
    Column("position", sa.Integer, nullable=False),
    Column("verdict", sa.Text),
    Column("evidence_id", TypedId(ids.EVIDENCE), ForeignKey("evidence.id")),
    Column("outcomes", Json),
    PrimaryKeyConstraint("run_id", "stage", "profile"),
)

run_event = Table(
    "run_event",
    metadata,
    Column("run_id", TypedId(ids.RUN), ForeignKey("run.id"), nullable=False),
    Column("seq", sa.Integer, nullable=False),
    Column("at", Micros, nullable=False),
    Column("kind", sa.Text, nullable=False),
    Column("body", Json, nullable=False),
    PrimaryKeyConstraint("run_id", "seq"),
)

transcript = Table(
    "transcript",
    metadata,
    Column("id", TypedId(ids.TRANSCRIPT), primary_key=True),
    Column("run_id", TypedId(ids.RUN), ForeignKey("run.id"), nullable=False),
    Column("stage", sa.Text, nullable=False),
    Column("profile", sa.Text, nullable=False),
    Column("digest", sa.Text, ForeignKey("blob.digest"), nullable=False),
    Column("size", sa.BigInteger, nullable=False),
    Column("redaction_digest", sa.Text, nullable=False),
    Column("created_at", Micros, nullable=False),
    UniqueConstraint("run_id", "stage", "profile"),
)

finding = Table(
    "finding",
    metadata,
    Column("id", TypedId(ids.FINDING), primary_key=True),
    Column("bundle_id", TypedId(ids.BUNDLE), ForeignKey("bundle.id")),
    Column("run_id", TypedId(ids.RUN), ForeignKey("run.id")),
    Column("stage", sa.Text, nullable=False),
    Column("profile", sa.Text, nullable=False),
    Column("harness_version", sa.Text, nullable=False),
    Column("check_id", sa.Text, nullable=False),
    Column("reason_code", sa.Text, nullable=False),
    Column("severity", sa.Text, nullable=False),
    Column("document", Json, nullable=False),
    Column("created_at", Micros, nullable=False),
    sa.CheckConstraint("(bundle_id IS NULL) <> (run_id IS NULL)", name="one_subject"),
    Index(None, "bundle_id", "id"),
    Index(None, "run_id", "id"),
)

evidence = Table(
    "evidence",
    metadata,
    Column("id", TypedId(ids.EVIDENCE), primary_key=True),
    _namespace(),
    Column("candidate_id", TypedId(ids.CANDIDATE), ForeignKey("candidate.id"), nullable=False),
    Column("run_id", TypedId(ids.RUN), ForeignKey("run.id")),
    Column("kind", sa.Text, nullable=False),
    Column("stage", sa.Text, nullable=False),
    Column("profile", sa.Text, nullable=False),
    Column("verdict", sa.Text, nullable=False),
    Column("binding", sa.Text, nullable=False),
    Column("artifact_digest", sa.Text, nullable=False),
    Column("bundle_digest", sa.Text, nullable=False),
    Column("snapshot_digest", sa.Text, nullable=False),
    Column("plan_digest", sa.Text, nullable=False),
    Column("transcript_digest", sa.Text, nullable=False),
    Column("harness_version", sa.Text, nullable=False),
    Column("verified_at", Micros, nullable=False),
    Column("expires_at", Micros, nullable=False),
    Column("envelope", sa.LargeBinary, nullable=False),
    Column("envelope_digest", sa.Text, nullable=False),
    Column("key_id", sa.Text, nullable=False),
    Column("summary", Json, nullable=False),
    UniqueConstraint("run_id", "stage", "profile"),
    Index(None, "namespace", "id"),
    Index(None, "candidate_id", "id"),
    Index(None, "namespace", "artifact_digest"),
    Index(None, "namespace", "bundle_digest"),
    Index(None, "namespace", "snapshot_digest"),
    Index(None, "namespace", "envelope_digest"),
)

evidence_current = Table(
    "evidence_current",
    metadata,
    Column("candidate_id", TypedId(ids.CANDIDATE), ForeignKey("candidate.id"), nullable=False),
    Column("stage", sa.Text, nullable=False),
    Column("profile", sa.Text, nullable=False),
    Column("run_id", TypedId(ids.RUN), ForeignKey("run.id")),
    Column("evidence_id", TypedId(ids.EVIDENCE), ForeignKey("evidence.id")),
    PrimaryKeyConstraint("candidate_id", "stage", "profile"),
)

policy = Table(
    "policy",
    metadata,
    Column("id", TypedId(ids.POLICY), primary_key=True),
    _namespace(),
    Column("name", sa.Text, nullable=False),
    Column("digest", sa.Text, nullable=False),
    Column("document", Json, nullable=False),
    Column("current", sa.Boolean, nullable=False),
    Column("created_at", Micros, nullable=False),
    Column("created_by", sa.Text, nullable=False),
    UniqueConstraint("namespace", "name", "digest"),
    Index(
        "uq_policy_current",
        "namespace",
        "name",
        unique=True,
        sqlite_where=CURRENT,
        # of PostgreSQL too (`migrations.env`): said here, its dialect would be imported always
    ),
)

decision = Table(
    "decision",
    metadata,
    Column("id", TypedId(ids.DECISION), primary_key=True),
    _namespace(),
    Column("candidate_id", TypedId(ids.CANDIDATE), ForeignKey("candidate.id"), nullable=False),
    Column("to_state", sa.Text, nullable=False),
    Column("environment", sa.Text, nullable=False),
    Column("verdict", sa.Text, nullable=False),
    Column("reasons", Json, nullable=False),
    Column("next_steps", Json, nullable=False),
    Column("unverified_claims", Json, nullable=False),
    Column("not_covered", Json, nullable=False),
    Column("inputs", Json, nullable=False),
    Column("inputs_digest", sa.Text, nullable=False),
    Column("inputs_version", sa.Integer, nullable=False),
    Column("policy_name", sa.Text, nullable=False),
    Column("policy_digest", sa.Text, nullable=False),
    Column("decided_at", Micros, nullable=False),
    Column("valid_until", Micros, nullable=False),
    Column("envelope", sa.LargeBinary, nullable=False),
    Column("key_id", sa.Text, nullable=False),
    Index(
        "ix_decision_standing",
        "candidate_id",
        "to_state",
        "environment",
        "inputs_version",
        "id",
    ),
)

transition = Table(
    "transition",
    metadata,
    Column("id", TypedId(ids.TRANSITION), primary_key=True),
    Column("candidate_id", TypedId(ids.CANDIDATE), ForeignKey("candidate.id"), nullable=False),
    Column("state_version", sa.Integer, nullable=False),
    Column("event", sa.Text, nullable=False),
    Column("from_state", sa.Text, nullable=False),
    Column("to_state", sa.Text, nullable=False),
    Column("decision_id", TypedId(ids.DECISION), ForeignKey("decision.id")),
    Column("reason", sa.Text, nullable=False),
    Column("actor", sa.Text, nullable=False),
    Column("at", Micros, nullable=False),
    UniqueConstraint("candidate_id", "state_version"),
)

audit = Table(
    "audit",
    metadata,
    Column("id", TypedId(ids.AUDIT), primary_key=True),
    _namespace(),
    Column("at", Micros, nullable=False),
    Column("actor", sa.Text, nullable=False),
    Column("action", sa.Text, nullable=False),
    Column("subject", sa.Text, nullable=False),
    Column("body", Json, nullable=False),
    Index(None, "namespace", "id"),
)

idempotency_key = Table(
    "idempotency_key",
    metadata,
    _namespace(),
    Column("key", sa.Text, nullable=False),
    Column("action", sa.Text, nullable=False),
    Column("request_digest", sa.Text, nullable=False),
    Column("subject", sa.Text, nullable=False),
    Column("created_at", Micros, nullable=False),
    PrimaryKeyConstraint("namespace", "key"),
)

signing_key = Table(
    "signing_key",
    metadata,
    Column("key_id", sa.Text, primary_key=True),
    Column("public_pem", sa.Text, nullable=False),
    Column("purpose", sa.Text, nullable=False),
    Column("since", Micros, nullable=False),
)
