"""The benchmark of what is live: what counts as a notice, that its clients work, and that its targets can be missed."""

import json
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from agent.lookout.api.application import create
from agent.lookout.api.live import Live
from agent.lookout.changes import Changes
from bench.live import MOST_CORES, MOST_MB, MOST_P99_SECONDS, Found, notices, verdicts
from bench.peer.process import PeerProcess
from tests.ground.tree import ROOT
from tests.lookout.api.serving import backend, empty_store, serving


def test_a_notice_is_the_first_event_after_the_failure_was_stored() -> None:
    published, stored = [1.0, 2.0], [1.5, 2.6]

    assert list(notices(published, stored, [[1.4, 1.5, 3.0], [2.55, 2.75]])) == pytest.approx([0.5, 1.0, 1.55, 0.75])


def test_a_client_that_learns_nothing_is_no_measurement() -> None:
    with pytest.raises(TimeoutError, match="a client got no event"):
        list(notices([1.0], [1.5], [[1.4]]))


@pytest.mark.parametrize(("times", "met"), [(0.9, True), (1.1, False)])
def test_every_target_can_be_missed(times: float, met: bool) -> None:  # noqa: FBT001 - a column of the table
    found = Found(
        notices=[MOST_P99_SECONDS * times] * 100, events=1.0, cores=MOST_CORES * times, peak_mb=MOST_MB * times
    )

    assert [figure.share >= 1 for figure in verdicts(found.figures())] == [met] * 3


@pytest.mark.slow
def test_its_clients_get_what_is_reported(tmp_path: Path) -> None:
    changes = Changes()
    with (
        empty_store(tmp_path) as store,
        serving(create(replace(backend(store), live=Live(changes, interval=0.05)))) as api,
        PeerProcess(Path(sys.executable), ["-m", "bench.peer.watchers"], folder=ROOT) as watchers,
    ):
        asked = {"port": api.port, "clients": 3}
        assert watchers.ask(json.dumps(asked)) == asked
        reporting = threading.Timer(0.3, changes.report, [None])
        reporting.start()
        arrivals = watchers.ask(json.dumps(1.0))
        reporting.join()

    assert [len(times) for times in arrivals] == [1, 1, 1]
