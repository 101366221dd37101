"""Schedulers that are away for twice as long as a lease, and a term: the runs go on, and are those that were."""

import json
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

import pytest
import yaml
from sqlalchemy import make_url

from agent.client import jobs, resources
from agent.core.lifecycle.run import JobRun
from agent.core.lifecycle.state import State
from agent.scheduler.schedule.leadership import LASTS
from agent.shipped import shipped
from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.store.store import Store
from agent.store.submitted import held
from tests.child import PIPE, Child
from tests.cluster.real import Real
from tests.manifests.resource.documents import queue
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.servers.client import Client
from tests.servers.patience import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]  # three times twice a term, and processes start

LEASE: Final = 4.0
AWAY: Final = 2 * max(LASTS.total_seconds(), LEASE)
JOBS: Final = 3
SLOWLY: Final = "0.08"
"""A container of the script runs for 19 s."""


@contextmanager
def cluster(folder: Path) -> Iterator[Real]:
    file, scripts = folder / "kubeconfig", str(shipped("simulator/user.yaml"))
    options = ("--cluster", "real", "--scripts", scripts, "--speed", SLOWLY, "--kubeconfig", str(file))
    with Child([sys.executable, "-m", "agent.simulator", *options], stdout=PIPE) as simulator:
        client = Client(url=json.loads(simulator.line())["url"], tls=None, token=None)
        yield Real(client=client, namespace="default", kubeconfig=file, folder=folder)


@contextmanager
def schedulers(settings: Path, *names: str) -> Iterator[list[SchedulerProcess]]:
    """Killed when they are left."""
    with ExitStack() as stack:
        started = [SchedulerProcess(settings, log=settings.with_name(f"{name}.log")) for name in names]
        for process in started:
            stack.callback(process.end)
        until(lambda: all(process.is_ready() for process in started), "ready", seconds=60)
        yield started


def settings_of(url: str, folder: Path) -> Path:
    """The settings under which the run of a silent cluster would be replaced first."""
    address, password = make_url(url), folder / "password"
    password.write_text(address.password or "")
    store = {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)}
    runs = {"lostCluster": "replace", "gracefulShutdown": "timer", "gracePeriod": "0s", "lease": f"{LEASE:g}s"}
    return write_settings(folder, store=store, runs=runs)


def submitted() -> str:
    job = {
        "namespace": "default",
        "annotations": {SCRIPT_ANNOTATION: "success"},
        "podSpec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]},
    }
    return yaml.safe_dump({"queue": "ml", "jobSetId": "away", "jobs": [job] * JOBS})


def address(process: SchedulerProcess) -> str:
    (served,) = [line for line in process.logged() if line["event"] == "the API is served"]
    return f"127.0.0.1:{served['port']}"


def runs_of(store: Store, job_ids: list[str]) -> dict[str, tuple[JobRun, ...]]:
    with store.read() as connection:
        return {job_id: found.job.runs for job_id, found in held.load(connection, job_ids).items()}


def states_of(store: Store, job_ids: list[str]) -> set[State]:
    with store.read() as connection:
        return {found.job.state for found in held.load(connection, job_ids).values()}


def test_nothing_is_stopped_while_no_scheduler_runs(postgres_store: str, tmp_path: Path) -> None:
    settings = settings_of(postgres_store, tmp_path)
    with ExitStack() as stack:
        store = stack.enter_context(Store.open(postgres_store))
        real = stack.enter_context(cluster(tmp_path))
        stack.enter_context(real.agent(real.settings(run={"namespaces": ["default"], "maxRuns": JOBS})))
        with schedulers(settings, "a", "b") as before:
            with resources.connect(address(before[0]), who="ann") as api:
                api.create(queue("ml"))
            with jobs.connect(address(before[0]), who="ann") as api_of_jobs:
                job_ids = [each.job_id for each in api_of_jobs.submit(submitted())]
            until(lambda: states_of(store, job_ids) == {State.RUNNING}, "all running", seconds=60)
        leased = runs_of(store, job_ids)

        time.sleep(AWAY)
        ledger = real.client.get("/simulator/containers")
        assert [each["ended_at"] for each in ledger["containers"]] == [None] * JOBS

        with schedulers(settings, "c", "d") as after:
            until(lambda: any(process.leads() for process in after), "one leads", seconds=60)
            time.sleep(2 * LEASE)
            assert {job_id: [run.run_id for run in runs] for job_id, runs in runs_of(store, job_ids).items()} == {
                job_id: [run.run_id for run in runs] for job_id, runs in leased.items()
            }
            until(lambda: states_of(store, job_ids) == {State.SUCCEEDED}, "all succeeded", seconds=60)

        assert all(len(runs) == 1 and runs[0].verdict is None for runs in runs_of(store, job_ids).values())
        assert len(real.client.get("/simulator/containers")["containers"]) == JOBS
