"""What each refusal of an API server means."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.cluster.runs.refusal import NameTaken, read_refusal
from agent.core.run_event import CreationFailed, RunRejected
from agent.kube.errors import error_of_answer
from tests.tables import table

ROWS = table(Path(__file__).with_name("refusals.yaml"))
MEANINGS = {"rejected": RunRejected, "failed": CreationFailed, "taken": NameTaken}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_what_a_refusal_means(row: dict[str, Any]) -> None:
    body = row.get("text", json.dumps({"kind": "Status", **row.get("error", {})})).encode()
    error = error_of_answer(row["status"], body, retry_after=None, now=datetime(2026, 1, 1, tzinfo=UTC))
    meant = read_refusal(error)

    assert isinstance(meant, MEANINGS[row["means"]])
    if not isinstance(meant, NameTaken):
        assert (meant.reason, meant.message) == (row["reason"], error.message)
