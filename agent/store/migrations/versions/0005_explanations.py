"""Explanations name what decided, and the rules that did not apply, by the terms of today."""

from collections.abc import Mapping
from typing import Any, Final

import sqlalchemy as sa
from alembic import op

from agent.store.columns import Document, identifier

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_BATCH: Final = 1_000
_RENAMED: Final = {"spoke": "decider", "silent": "not_applied"}

_verdict = sa.table("verdict", sa.column("run_id", identifier()), sa.column("explanation", Document()))


def upgrade() -> None:
    connection, after = op.get_bind(), ""
    page = sa.select(_verdict).order_by(_verdict.c.run_id).limit(_BATCH)
    change = (
        sa.update(_verdict)
        .where(_verdict.c.run_id == sa.bindparam("run"))
        .values(explanation=sa.bindparam("changed", type_=Document()))
    )
    while rows := connection.execute(page.where(_verdict.c.run_id > after)).all():
        changes = [{"run": run_id, "changed": _with_terms_of_today(explanation)} for run_id, explanation in rows]
        connection.execute(change, changes)
        after = rows[-1].run_id


def _with_terms_of_today(explanation: Mapping[str, Any]) -> dict[str, Any]:
    renamed = _renamed(explanation)
    shadow = renamed.get("shadow")
    return renamed if shadow is None else {**renamed, "shadow": _renamed(shadow)}


def _renamed(values: Mapping[str, Any]) -> dict[str, Any]:
    return {_RENAMED.get(name, name): value for name, value in values.items()}
