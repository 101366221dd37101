"""Processes that share an event log are killed, at random and in the middle of things; nothing may show it."""

import json
import random
import signal
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from agent.broker.port import SubscriptionKind
from tests.broker.eventlog.programs import TOPIC, Effects, open_log
from tests.child import PIPE, Child
from tests.servers.patience import until

pytestmark = [pytest.mark.slow, pytest.mark.timeout(240)]  # processes that share two processors are killed
EVENTS = 1500


class Troupe:
    """Programs by name; started again when killed, told to stop at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._commands: dict[str, tuple[str, ...]] = {}
        self._running: dict[str, Child] = {}

    def start(self, name: str, program: str, *arguments: str) -> None:
        self._commands[name] = (program, str(self._folder), *arguments)
        self._running[name] = Child([sys.executable, "-m", "tests.broker.eventlog.programs", *self._commands[name]])

    def kill_and_restart(self, name: str) -> None:
        self._running[name].end()
        program, _, *arguments = self._commands[name]
        self.start(name, program, *arguments)

    def pause(self, name: str, seconds: float) -> None:
        self._running[name].send(signal.SIGSTOP)
        time.sleep(seconds)
        self._running[name].send(signal.SIGCONT)

    def stop(self) -> list[int]:
        for program in self._running.values():
            until(partial(_can_be_told, program), "told of SIGTERM")
            program.send(signal.SIGTERM)
        return [program.wait() for program in self._running.values()]

    def kill(self) -> None:
        for program in self._running.values():
            program.end()


def _can_be_told(program: Child) -> bool:
    return program.returned() is not None or _is_told_of_sigterm(program.pid)


def _is_told_of_sigterm(pid: int) -> bool:
    """Whether the program has begun so far that SIGTERM does not just end it."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    caught = next(line.split()[1] for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught, 16) >> (signal.SIGTERM - 1) & 1)


@pytest.fixture
def troupe(tmp_path: Path) -> Iterator[Troupe]:
    log = open_log(tmp_path)
    log.ensure_subscription(TOPIC, "scheduler")
    log.close()
    made = Troupe(tmp_path)
    yield made
    made.kill()


def start_all(troupe: Troupe, *, per_second: int, lease: float = 1.0) -> None:
    troupe.start("producer", "produce", str(EVENTS), str(per_second))
    for name in ("c1", "c2", "c3"):
        troupe.start(name, "consume", name, str(lease))


def wait_for_effects(folder: Path, count: int = EVENTS) -> int:
    """Wait until there are ``count`` effects; gives how many there are then."""
    effects = Effects(folder / "effects.db", "test")
    deadline = time.monotonic() + 150
    while (done := len(effects.read()[0])) < min(count, EVENTS):
        assert time.monotonic() < deadline, f"{done} of {count} effects"
        time.sleep(0.05)
    return done


def check_effects(folder: Path) -> None:
    done, _ = Effects(folder / "effects.db", "test").read()
    assert sorted(int(event) for event, _, _ in done) == list(range(1, EVENTS + 1))
    by_key: dict[str, list[int]] = {}
    for event, key, _ in done:
        by_key.setdefault(key, []).append(int(event))
    assert all(order == sorted(order) for order in by_key.values()), "a key's events were done out of order"
    assert len({who for _, _, who in done}) > 1, "the keys were not shared"


def check_log(folder: Path) -> None:
    connection = sqlite3.connect(folder / "log.db")
    bodies = [int(body) for (body,) in connection.execute("SELECT payload FROM message ORDER BY id")]
    waiting = connection.execute("SELECT count(*) FROM pending").fetchone()[0]
    (intact,) = connection.execute("PRAGMA integrity_check").fetchone()
    connection.close()
    assert bodies == list(range(1, EVENTS + 1)), "the log has an event twice, or out of order, or not at all"
    assert waiting == 0
    assert intact == "ok"


@pytest.mark.parametrize("seed", [1, 2])
def test_kills_at_random_lose_nothing_and_keep_the_order_of_each_key(troupe: Troupe, tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311 - which process dies next is no secret
    start_all(troupe, per_second=150)
    done = 0
    for _ in range(12):
        done = wait_for_effects(tmp_path, done + chance.randint(1, 120))
        time.sleep(chance.uniform(0.0, 0.1))
        troupe.kill_and_restart(chance.choice(["producer", "c1", "c2", "c3"]))
    wait_for_effects(tmp_path)

    assert troupe.stop() == [0, 0, 0, 0]
    check_effects(tmp_path)
    check_log(tmp_path)


def test_a_consumer_that_stalls_past_its_lease_does_no_harm(troupe: Troupe, tmp_path: Path) -> None:
    start_all(troupe, per_second=300)
    done = 0
    for name in ("c1", "c2", "c3"):
        done = wait_for_effects(tmp_path, done + 150)
        troupe.pause(name, 1.6)
    wait_for_effects(tmp_path)

    assert troupe.stop() == [0, 0, 0, 0]
    check_effects(tmp_path)
    check_log(tmp_path)


def test_a_producer_that_lost_its_topic_stores_nothing_more(troupe: Troupe, tmp_path: Path) -> None:
    troupe.start("producer", "produce", str(EVENTS), "300")
    troupe.start("c1", "consume", "c1", "1")
    wait_for_effects(tmp_path, 50)
    log = open_log(tmp_path)
    usurper = log.producer(TOPIC, name="agent/c1/spool", exclusive=True)
    stored = usurper.last_sequence_id()
    time.sleep(1.0)

    assert usurper.last_sequence_id() == stored >= 50
    log.close()


def test_terminated_processes_end_by_themselves_and_leave_nothing_undone(troupe: Troupe, tmp_path: Path) -> None:
    start_all(troupe, per_second=500, lease=60)
    wait_for_effects(tmp_path, 100)
    assert troupe.stop() == [0, 0, 0, 0]
    start_all(troupe, per_second=500, lease=60)
    wait_for_effects(tmp_path)
    assert troupe.stop() == [0, 0, 0, 0]

    _, again = Effects(tmp_path / "effects.db", "test").read()
    assert again == 0, "a consumer that was told to stop left effects unacknowledged"
    check_effects(tmp_path)
    check_log(tmp_path)


def test_many_processes_make_one_log(start: Callable[..., Child], tmp_path: Path) -> None:
    at = str(time.time() + 1.5)
    command = [sys.executable, "-m", "tests.broker.eventlog.programs", "create", str(tmp_path), at]
    started = [start(command, stdout=PIPE) for _ in range(6)]

    answers = [child.rest()[0] for child in started]

    assert [json.loads(answer) for answer in answers] == [[TOPIC]] * 6
    log = open_log(tmp_path)
    subscription = log.subscribe([TOPIC], name="scheduler", kind=SubscriptionKind.KEY_SHARED, consumer="c")
    assert list(subscription.receive(at_most=1, timeout=0)) == []
    log.close()
