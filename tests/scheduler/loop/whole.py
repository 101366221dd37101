"""A whole scheduler in this process, as ``failure-agent scheduler`` builds it, with an agent that follows scripts."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url

from agent.core.lifecycle.job import SubmittedJob
from agent.core.lifecycle.state import FINAL, State
from agent.scheduler.app import App, build
from agent.scheduler.config.files import configuration_files
from agent.scheduler.effects.write import submitted
from agent.store.store import Store
from agent.store.submitted import held
from tests.scheduler.following import assert_followed
from tests.scheduler.loop.outcomes import POLICY
from tests.scheduler.loop.scripted_agent import ScriptedAgent
from tests.scheduler.path import Place
from tests.scheduler.process import write_settings
from tests.scheduler.runs import POD
from tests.store.databases import new_store
from tests.store.submitted.made import new_job, submit

QUICK = {"runs": {"interval": "20ms", "gracefulShutdown": "confirmed", "lostCluster": "wait"}}
PATIENCE = 60.0
_NUMBERS = count(1)


def quick_settings(folder: Path, **settings: Any) -> Path:
    """Settings of a scheduler that decides as the scripts expect."""
    (policy := folder / "loop.yaml").write_text(POLICY)
    return write_settings(folder, **{**QUICK, "policies": [str(policy)], **settings})


@contextmanager
def scheduler(folder: Path, **settings: Any) -> Iterator[App]:
    """A scheduler that leads, if no other does."""
    files = configuration_files(quick_settings(folder, **settings), {}, {})
    with ExitStack() as stack, pytest.MonkeyPatch.context() as patched:
        name = f"scheduler-{next(_NUMBERS)}"
        patched.setattr("agent.scheduler.app.process_name", lambda: name)
        app = build(files.read(), files, stack)
        app.start()
        try:
            yield app
        finally:
            app.stop.set()
            for thread in (app.worker, *app.others):
                thread.join()


@dataclass
class Whole:
    """The files of a scheduler, and the jobs in them."""

    folder: Path
    store_url: str = ""
    jobs: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        files = Place.in_files(self.folder)
        self.place = replace(files, store_url=self.store_url or new_store(self.folder))

    def store_settings(self) -> dict[str, str]:
        """Where the store is, with its password in a file."""
        address = make_url(self.place.store_url)
        password = self.folder / "password"
        password.write_text(address.password or "")
        without = address._replace(password=None).render_as_string()
        return {"url": without, "passwordFile": str(password)}

    @contextmanager
    def agent(self, scripts: Mapping[str, Sequence[str]], **given: Any) -> Iterator[ScriptedAgent]:
        broker = self.place.open_log()
        agent = ScriptedAgent(broker, scripts, **given)
        agent.start()
        try:
            yield agent
        finally:
            agent.close()
            broker.close()

    def submit(self, *scripts: str) -> None:
        """Submit a job for each script, whose id is ``job-`` and its name."""
        with Store.open(self.place.store_url) as store, store.write() as connection:
            for script in scripts:
                job = new_job(f"job-{script}", pod=POD, job_set=script, submitted_at=datetime.now(UTC))
                submit(connection, job)
                submitted(connection, [job], now=job.submission.submitted_at)
                self.jobs.append(job.job_id)

    def held(self, store: Store) -> dict[str, SubmittedJob]:
        with store.read() as connection:
            return {job_id: found.job for job_id, found in held.load(connection, self.jobs).items()}

    def ended(self) -> dict[str, State]:
        """The states of all jobs once all have ended."""
        until = time.monotonic() + PATIENCE
        with Store.open(self.place.store_url) as store:
            while True:
                jobs = self.held(store)
                if all(job.state in FINAL for job in jobs.values()):
                    return {job_id.removeprefix("job-"): job.state for job_id, job in jobs.items()}
                assert time.monotonic() < until, jobs
                time.sleep(0.05)

    def assert_followed(self) -> None:
        """Whoever follows the job events knows of all jobs what the store has."""
        with Store.open(self.place.store_url) as store, closing(self.place.open_log()) as broker:
            assert_followed(store, broker, self.jobs)

    def runs(self) -> dict[str, list[tuple[int, int]]]:
        """Index and attempt of each run of each job."""
        with Store.open(self.place.store_url) as store:
            return {
                job_id.removeprefix("job-"): [(run.index, run.attempt) for run in job.runs]
                for job_id, job in self.held(store).items()
            }
