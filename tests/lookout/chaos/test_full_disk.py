"""Lookout while the disk of its database is full."""

import json
import shutil
from contextlib import ExitStack, closing
from pathlib import Path
from random import Random

import pytest

from agent.lookout.store.opening import attach_store
from tests.lookout.chaos.course import dead_letters, drawn_seed, send, stored_in_order
from tests.lookout.chaos.story import delivered, told
from tests.lookout.process import LookoutProcess, assert_counted, rows, write_settings
from tests.scheduler.path import Place, wait_until
from tests.small_disk import small_disk

pytestmark = pytest.mark.slow

SIZE = 1 << 26
"""Bytes of the disk: twice what the journal of Lookout's database grows to before SQLite writes it back."""


def says_full(process: LookoutProcess) -> bool:
    status, body = process.ask("/readyz")
    return status == 503 and "database or disk is full" in json.loads(body)["checks"]["consumer"]["message"]


def stored(process: LookoutProcess) -> float:
    """How many messages it has stored."""
    lines = process.ask("/metrics")[1].splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("failure_agent_lookout_stored_total{"))


def test_everything_is_stored_when_there_is_room_again(tmp_path: Path) -> None:
    draw, disk = Random(drawn_seed()), small_disk(tmp_path / "disk", size=SIZE)  # noqa: S311 - it must repeat
    files = Place.in_files(tmp_path)
    place = Place(broker_url=files.broker_url, store_url=f"sqlite:///{disk.folder}/store.db")
    story = told(draw, jobs=150)
    sent = delivered(draw, story)
    with ExitStack() as stack:
        broker = stack.enter_context(closing(place.open_log()))
        process = LookoutProcess(write_settings(tmp_path, place), log=tmp_path / "log", disk=disk)
        stack.callback(process.end)
        wait_until(process.is_ready)
        disk.fill(process.pid)
        send(broker, sent)
        wait_until(lambda: says_full(process))
        assert stored(process) < len(sent) / 2
        disk.empty(process.pid)
        wait_until(lambda: stored(process) + len(dead_letters(broker)) == len(sent))
        wait_until(process.is_ready)
        expected, refused = stored_in_order(broker, story, tmp_path)
        assert {*dead_letters(broker)} == refused
        copy = copied(disk.seen_by(process.pid), tmp_path)

    with attach_store(copy) as store:
        assert rows(store) == expected
        assert_counted(store)


def copied(disk: Path, folder: Path) -> str:
    """The address of a copy: SQLite would take the path of another process's disk for one of ours."""
    for file in disk.glob("store.db*"):
        shutil.copy(file, folder)
    return f"sqlite:///{folder}/store.db"
