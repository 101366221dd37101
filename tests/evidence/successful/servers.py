"""``python -m tests.evidence.successful.servers NAME``: servers of the tests, disturbed and stopped in order.

Each is started from the cache, put to work, loses what it depends on, gets it back, and is stopped by SIGTERM. Their
logs are in the folder where this runs.
"""

import os
import shutil
import signal
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import psycopg
import yaml

from tests.child import STDOUT, Child, run
from tests.servers import site as parts
from tests.servers.availability import require
from tests.servers.control_plane import ControlPlane, Options
from tests.servers.control_plane_program import PROGRAM
from tests.servers.postgres_server import PostgresServer
from tests.servers.process import ServerProcess
from tests.servers.pulsar_broker import PulsarBroker

_OUTAGE_SECONDS: Final = 20.0
_WORK_SECONDS: Final = 10.0
_CONTROLLERS: Final = ("*",)
_STRESS: Final = """
create table item (id serial primary key, name text, weight double precision);
insert into item (name, weight) select 'item ' || n, random() from generate_series(1, 5000) n;
create index on item (name);
update item set weight = weight + 1 where id % 3 = 0;
analyze item;
vacuum full verbose item;
select count(*) from item a join item b using (name);
set statement_timeout = '20ms';
"""


def kubernetes(folder: Path) -> None:
    """etcd, kube-apiserver, controllers and scheduler: etcd paused and killed, then the API server, then all stop."""
    options = Options(durable=True, api_server=("-v=6",), controllers=("-v=6",))
    with ControlPlane(require("kubernetes"), folder / "site", options=options) as plane:
        plane.run_controllers(*_CONTROLLERS)
        scheduler = ServerProcess(
            [str(require("kubernetes") / PROGRAM), *parts.scheduler(plane.kubeconfig()), "-v=6"],
            log=plane.site.folder / "kube-scheduler.log",
        )
        _use(plane, folder / "kubectl.log")
        for disturb in (plane.etcd.pause, plane.etcd.kill, plane.kill_api_server):
            disturb()
            _use(plane, folder / "kubectl.log")
            time.sleep(_OUTAGE_SECONDS)
            plane.mend()
            _use(plane, folder / "kubectl.log")
        scheduler.end(signal.SIGTERM)
        for process in reversed(list(plane.living().values())):
            process.end(signal.SIGTERM)
    for log in (folder / "site").glob("*.log"):
        shutil.copy(log, folder / log.name)


def _use(plane: ControlPlane, log: Path) -> None:
    manifest = log.with_suffix(".yaml")
    manifest.write_text(yaml.safe_dump_all(_workload()), encoding="utf-8")
    kubectl = [str(require("kubernetes") / "kubectl"), f"--kubeconfig={plane.kubeconfig()}", "--request-timeout=5s"]
    asked: Sequence[Sequence[str]] = (
        ("apply", "-f", str(manifest)),
        ("get", "pods,jobs,deployments", "-A", "-o", "wide"),
        ("describe", "deployments"),
        ("get", "events", "-A"),
        ("delete", "-f", str(manifest), "--wait=false"),
    )
    for command in asked:
        done = run([*kubectl, "-v=8", *command])
        if done.returncode == 0:  # one that failed is not the log of a run that succeeded
            with log.open("a", encoding="utf-8") as out:
                out.write(done.stderr + done.stdout)


def _workload() -> Iterator[Mapping[str, object]]:
    template = {"spec": {"containers": [{"name": "main", "image": "busybox"}]}}
    labelled = template | {"metadata": {"labels": {"app": "web"}}}
    yield {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 3, "selector": {"matchLabels": {"app": "web"}}, "template": labelled},
    }
    once = {"spec": template["spec"] | {"restartPolicy": "Never"}}
    yield {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"}, "spec": {"template": once}}
    yield {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "settings"}, "data": {"a": "b"}}


def postgres(folder: Path) -> None:
    """A server that logs everything: clients that time out, deadlock and are terminated; killed, recovered, stopped."""
    settings = {"log_min_messages": "debug5", "log_statement": "all", "log_connections": "on", "log_lock_waits": "on"}
    with PostgresServer(require("postgres"), settings=settings) as server:
        log = server.folder / "postgres.log"
        for kill in (True, False):
            _stress(server)
            if kill:
                server.kill()
                server.mend()
        server.stop()
        shutil.copy(log, folder / "postgres.log")


def _stress(server: PostgresServer) -> None:
    with psycopg.connect(server.url(), autocommit=True) as session:
        session.execute("drop table if exists item")
        for statement in filter(str.strip, _STRESS.split(";")):
            session.execute(statement.encode())
        for mistake in (b"select pg_sleep(1)", b"select 1/0", b"select * from missing", b"insert into item values (1)"):
            with suppress(psycopg.Error):
                session.execute(mistake)
    with psycopg.connect(server.url()) as victim, psycopg.connect(server.url(), autocommit=True) as other:
        other.execute("select pg_terminate_backend(%s)", [victim.info.backend_pid])
        with suppress(psycopg.Error):
            victim.execute("select 1")
        victim.close()
    with suppress(psycopg.Error):
        psycopg.connect(server.url("missing"))


def pulsar(folder: Path) -> None:
    """A broker with clients that come, go and lose their connection, stopped in the end."""
    with _logging_everything(), PulsarBroker(require("pulsar"), folder / "pulsar") as broker:
        work = [sys.executable, "-c", _PULSAR_CLIENT, broker.proxied_url]
        with (
            (folder / "client.log").open("wb") as out,
            broker.network() as network,
            Child(work, stdout=out, stderr=STDOUT) as client,
        ):
            for _ in range(3):
                time.sleep(_WORK_SECONDS)
                network.cut()
                time.sleep(_WORK_SECONDS / 2)
                network.mend()
            client.wait(120)
        broker.stop()
        shutil.copy(folder / "pulsar" / "broker.log", folder / "broker.log")


_PULSAR_CLIENT: Final = """
import pulsar, sys, time
client = pulsar.Client(sys.argv[1], logger=pulsar.ConsoleLogger(pulsar.LoggerLevel.Debug), operation_timeout_seconds=30)
producer = client.create_producer("public/default/work", send_timeout_millis=60000)
consumer = client.subscribe("public/default/work", "workers")
for number in range(300):
    producer.send(b"%d" % number)
    consumer.acknowledge(consumer.receive(timeout_millis=60000))
    time.sleep(0.1)
client.close()
"""


@contextmanager
def _logging_everything() -> Iterator[None]:
    os.environ["JDK_JAVA_OPTIONS"] = "-Dstandalone.log=debug"
    try:
        yield
    finally:
        del os.environ["JDK_JAVA_OPTIONS"]


SERVERS: Final[Mapping[str, Callable[[Path], None]]] = {
    "kubernetes": kubernetes,
    "postgres": postgres,
    "pulsar": pulsar,
}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](Path.cwd())
