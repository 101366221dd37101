"""Which clusters are lost."""

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from agent.scheduler.schedule.silence import Silence, lost_clusters
from tests.core.lifecycle.made import T0
from tests.tables import table

CASES = table(Path(__file__).parent / "silence.yaml")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_clusters_are_lost_one_by_one(case: dict[str, Any]) -> None:
    silent = {name: 60.0 * minutes for name, minutes in case["silent"].items()}

    found = lost_clusters(silent, lease=timedelta(hours=1))

    assert (sorted(found.lost), sorted(found.held)) == (case.get("lost", []), case.get("held", []))


def test_what_is_over_the_lease_is_counted() -> None:
    assert lost_clusters({"east": 100.0}, lease=timedelta(seconds=90)).lost == {"east": 10.0}


def test_clusters_that_are_alive_are_no_company_under_a_short_lease() -> None:
    assert lost_clusters({"east": 12.0, "west": 0.5}, lease=timedelta(seconds=12)).lost == {"east": 0.0}


def test_silence_counts_from_when_a_new_heartbeat_was_found() -> None:
    silence = Silence(now=100.0)
    silence.hear([("east", T0)], now=110.0)
    assert silence.since("east", now=110.0) == 10.0

    silence.hear([("east", T0)], now=120.0)
    assert silence.since("east", now=120.0) == 20.0

    silence.hear([("east", T0 + timedelta(seconds=1))], now=130.0)
    assert silence.since("east", now=135.0) == 5.0


def test_a_cluster_without_heartbeats_is_silent_since_the_leader_began() -> None:
    assert Silence(now=100.0).since("east", now=160.0) == 60.0
