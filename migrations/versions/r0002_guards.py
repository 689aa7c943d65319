"""What evidence rests on cannot be rewritten either: contents, policies, progress of runs."""

from migrations.guard import guard, unguard

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    guard("blob", ["digest"])
    guard("bundle_file", ["bundle_id", "path"])
    guard("run_event", ["run_id", "seq"])
    # every version of a policy stays as it was put; which of them decides is all that changes
    guard(
        "policy",
        ["id"],
        ["namespace", "name", "digest"],
        fixed=["id", "namespace", "name", "digest", "document", "created_at", "created_by"],
        one_each=(["namespace", "name"], "current"),
    )


def downgrade() -> None:
    for table in ("policy", "run_event", "bundle_file", "blob"):
        unguard(table)
