from pathlib import Path
from typing import Any

import pytest

from agent.broker.pulsar.policies import Configured, check_policies
from tests.tables import table

ROWS: list[dict[str, Any]] = table(Path(__file__).with_name("policies.yaml"))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_settings_are_judged(row: dict[str, Any]) -> None:
    told = check_policies(Configured(namespace="armada/failures", policies=row["policies"], broker=row.get("broker")))

    assert [one.name for one in told if one.fix] == row["wrong"]
    assert all("armada/failures" in one.fix or one.fix.startswith("broker.conf: ") for one in told if one.fix)


def test_each_setting_that_is_fine_is_said_too() -> None:
    told = check_policies(Configured(namespace="a/b", policies=ROWS[0]["policies"], broker=ROWS[0]["broker"]))

    assert len(told) == 8
