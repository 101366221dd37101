"""``failctl`` with the API of a store that has a queue, and jobs that go on as a test says."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog.testing
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from agent.core.lifecycle.advance import advance
from agent.core.lifecycle.effects import Step
from agent.ctl.main import app
from agent.ctl.server import VARIABLE
from agent.scheduler.service.plan import Intent
from agent.store import clusters
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.changes import Change, save
from tests.core.lifecycle.made import read
from tests.manifests.resource.documents import queue
from tests.scheduler.service.site import AT, Site, served, site
from tests.store.databases import new_store
from tests.store.test_clusters import EAST

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: jobs}}
spec: {{restartPolicy: Never, containers: [{{name: main, image: {image}}}]}}
"""


def pod(name: str = "train", *, image: str = "busybox") -> str:
    return POD.format(name=name, image=image)


@dataclass(frozen=True, kw_only=True)
class Program:
    """``failctl`` in a folder of its own, and what is behind it."""

    api: Site
    address: str
    folder: Path

    def __call__(self, *words: str, **more: Any) -> Result:
        env = {VARIABLE: self.address, "USER": "alice", "LOGNAME": "alice", "COLUMNS": "80"}
        return CliRunner().invoke(app, [*words], env=env, **more)

    def write(self, name: str, text: str) -> str:
        (self.folder / name).write_text(text)
        return str(self.folder / name)

    def play(self, job_id: str, *lines: str) -> None:
        """Lead a job on by lines as ``leased r0 timer``, all at the time of the API."""
        with self.api.store.decide({job_id}) as connection:
            before = held.load(connection, [job_id])[job_id].job
            job = before
            for line in lines:
                step = advance(job, read(line, AT), AT)
                assert isinstance(step, Step), line
                job = step.job
            save(connection, [Change(before=before, after=job, wakes_at=None, events=1)], at=AT)


@contextmanager
def program(folder: Path) -> Iterator[Program]:
    with (
        Store.open(new_store(folder)) as store,
        served(made := site(store)) as address,
        structlog.testing.capture_logs(),  # the server, which runs in this process, would log into the output
    ):
        made.resources.put(queue("ml"), who="alice", intent=Intent.CREATE)
        with store.write() as connection:
            beat = replace(EAST, cluster_id="east", cluster="east")
            clusters.record(connection, beat, received_at=AT)
        yield Program(api=made, address=address, folder=folder)
