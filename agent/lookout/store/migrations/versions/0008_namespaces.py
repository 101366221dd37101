"""The namespace in each index with an order of jobs, so that jobs of other namespaces are passed by without a read."""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for order in ([], ["queue"], ["job_set"], ["owner"]):
        columns = [*order, "first_at"]
        op.create_index("_".join(["ix_job", *columns, "namespace"]), "job", [*columns, "namespace"])
        op.drop_index("_".join(["ix_job", *columns]), "job")
