"""The scheduler while its store's disk is full."""

import json
import shutil
from pathlib import Path

import pytest

from agent.broker.eventlog import EventLog
from agent.store.store import Store
from tests.scheduler.path import publish, verdicts_of, wait_until
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.scheduler.test_process import failures
from tests.small_disk import small_disk

pytestmark = pytest.mark.slow


def says_full(process: SchedulerProcess) -> bool:
    status, body = process.ask("/readyz")
    return status == 503 and "database or disk is full" in json.loads(body)["checks"]["consumer"]["message"]


def decided(process: SchedulerProcess) -> float:
    lines = process.ask("/metrics")[1].splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith("failure_agent_scheduler_decided_total{"))


def verdicts_in(disk: Path, folder: Path) -> dict[str, str]:
    """Those of a copy of the store: SQLite would take the path of another process's disk for one of ours."""
    for file in disk.glob("store.db*"):
        shutil.copy(file, folder)
    with Store.attach(f"sqlite:///{folder}/store.db") as store:
        return verdicts_of(store)


def test_a_full_disk_is_said_and_everything_is_decided_once_when_there_is_room(tmp_path: Path) -> None:
    disk = small_disk(tmp_path / "disk")
    settings = write_settings(tmp_path, store={"url": f"sqlite:///{disk.folder}/store.db"})
    process = SchedulerProcess(settings, log=tmp_path / "log", disk=disk)
    log, told = EventLog.open(f"{tmp_path}/log.db"), 0
    try:
        wait_until(process.is_ready)
        disk.fill(process.pid)
        while not says_full(process):
            publish(log, failures(20, first=told))
            told += 20
        assert "failure_agent_scheduler_store_retries_total 0.0" not in process.ask("/metrics")[1]

        disk.empty(process.pid)

        wait_until(lambda: decided(process) == told)
        wait_until(process.is_ready)
        assert len(verdicts_in(disk.seen_by(process.pid), tmp_path)) == told
    finally:
        process.end()
        log.close()
