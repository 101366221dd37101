"""What the version before jobs could be submitted left is gone on with: nothing is lost, decided twice or hidden."""

import io
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from sqlalchemy import make_url, select

from agent.api.v1 import job_pb2
from agent.broker.connect import connect
from agent.broker.port import Message, SubscriptionKind
from agent.broker.publish.in_flight import SEQUENCE, SPOOL_ID
from agent.broker.topics import dead_letter_topic
from agent.client import jobs
from agent.console.exits import Exit
from agent.ctl.explain.explain import ExplainRequest, run
from agent.scheduler.consume.handler import SUBSCRIPTION
from agent.shipped import shipped
from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.store import resources
from agent.store.store import Store
from agent.store.tables.failures import table as failure_table
from agent.store.tables.verdicts import table as verdict_table
from tests.child import PIPE, Child
from tests.cluster.real import Real
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.servers.client import Client
from tests.servers.patience import until
from tests.store.databases import store_url
from tests.upgrade.files import DECIDED, RUNS, UNDECIDED, restore, restore_store

__all__ = ["store_url"]

DROPPED = "failure_agent_scheduler_duplicates_total "
JOB = {
    "queue": "physics",
    "jobSetId": "new",
    "jobs": [
        {
            "clientId": "first",
            "namespace": "default",
            "annotations": {SCRIPT_ANNOTATION: "success"},
            "podSpec": {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]},
        }
    ],
}


def verdicts(store: Store) -> dict[str, str]:
    with store.read() as connection:
        rows = connection.execute(select(verdict_table.c.run_id, verdict_table.c.action))
        return {row.run_id: row.action for row in rows}


def reading(url: str, folder: Path) -> Path:
    """Settings that name the store, with its password in a file."""
    address, password, file = make_url(url), folder / "password", folder / "reading.yaml"
    password.write_text(address.password or "")
    store = {"url": address._replace(password=None).render_as_string(), "passwordFile": str(password)}
    file.write_text(yaml.safe_dump({"broker": {"url": f"sqlite:///{folder}/log.db"}, "store": store}))
    return file


def explained(settings: Path, name: str) -> str:
    """What ``failctl explain`` says."""
    out = io.StringIO()
    request = ExplainRequest(identifier=name, settings=settings, details=True, utc=True)
    assert run(request, environ={}, out=out, err=out, now=datetime(2026, 11, 27, tzinfo=UTC)) is Exit.FINE
    return out.getvalue()


def test_the_store_has_all_it_had_and_explain_shows_it(store_url: str, tmp_path: Path) -> None:
    restore_store(store_url, tmp_path)

    with Store.open(store_url) as store, store.read() as connection:
        kept = {each.name for each in resources.everything(connection)}
        assert verdicts(store) == DECIDED

    assert kept == {"codes", "physics"}
    settings = reading(store_url, tmp_path)
    text = explained(settings, "job-0")
    assert "limit: retries granted under codes/code: 2 of 2 (retryLimit of the rule): forbidden" in text
    assert text.count("mode: policies; counted for job job-0") == 3
    assert "default action of policy codes" in explained(settings, "run-3")


@dataclass(frozen=True, kw_only=True)
class Upgraded:
    """An agent and a scheduler of today on the files of before, beside a cluster of the same id without those pods."""

    folder: Path
    scheduler: SchedulerProcess

    @property
    def store_url(self) -> str:
        return f"sqlite:///{self.folder}/store.db"

    def published(self) -> Sequence[Message]:
        """Every event in the log, in its order."""
        with closing(connect(f"sqlite:///{self.folder}/log.db")) as broker:
            reader = broker.subscribe(["run-events-real"], name="t", kind=SubscriptionKind.FAILOVER, consumer="t")
            found: list[Message] = []
            while some := reader.receive(at_most=500, timeout=0.1):
                found += [each.message for each in some]
                reader.ack(some)
            return found

    def publish_again(self, messages: Sequence[Message]) -> None:
        """As if another replica of the agent had sent them."""
        with ExitStack() as stack:
            broker = stack.enter_context(closing(connect(f"sqlite:///{self.folder}/log.db")))
            sender = stack.enter_context(closing(broker.producer("run-events-again", name="t")))
            for number, message in enumerate(messages, start=1):
                sender.send(message, sequence_id=number, done=lambda _: None)
            sender.flush(10)

    def dropped(self) -> int:
        """How many messages the scheduler knew already."""
        lines = self.scheduler.ask("/metrics")[1].splitlines()
        return sum(round(float(line.split()[-1])) for line in lines if line.startswith(DROPPED))

    def dead_letters(self) -> int:
        topic = dead_letter_topic("run-events-gone", SUBSCRIPTION)
        with closing(connect(f"sqlite:///{self.folder}/log.db")) as broker, closing(broker.dead_letters(topic)) as dead:
            return len(list(dead.read()))

    def address(self) -> str:
        (served,) = [line for line in self.scheduler.logged() if line["event"] == "the API is served"]
        return f"127.0.0.1:{served['port']}"


@pytest.fixture
def upgraded(tmp_path: Path) -> Iterator[Upgraded]:
    for name, file in (("store", "store.db"), ("log", "log.db"), ("spool", "agent/spool.db")):
        restore(name, tmp_path / file)
    with ExitStack() as stack:
        real = stack.enter_context(cluster(tmp_path))
        quick = {"runs": {"interval": "100ms"}}
        scheduler = SchedulerProcess(write_settings(tmp_path, **quick), log=tmp_path / "scheduler.log")
        stack.callback(scheduler.end)
        stack.enter_context(real.agent(real.settings(run={"namespaces": ["default"], "maxRuns": 5})))
        until(scheduler.is_ready, "the scheduler ready", seconds=60)
        yield Upgraded(folder=tmp_path, scheduler=scheduler)


@contextmanager
def cluster(folder: Path) -> Iterator[Real]:
    """A simulated cluster, whose id follows from its name, and which plays scripts."""
    file, scripts = folder / "kubeconfig", str(shipped("simulator/user.yaml"))
    options = ("--cluster", "real", "--scripts", scripts, "--speed", "10", "--kubeconfig", str(file))
    with Child([sys.executable, "-m", "agent.simulator", *options], stdout=PIPE) as simulator:
        client = Client(url=json.loads(simulator.line())["url"], tls=None, token=None)
        yield Real(client=client, namespace="default", kubeconfig=file, folder=folder)


@pytest.mark.slow
def test_an_agent_and_a_scheduler_go_on_where_those_of_before_were_killed(upgraded: Upgraded) -> None:
    with Store.open(upgraded.store_url) as store, jobs.connect(upgraded.address(), who="ann") as api:
        until(lambda: len(verdicts(store)) >= len(RUNS), "every failure decided", seconds=60)
        (submitted,) = api.submit(yaml.safe_dump(JOB))
        until(
            lambda: api.get([submitted.job_id])[0].state == job_pb2.JOB_STATE_SUCCEEDED, "the job succeeded", seconds=60
        )
        published, before = upgraded.published(), upgraded.dropped()
        upgraded.publish_again([message for message in published if message.key.startswith("job-")])
        until(lambda: upgraded.dropped() >= before + len(RUNS), "the copies were dropped", seconds=60)
        with store.read() as connection:
            failed = Counter(connection.scalars(select(failure_table.c.run_id)))

        assert verdicts(store) == {**DECIDED, **UNDECIDED}
        assert failed == dict.fromkeys(RUNS, 1)
    sequences = [int(message.properties[SEQUENCE]) for message in published]
    assert sequences[:9] == list(range(1, 10))
    assert sequences == sorted(set(sequences))
    assert len({message.properties[SPOOL_ID] for message in published}) == 1
    assert upgraded.dead_letters() == 1
