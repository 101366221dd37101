"""The whole loop under ``kill -9``: whatever dies, every failure gets one verdict, and every job one end."""

import json
import os
import random
import signal
import sys
import time
from pathlib import Path

import pytest

from agent.demo.layout import CLUSTERS, Layout
from agent.demo.readings import Decision, read_decisions, read_record
from agent.store.store import Store
from tests.child import PIPE, Child
from tests.servers.patience import until

FEW, ALL = 2, 10  # the two kill each part alone, and every part at once
ROUNDS = [*range(FEW), *(pytest.param(number, marks=pytest.mark.long) for number in range(FEW, ALL))]
VICTIMS = (
    ("agent-gpu-east",),
    ("agent-cpu-west",),
    ("scheduler",),
    ("agent-gpu-east", "scheduler"),
    ("agent-cpu-west", "scheduler"),
    ("agent-gpu-east", "agent-cpu-west", "scheduler"),
    ("lookout",),
    ("lookout", "scheduler"),
)
LAST = "lookout"
SECONDS = 6
MUST_BE_NONE = ("lost", "duplicates", "unfinished", "overlaps", "after_end", "unaccepted", "lookout_differences")


@pytest.mark.slow
@pytest.mark.timeout(240)  # a command whose answer was lost is sent again after a minute
@pytest.mark.parametrize("round_number", ROUNDS)
def test_nothing_is_lost_or_done_twice_when_parts_are_killed(tmp_path: Path, round_number: int) -> None:
    draw = random.Random(int(os.environ.get("KILL_SEED", "1")) * 1000 + round_number)  # noqa: S311  # no secret
    folder = tmp_path / "demo"
    command = [sys.executable, "-m", "agent", "demo", "--json", "--for", f"{SECONDS}s", "--dir", str(folder)]
    with Child(command, stdout=PIPE, stderr=PIPE) as demo:
        until(lambda: demo.returned() is not None or _has_started_all(folder / "pids"), "started", seconds=60)
        killed = _kill_now_and_then(folder / "pids", draw, deadline=time.monotonic() + SECONDS)
        out, err = demo.rest(200)
    figures = json.loads(out.splitlines()[-1])

    assert killed > 0
    assert {name: figures[name] for name in MUST_BE_NONE} == dict.fromkeys(MUST_BE_NONE, 0), err[-4000:]
    assert unexpected(folder) == []
    assert figures["failures"] == figures["decided"] == figures["classified"] > 0
    assert figures["submitted"] == figures["succeeded"] + figures["recovered"] + figures["failed_final"]
    assert figures["retried"] >= figures["recovered"] > 0
    assert demo.returned() == 0


def unexpected(folder: Path) -> list[Decision]:
    """Verdicts on pods that no simulator ended."""
    layout = Layout(folder=folder)
    ended = {row.pod_uid for cluster in CLUSTERS for row in read_record(layout.record(cluster)) if not row.in_run}
    with Store.attach(layout.store_url) as store:
        return [one for one in read_decisions(store) if one.pod_uid not in ended]


def _has_started_all(pids: Path) -> bool:
    """Whether every part has been started, the last one included."""
    return pids.is_file() and LAST in pids.read_text()


def _kill_now_and_then(pids: Path, draw: random.Random, *, deadline: float) -> int:
    """Kill parts of this demo at random times; the number that were there to be killed."""
    killed = 0
    while time.monotonic() < deadline:
        time.sleep(draw.uniform(0.3, 1.5))
        for name in draw.choice(VICTIMS):
            killed += _kill(pids, name)
    return killed


def _kill(pids: Path, name: str) -> int:
    if not pids.is_file():
        return 0
    known = dict(line.split() for line in pids.read_text().splitlines())
    if name not in known:
        return 0
    try:
        os.kill(int(known[name]), signal.SIGKILL)
    except ProcessLookupError:
        return 0
    return 1
