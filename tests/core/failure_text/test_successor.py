from pathlib import Path

import pytest

from agent.core.failure_text.successor import is_bare, successor
from tests.core.classify.tables import Row
from tests.core.failure_text.rows import failure_of
from tests.tables import table

ROWS: list[Row] = table(Path(__file__).with_name("successors.yaml"))


@pytest.mark.parametrize("row", ROWS, ids=[row["says"] or "not known" for row in ROWS])
def test_who_starts_the_next_pod_is_named(row: Row) -> None:
    failure = failure_of(row)

    assert successor(failure) == row["says"]
    assert is_bare(failure) == row["says"].endswith("nothing starts bare pods")
