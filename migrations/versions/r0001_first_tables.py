"""The tables of the straight line."""

import sqlalchemy as sa
from alembic import op

from migrations.guard import guard, prepare, unprepare

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "blob",
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("digest", name=op.f("pk_blob")),
    )
    op.create_table(
        "namespace",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_namespace")),
    )
    op.create_table(
        "signing_key",
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("public_pem", sa.Text(), nullable=False),
        sa.Column("purpose", sa.Text(), nullable=False),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("key_id", name=op.f("pk_signing_key")),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_audit_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
    )
    op.create_index(op.f("ix_audit_namespace_id"), "audit", ["namespace", "id"], unique=False)
    op.create_table(
        "bundle",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("contract_id", sa.Text(), nullable=False),
        sa.Column("contract_version", sa.Text(), nullable=False),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("artifact_digests", sa.JSON(), nullable=False),
        sa.Column("protocol", sa.JSON(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("file_count", sa.Integer(), nullable=False),
        sa.Column("static_verdict", sa.Text(), nullable=False),
        sa.Column("harness_version", sa.Text(), nullable=False),
        sa.Column("outcomes", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_bundle_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bundle")),
        sa.UniqueConstraint(
            "namespace",
            "contract_id",
            "contract_version",
            name=op.f("uq_bundle_namespace_contract_id_contract_version"),
        ),
        sa.UniqueConstraint("namespace", "digest", name=op.f("uq_bundle_namespace_digest")),
    )
    op.create_index(op.f("ix_bundle_namespace_id"), "bundle", ["namespace", "id"], unique=False)
    op.create_index(
        op.f("ix_bundle_namespace_producer_id"),
        "bundle",
        ["namespace", "producer", "id"],
        unique=False,
    )
    op.create_table(
        "idempotency_key",
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("request_digest", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_idempotency_key_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("namespace", "key", name=op.f("pk_idempotency_key")),
    )
    op.create_table(
        "policy",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("current", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_policy_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_policy")),
        sa.UniqueConstraint(
            "namespace", "name", "digest", name=op.f("uq_policy_namespace_name_digest")
        ),
    )
    op.create_index(
        "uq_policy_current",
        "policy",
        ["namespace", "name"],
        unique=True,
        sqlite_where=sa.text("current"),
        postgresql_where=sa.text("current"),
    )
    op.create_table(
        "token",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("scopes", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at", sa.BigInteger(), nullable=True),
        sa.Column("last_used_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_token_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
    )
    op.create_index(op.f("ix_token_namespace_id"), "token", ["namespace", "id"], unique=False)
    op.create_table(
        "bundle_file",
        sa.Column("bundle_id", sa.Uuid(), nullable=False),
        sa.Column("path", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["bundle_id"], ["bundle.id"], name=op.f("fk_bundle_file_bundle_id_bundle")
        ),
        sa.ForeignKeyConstraint(
            ["digest"], ["blob.digest"], name=op.f("fk_bundle_file_digest_blob")
        ),
        sa.PrimaryKeyConstraint("bundle_id", "path", name=op.f("pk_bundle_file")),
    )
    op.create_table(
        "candidate",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("bundle_id", sa.Uuid(), nullable=False),
        sa.Column("bundle_digest", sa.Text(), nullable=False),
        sa.Column("contract_id", sa.Text(), nullable=False),
        sa.Column("producer", sa.Text(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("artifact_digest", sa.Text(), nullable=False),
        sa.Column("targets", sa.JSON(), nullable=False),
        sa.Column("policy", sa.Text(), nullable=False),
        sa.Column("content_digest", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("state_version", sa.Integer(), nullable=False),
        sa.Column("inputs_version", sa.Integer(), nullable=False),
        sa.Column("route_enabled", sa.Boolean(), nullable=False),
        sa.Column("needs_reverification", sa.Boolean(), nullable=False),
        sa.Column("reopened_at", sa.BigInteger(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("updated_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["bundle_id"], ["bundle.id"], name=op.f("fk_candidate_bundle_id_bundle")
        ),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_candidate_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_candidate")),
        sa.UniqueConstraint(
            "namespace", "content_digest", name=op.f("uq_candidate_namespace_content_digest")
        ),
    )
    op.create_index(
        op.f("ix_candidate_bundle_id_version"), "candidate", ["bundle_id", "version"], unique=False
    )
    op.create_index(
        op.f("ix_candidate_namespace_artifact_digest"),
        "candidate",
        ["namespace", "artifact_digest"],
        unique=False,
    )
    op.create_index(
        op.f("ix_candidate_namespace_bundle_digest"),
        "candidate",
        ["namespace", "bundle_digest"],
        unique=False,
    )
    op.create_index(
        op.f("ix_candidate_namespace_contract_id_id"),
        "candidate",
        ["namespace", "contract_id", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_candidate_namespace_id"), "candidate", ["namespace", "id"], unique=False
    )
    op.create_index(
        op.f("ix_candidate_namespace_producer_id"),
        "candidate",
        ["namespace", "producer", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_candidate_namespace_state_id"),
        "candidate",
        ["namespace", "state", "id"],
        unique=False,
    )
    op.create_table(
        "decision",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("candidate_id", sa.Uuid(), nullable=False),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("reasons", sa.JSON(), nullable=False),
        sa.Column("next_steps", sa.JSON(), nullable=False),
        sa.Column("unverified_claims", sa.JSON(), nullable=False),
        sa.Column("not_covered", sa.JSON(), nullable=False),
        sa.Column("inputs", sa.JSON(), nullable=False),
        sa.Column("inputs_digest", sa.Text(), nullable=False),
        sa.Column("inputs_version", sa.Integer(), nullable=False),
        sa.Column("policy_name", sa.Text(), nullable=False),
        sa.Column("policy_digest", sa.Text(), nullable=False),
        sa.Column("decided_at", sa.BigInteger(), nullable=False),
        sa.Column("valid_until", sa.BigInteger(), nullable=False),
        sa.Column("envelope", sa.LargeBinary(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_decision_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_decision_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_decision")),
    )
    op.create_index(
        "ix_decision_standing",
        "decision",
        ["candidate_id", "to_state", "environment", "inputs_version", "id"],
        unique=False,
    )
    op.create_table(
        "run",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("candidate_id", sa.Uuid(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("reason_code", sa.Text(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("max_attempts", sa.Integer(), nullable=False),
        sa.Column("fence", sa.Integer(), nullable=False),
        sa.Column("lease_until", sa.BigInteger(), nullable=True),
        sa.Column("worker", sa.Text(), nullable=True),
        sa.Column("cancel_requested", sa.Boolean(), nullable=False),
        sa.Column("dispatched_at", sa.BigInteger(), nullable=True),
        sa.Column("last_seq", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("started_at", sa.BigInteger(), nullable=True),
        sa.Column("finished_at", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_run_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_run_namespace_namespace")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_run")),
    )
    op.create_index(op.f("ix_run_candidate_id_id"), "run", ["candidate_id", "id"], unique=False)
    op.create_index(op.f("ix_run_namespace_id"), "run", ["namespace", "id"], unique=False)
    op.create_index(
        op.f("ix_run_state_dispatched_at"), "run", ["state", "dispatched_at"], unique=False
    )
    op.create_index(op.f("ix_run_state_lease_until"), "run", ["state", "lease_until"], unique=False)
    op.create_table(
        "evidence",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("namespace", sa.Text(), nullable=False),
        sa.Column("candidate_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=False),
        sa.Column("binding", sa.Text(), nullable=False),
        sa.Column("artifact_digest", sa.Text(), nullable=False),
        sa.Column("bundle_digest", sa.Text(), nullable=False),
        sa.Column("snapshot_digest", sa.Text(), nullable=False),
        sa.Column("plan_digest", sa.Text(), nullable=False),
        sa.Column("transcript_digest", sa.Text(), nullable=False),
        sa.Column("harness_version", sa.Text(), nullable=False),
        sa.Column("verified_at", sa.BigInteger(), nullable=False),
        sa.Column("expires_at", sa.BigInteger(), nullable=False),
        sa.Column("envelope", sa.LargeBinary(), nullable=False),
        sa.Column("envelope_digest", sa.Text(), nullable=False),
        sa.Column("key_id", sa.Text(), nullable=False),
        sa.Column("summary", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_evidence_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["namespace"], ["namespace.name"], name=op.f("fk_evidence_namespace_namespace")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_evidence_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_evidence")),
        sa.UniqueConstraint(
            "run_id", "stage", "profile", name=op.f("uq_evidence_run_id_stage_profile")
        ),
    )
    op.create_index(
        op.f("ix_evidence_candidate_id_id"), "evidence", ["candidate_id", "id"], unique=False
    )
    op.create_index(
        op.f("ix_evidence_namespace_artifact_digest"),
        "evidence",
        ["namespace", "artifact_digest"],
        unique=False,
    )
    op.create_index(
        op.f("ix_evidence_namespace_bundle_digest"),
        "evidence",
        ["namespace", "bundle_digest"],
        unique=False,
    )
    op.create_index(
        op.f("ix_evidence_namespace_envelope_digest"),
        "evidence",
        ["namespace", "envelope_digest"],
        unique=False,
    )
    op.create_index(op.f("ix_evidence_namespace_id"), "evidence", ["namespace", "id"], unique=False)
    op.create_index(
        op.f("ix_evidence_namespace_snapshot_digest"),
        "evidence",
        ["namespace", "snapshot_digest"],
        unique=False,
    )
    op.create_table(
        "finding",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("bundle_id", sa.Uuid(), nullable=True),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("harness_version", sa.Text(), nullable=False),
        sa.Column("check_id", sa.Text(), nullable=False),
        sa.Column("reason_code", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("document", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.CheckConstraint(
            "(bundle_id IS NULL) <> (run_id IS NULL)", name=op.f("ck_finding_one_subject")
        ),
        sa.ForeignKeyConstraint(
            ["bundle_id"], ["bundle.id"], name=op.f("fk_finding_bundle_id_bundle")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_finding_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_finding")),
    )
    op.create_index(op.f("ix_finding_bundle_id_id"), "finding", ["bundle_id", "id"], unique=False)
    op.create_index(op.f("ix_finding_run_id_id"), "finding", ["run_id", "id"], unique=False)
    op.create_table(
        "run_event",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("body", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_event_run_id_run")),
        sa.PrimaryKeyConstraint("run_id", "seq", name=op.f("pk_run_event")),
    )
    op.create_table(
        "transcript",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("redaction_digest", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["digest"], ["blob.digest"], name=op.f("fk_transcript_digest_blob")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_transcript_run_id_run")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transcript")),
        sa.UniqueConstraint(
            "run_id", "stage", "profile", name=op.f("uq_transcript_run_id_stage_profile")
        ),
    )
    op.create_table(
        "transition",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("candidate_id", sa.Uuid(), nullable=False),
        sa.Column("state_version", sa.Integer(), nullable=False),
        sa.Column("event", sa.Text(), nullable=False),
        sa.Column("from_state", sa.Text(), nullable=False),
        sa.Column("to_state", sa.Text(), nullable=False),
        sa.Column("decision_id", sa.Uuid(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(
            ["candidate_id"], ["candidate.id"], name=op.f("fk_transition_candidate_id_candidate")
        ),
        sa.ForeignKeyConstraint(
            ["decision_id"], ["decision.id"], name=op.f("fk_transition_decision_id_decision")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transition")),
        sa.UniqueConstraint(
            "candidate_id", "state_version", name=op.f("uq_transition_candidate_id_state_version")
        ),
    )
    op.create_table(
        "evidence_current",
        sa.Column("candidate_id", sa.Uuid(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=True),
        sa.Column("evidence_id", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(
            ["candidate_id"],
            ["candidate.id"],
            name=op.f("fk_evidence_current_candidate_id_candidate"),
        ),
        sa.ForeignKeyConstraint(
            ["evidence_id"], ["evidence.id"], name=op.f("fk_evidence_current_evidence_id_evidence")
        ),
        sa.ForeignKeyConstraint(
            ["run_id"], ["run.id"], name=op.f("fk_evidence_current_run_id_run")
        ),
        sa.PrimaryKeyConstraint(
            "candidate_id", "stage", "profile", name=op.f("pk_evidence_current")
        ),
    )
    op.create_table(
        "run_stage",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("profile", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.Text(), nullable=True),
        sa.Column("evidence_id", sa.Uuid(), nullable=True),
        sa.Column("outcomes", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["evidence_id"], ["evidence.id"], name=op.f("fk_run_stage_evidence_id_evidence")
        ),
        sa.ForeignKeyConstraint(["run_id"], ["run.id"], name=op.f("fk_run_stage_run_id_run")),
        sa.PrimaryKeyConstraint("run_id", "stage", "profile", name=op.f("pk_run_stage")),
    )
    prepare()
    guard("audit", ["id"])
    guard("decision", ["id"])
    guard("evidence", ["id"], ["run_id", "stage", "profile"])
    guard("finding", ["id"])
    guard("transcript", ["id"], ["run_id", "stage", "profile"])
    guard("transition", ["id"], ["candidate_id", "state_version"])


def downgrade() -> None:
    op.drop_table("run_stage")
    op.drop_table("evidence_current")
    op.drop_table("transition")
    op.drop_table("transcript")
    op.drop_table("run_event")
    op.drop_index(op.f("ix_finding_run_id_id"), table_name="finding")
    op.drop_index(op.f("ix_finding_bundle_id_id"), table_name="finding")
    op.drop_table("finding")
    op.drop_index(op.f("ix_evidence_namespace_snapshot_digest"), table_name="evidence")
    op.drop_index(op.f("ix_evidence_namespace_id"), table_name="evidence")
    op.drop_index(op.f("ix_evidence_namespace_envelope_digest"), table_name="evidence")
    op.drop_index(op.f("ix_evidence_namespace_bundle_digest"), table_name="evidence")
    op.drop_index(op.f("ix_evidence_namespace_artifact_digest"), table_name="evidence")
    op.drop_index(op.f("ix_evidence_candidate_id_id"), table_name="evidence")
    op.drop_table("evidence")
    op.drop_index(op.f("ix_run_state_lease_until"), table_name="run")
    op.drop_index(op.f("ix_run_state_dispatched_at"), table_name="run")
    op.drop_index(op.f("ix_run_namespace_id"), table_name="run")
    op.drop_index(op.f("ix_run_candidate_id_id"), table_name="run")
    op.drop_table("run")
    op.drop_index("ix_decision_standing", table_name="decision")
    op.drop_table("decision")
    op.drop_index(op.f("ix_candidate_namespace_state_id"), table_name="candidate")
    op.drop_index(op.f("ix_candidate_namespace_producer_id"), table_name="candidate")
    op.drop_index(op.f("ix_candidate_namespace_id"), table_name="candidate")
    op.drop_index(op.f("ix_candidate_namespace_contract_id_id"), table_name="candidate")
    op.drop_index(op.f("ix_candidate_namespace_bundle_digest"), table_name="candidate")
    op.drop_index(op.f("ix_candidate_namespace_artifact_digest"), table_name="candidate")
    op.drop_index(op.f("ix_candidate_bundle_id_version"), table_name="candidate")
    op.drop_table("candidate")
    op.drop_table("bundle_file")
    op.drop_index(op.f("ix_token_namespace_id"), table_name="token")
    op.drop_table("token")
    op.drop_index(
        "uq_policy_current",
        table_name="policy",
        sqlite_where=sa.text("current"),
        postgresql_where=sa.text("current"),
    )
    op.drop_table("policy")
    op.drop_table("idempotency_key")
    op.drop_index(op.f("ix_bundle_namespace_producer_id"), table_name="bundle")
    op.drop_index(op.f("ix_bundle_namespace_id"), table_name="bundle")
    op.drop_table("bundle")
    op.drop_index(op.f("ix_audit_namespace_id"), table_name="audit")
    op.drop_table("audit")
    op.drop_table("signing_key")
    op.drop_table("namespace")
    op.drop_table("blob")
    unprepare()
