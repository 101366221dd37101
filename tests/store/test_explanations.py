"""An explanation that an earlier version stored means the same after the upgrade."""

from typing import Any

from msgspec.structs import replace
from sqlalchemy import select

from agent.core.decision.explanation import Explanation, NotApplied, Shadow
from agent.core.limit import Reason, VerdictAction
from agent.store import failures, verdicts
from agent.store.explanations import decode_explanation, encode_explanation
from agent.store.store import Store
from agent.store.tables.failures import table as failure_table
from agent.store.tables.verdicts import table as verdict_table
from tests.store.earlier import earlier, insert_earlier
from tests.store.events import START
from tests.store.test_rows import LEGACY, RETRY, arrived, verdict

_BEFORE = {"decider": "spoke", "not_applied": "silent"}


def full() -> Explanation:
    decider = RETRY.explanation.decider
    assert decider is not None
    shadow = Shadow(policies=("trial",), action=VerdictAction.FAIL, reason=Reason.DEFAULT_ACTION, decider=decider)
    return replace(RETRY.explanation, not_applied=(NotApplied("ml", 1, "gpu", "no Xid"),), shadow=shadow)


def as_stored_before(explanation: Explanation) -> dict[str, Any]:
    document = encode_explanation(explanation)
    if document["shadow"] is not None:
        document["shadow"] = renamed(document["shadow"])
    return renamed(document)


def renamed(values: dict[str, Any]) -> dict[str, Any]:
    return {_BEFORE.get(name, name): value for name, value in values.items()}


def test_explanations_of_the_revision_before_are_read_as_they_were_meant(store_url: str) -> None:
    # more than one batch of the migration
    explanations = {f"run-{number:04}": full() if number % 2 else LEGACY.explanation for number in range(1_005)}
    with earlier(store_url, "0004") as connection:
        insert_earlier(
            connection, failure_table, [failures._row(arrived(name, run=name), START) for name in explanations]
        )
        made = [verdicts._row(verdict(name)[1]) for name in explanations]
        insert_earlier(
            connection,
            verdict_table,
            [{**row, "explanation": as_stored_before(explanations[row["run_id"]])} for row in made],
        )

    with Store.open(store_url) as store, store.read() as connection:
        found = connection.execute(select(verdict_table.c.run_id, verdict_table.c.explanation)).all()

    assert {name: decode_explanation(document) for name, document in found} == explanations
