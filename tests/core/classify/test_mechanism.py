"""How a run ended, by the table beside this file."""

import pytest

from agent.core.classify.mechanism import mechanism
from agent.core.failure import Mechanism
from tests.core.classify.tables import Row, evidence_of, rows

ROWS = rows("mechanisms.yaml")


@pytest.mark.parametrize("row", ROWS, ids=[f"{row['is']}: {row['name']}" for row in ROWS])
def test_the_mechanism_of(row: Row) -> None:
    assert mechanism(evidence_of(row)) == row["is"]


def test_the_table_has_every_mechanism() -> None:
    assert {row["is"] for row in ROWS} == set(Mechanism)
