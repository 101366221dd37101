"""Makes the files of an earlier version that ``test_upgrade.py`` goes on with, as text, with the code of that version.

From a checkout of the commit, with this project's interpreter, so that ``agent`` and ``tests`` are of that commit:

    git worktree add --detach ../earlier 5aa6c50
    cd ../earlier && PYTHONPATH=. PYTHON ../PROJECT/tests/upgrade/make.py ../PROJECT/tests/upgrade

An agent and a scheduler see pods fail, over an event log, until both are killed: four failures are decided, two are
only in the log, two only in the agent's spool. There are also a queue, a policy and a dead letter.
"""

import sqlite3
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import yaml

from agent.broker.connect import connect
from agent.broker.port import Message
from agent.client import resources
from tests.child import PIPE, Child
from tests.cluster.process import AgentProcess
from tests.cluster.real import Real
from tests.scheduler.process import SchedulerProcess, write_settings
from tests.servers.client import Client
from tests.servers.patience import until

NAMESPACE: Final = "default"
POLICY: Final = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata: {name: codes}
spec:
  rules:
  - {name: code, action: Retry, retryLimit: 2, onExitCodes: {operator: In, values: [42]}}
---
apiVersion: armadaproject.io/v1
kind: Queue
metadata: {name: physics}
spec: {retryPolicies: [codes]}
"""


def main(target: Path) -> None:
    """Write ``store.sql``, ``log.sql`` and ``spool.sql``."""
    with TemporaryDirectory() as folder, ExitStack() as stack:
        made = Path(folder)
        _play(made, stack)
        stack.close()
        for name, file in (("store", "store.db"), ("log", "log.db"), ("spool", "agent/spool.db")):
            (target / f"{name}.sql").write_text(_dump(made / file))


def _play(folder: Path, stack: ExitStack) -> None:
    real = _cluster(folder, stack)
    scheduler = SchedulerProcess(write_settings(folder), log=folder / "scheduler.log")
    stack.callback(scheduler.end)
    until(scheduler.is_ready, "the scheduler ready")
    (served,) = [line for line in scheduler.logged() if line["event"] == "the API is served"]
    with resources.connect(f"127.0.0.1:{served['port']}", who="ann") as api:
        api.apply(POLICY)
    agent = real.start(real.settings())
    stack.callback(agent.kill)
    for number, code in enumerate((42, 42, 42, 7)):
        _fail(real, number, code)
    _send_garbage(folder)
    until(lambda: _count(folder / "store.db", "verdict") == 4 and not _waiting(folder), "decided")
    until(lambda: any("moved to the dead letters" in line["event"] for line in scheduler.logged()), "a dead letter")
    scheduler.kill()
    for number in (4, 5):
        _fail(real, number, 42)
    until(lambda: len(real.events()) >= 6 and not _waiting(folder), "published")
    _only_spooled(real, agent, folder)


def _cluster(folder: Path, stack: ExitStack) -> Real:
    """A simulated cluster, in which only clients write statuses."""
    file = folder / "kubeconfig"
    options = ("--cluster", "real", "--kubeconfig", str(file))
    simulator = stack.enter_context(Child([sys.executable, "-m", "agent.simulator", *options], stdout=PIPE))
    said = yaml.safe_load(simulator.line())
    client = Client(url=said["url"], tls=None, token=None)
    return Real(client=client, namespace=NAMESPACE, kubeconfig=file, folder=folder)


def _fail(real: Real, number: int, code: int) -> None:
    """The run of this number fails; the first three are of one job."""
    job = f"job-{max(number - 2, 0)}"
    labels = {"armada_job_id": job, "armada_job_run_id": f"run-{number}", "armada_queue_id": "physics"}
    real.create(f"pod-{number}", held=True, labels=labels)
    real.fail(f"pod-{number}", code)


def _send_garbage(folder: Path) -> None:
    """Publish what nobody can read."""
    with ExitStack() as stack:
        broker = stack.enter_context(closing(connect(f"sqlite:///{folder}/log.db")))
        sender = stack.enter_context(closing(broker.producer("run-events-gone", name="x")))
        sender.send(Message(key="x", payload=b"not an event"), sequence_id=1, done=lambda _: None)
        sender.flush(10)


def _only_spooled(real: Real, agent: AgentProcess, folder: Path) -> None:
    """Two failures that reach no broker, because its file is away."""
    (folder / "log.db").rename(folder / "away.db")
    for number in (6, 7):
        _fail(real, number, 42)
    until(lambda: _waiting(folder) == 2, "spooled")
    agent.kill()
    (folder / "away.db").rename(folder / "log.db")


def _waiting(folder: Path) -> int:
    """Failures in the spool that no broker has acknowledged."""
    with closing(sqlite3.connect(f"file:{folder}/agent/spool.db?mode=ro", uri=True)) as spool:
        return int(spool.execute("SELECT count(*) FROM outbox WHERE acked = 0").fetchone()[0])


def _count(file: Path, table: str) -> int:
    with closing(sqlite3.connect(f"file:{file}?mode=ro", uri=True)) as database:
        return int(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # noqa: S608 - a name from here


def _dump(file: Path) -> str:
    """A database as text, with what says whose it is."""
    with closing(sqlite3.connect(file)) as database:
        own = {name: database.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")}
        pragmas = "".join(f"PRAGMA {name} = {value};\n" for name, value in own.items())
        return pragmas + "\n".join(database.iterdump()) + "\n"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
