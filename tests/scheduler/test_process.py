"""The scheduler as a process: settings, readiness, being stopped and being killed."""

import json
import random
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import pytest

from agent.broker.port import Message
from agent.store.store import Store
from tests.child import run
from tests.scheduler.path import Place, message, publish, verdicts_of, wait_until
from tests.scheduler.process import SchedulerProcess, command, environment, write_settings
from tests.store.events import event, failed
from tests.volume import rewrite

pytestmark = pytest.mark.slow

JOBS = 7


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place.in_files(tmp_path)


@pytest.fixture
def started() -> Iterator[list[SchedulerProcess]]:
    """Every process a test starts; they end with it."""
    processes: list[SchedulerProcess] = []
    yield processes
    for process in processes:
        process.end()


def failures(count: int, *, first: int = 0) -> list[Message]:
    return [
        message(event(f"e{number}", failed(), run=f"run-{number}", job=f"job-{number % JOBS}"))
        for number in range(first, first + count)
    ]


def has_decided(store: Store, runs: int) -> bool:
    return len(verdicts_of(store)) >= runs


def test_it_decides_says_that_it_is_ready_and_stops_when_asked(
    place: Place, started: list[SchedulerProcess], tmp_path: Path
) -> None:
    process = SchedulerProcess(write_settings(tmp_path), log=tmp_path / "log")
    started.append(process)
    wait_until(process.is_ready)
    log = place.open_log()
    publish(log, failures(10))
    with Store.open(place.store_url) as store:
        wait_until(lambda: len(verdicts_of(store)) == 10)

    checks = json.loads(process.ask("/readyz")[1])["checks"]
    assert {name for name, check in checks.items() if check["ok"]} == checks.keys()
    assert checks.keys() == {"broker", "store", "consumer", "heartbeats", "schedule"}
    assert process.ask("/healthz")[0] == 200
    decided = 'failure_agent_scheduler_decided_total{origin="unknown",verdict="retry"} 10.0'
    wait_until(lambda: decided in process.ask("/metrics")[1])
    assert process.terminate() == 0
    assert [line["event"] for line in process.logged()][-1] == "stopped"
    log.close()


def test_it_is_not_ready_while_its_store_is_gone(place: Place, started: list[SchedulerProcess], tmp_path: Path) -> None:
    process = SchedulerProcess(write_settings(tmp_path), log=tmp_path / "log")
    started.append(process)
    wait_until(process.is_ready)
    with Store.open(place.store_url) as store, store.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")

    status, body = process.ask("/readyz")
    assert status == 503
    assert "9999" in json.loads(body)["checks"]["store"]["message"]


def test_a_store_that_is_moved_away_is_not_written_until_it_is_back(
    place: Place, started: list[SchedulerProcess], tmp_path: Path
) -> None:
    process = SchedulerProcess(write_settings(tmp_path), log=tmp_path / "log")
    started.append(process)
    wait_until(process.is_ready)
    file = Path(place.store_url.removeprefix("sqlite:///"))
    file.rename(file.with_name("moved.db"))

    status, body = process.ask("/readyz")
    assert status == 503
    assert "was deleted or moved while it was open" in json.loads(body)["checks"]["store"]["message"]
    with closing(place.open_log()) as log:
        publish(log, failures(1))
    wait_until(lambda: "was deleted or moved" in process.ask("/readyz")[1].partition('"consumer"')[2])
    assert not file.exists()

    file.with_name("moved.db").rename(file)
    with Store.open(place.store_url) as store:
        wait_until(lambda: has_decided(store, 1))


def test_two_killed_again_and_again_lose_nothing_and_decide_nothing_twice(
    place: Place, started: list[SchedulerProcess], tmp_path: Path
) -> None:
    settings, log, draw = write_settings(tmp_path), place.open_log(), random.Random(6)  # noqa: S311 - when to kill
    total = 0
    with Store.open(place.store_url) as store:
        for life in range(4):
            pair = [SchedulerProcess(settings, log=tmp_path / f"log-{life}-{one}") for one in "ab"]
            started.extend(pair)
            wait_until(pair[0].is_ready)
            for _ in range(draw.randint(1, 10)):
                publish(log, failures(30, first=total))
                total += 30
            wait_until(partial(has_decided, store, draw.randint(1, total)))
            for process in pair:
                process.kill()
        last = SchedulerProcess(settings, log=tmp_path / "log-last")
        started.append(last)
        wait_until(last.is_ready)
        wait_until(partial(has_decided, store, total))
        assert len(verdicts_of(store)) == total
        assert last.terminate() == 0
        assert list(verdicts_of(store).values()).count("retry") == JOBS * 3
    log.close()


def has_logged(process: SchedulerProcess, event: str) -> bool:
    return event in [line["event"] for line in process.logged()]


def revision_of(metrics: str) -> str:
    (line,) = [line for line in metrics.splitlines() if line.startswith("failure_agent_policies_info{")]
    return line.split('"')[1]


def test_policies_change_while_it_runs_and_bad_ones_do_not(
    place: Place, started: list[SchedulerProcess], tmp_path: Path
) -> None:
    settings, log = write_settings(tmp_path, reload="50ms"), place.open_log()
    process = SchedulerProcess(settings, log=tmp_path / "log")
    started.append(process)
    wait_until(process.is_ready)
    policy = tmp_path / "ml.yaml"
    before = revision_of(process.ask("/metrics")[1])
    with Store.open(place.store_url) as store:
        publish(log, failures(1))
        wait_until(partial(has_decided, store, 1))
        rewrite(policy, policy.read_text().replace("action: Retry", "action: Fail").replace("retryLimit: 3", ""))
        wait_until(partial(has_logged, process, "settings and policies were read again"))
        publish(log, failures(1, first=1))
        wait_until(partial(has_decided, store, 2))
        taken = revision_of(process.ask("/metrics")[1])
        rewrite(policy, policy.read_text().replace("action: Fail", "action: Fale"))
        wait_until(
            partial(
                has_logged, process, "changed settings or policies cannot be used; the last valid ones stay in effect"
            )
        )
        publish(log, failures(1, first=2))
        wait_until(partial(has_decided, store, 3))
        verdicts = verdicts_of(store)

    assert [verdicts[f"run-{number}"] for number in range(3)] == ["retry", "fail", "fail"]
    metrics = process.ask("/metrics")[1]
    assert before != taken == revision_of(metrics)
    assert "failure_agent_configuration_refused 1.0" in metrics
    (refused,) = [line for line in process.logged() if "cannot be used" in line["event"]]
    assert f"{policy}:8:" in refused["faults"]
    assert "Fale" in refused["faults"]
    wait_until(process.is_ready)
    log.close()


@pytest.mark.parametrize(
    ("changed", "code", "said"),
    [
        ({"scheduling": {"retryPolicy": {"enabeld": True}}}, 2, "did you mean `enabled`?"),
        ({"scheduling": {"retryPolicy": {"globalMaxRetries": -1}}}, 2, "scheduling.retryPolicy.globalMaxRetries"),
        ({"retryPolicy": {"enabled": True}}, 2, "retryPolicy: no such setting"),
        ({"api": {"host": "192.0.2.1"}}, 2, "the API has no access control yet"),
        ({"policies": ["settings.yaml"]}, 2, "settings.yaml"),
        ({"policies": ["not-there.yaml"]}, 2, "not-there.yaml"),
        ({"broker": {"url": "kafka://somewhere"}}, 2, "there is no such broker"),
        ({"store": {"url": "mysql://somewhere"}}, 2, "there is no such store"),
        ({"store": {"url": "sqlite:///settings.yaml/store.db"}}, 3, "cannot be opened"),
    ],
)
def test_settings_that_cannot_work_are_said_at_once(
    tmp_path: Path, changed: dict[str, object], code: int, said: str
) -> None:
    settings = write_settings(tmp_path, **changed)

    ended = run(command(settings), cwd=tmp_path, env=environment())

    assert (ended.returncode, said in ended.stderr) == (code, True), ended.stderr
    assert "Traceback" not in ended.stderr
