"""The agent as a process: killed, stopped, started wrongly."""

import asyncio
import json
import random
import signal
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.cluster.living import Living, eventually, living
from tests.cluster.process import AgentProcess, run, write_settings

pytestmark = pytest.mark.slow


@asynccontextmanager
async def ready(settings: Path, tmp_path: Path) -> AsyncIterator[AgentProcess]:
    with AgentProcess(settings, log=tmp_path / "agent.log") as process:
        await eventually(lambda: asyncio.to_thread(lambda: process.has_ended() or process.is_ready()))
        assert not process.has_ended(), (tmp_path / "agent.log").read_text()
        yield process


async def test_an_agent_killed_again_and_again_tells_every_failure_once(tmp_path: Path) -> None:
    names = [f"p{number:03}" for number in range(200)]
    chance = random.Random(7)  # noqa: S311 - a course of kills, not a secret
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        failing = asyncio.create_task(fail_slowly(life, names))
        kills = 0
        while not failing.done() or kills < 4:
            async with ready(settings, tmp_path):
                await asyncio.sleep(chance.uniform(0.0, 0.6))
            kills += 1
        await failing
        async with ready(settings, tmp_path):
            assert [name for name, *_ in await life.until_reported(len(names))] == names
            await eventually(lambda: nobody_held(life, names))
        assert [name for name, *_ in life.reported()] == names


async def fail_slowly(life: Living, names: list[str]) -> None:
    for number, name in enumerate(names):
        await life.create(name)
        await life.fail(name)
        if number % 3 == 0:
            await life.delete(name)
        await asyncio.sleep(0.01)


async def nobody_held(life: Living, names: list[str]) -> bool:
    return not any([await life.is_held(name) for name in names])


async def test_sigterm_loses_nothing(tmp_path: Path) -> None:
    names = [f"p{number:03}" for number in range(60)]
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        async with ready(settings, tmp_path) as process:
            for name in names[:40]:
                await life.create(name)
                await life.fail(name)
            process.signal(signal.SIGTERM)
            for name in names[40:]:
                await life.create(name)
                await life.fail(name)
            assert await asyncio.to_thread(process.wait) == 0

        async with ready(settings, tmp_path) as process:
            assert [name for name, *_ in await life.until_reported(len(names))] == names
            process.signal(signal.SIGTERM)
            assert await asyncio.to_thread(process.wait) == 0
        assert [line["event"] for line in process.logged()][-2:] == ["stopping", "stopped"]


async def test_a_second_sigterm_ends_it_at_once(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life:
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        with AgentProcess(settings, log=tmp_path / "agent.log") as process:
            await life.create("a")
            await life.fail("a")
            await eventually(lambda: spooled(tmp_path / "spool.db") == 1)
            process.signal(signal.SIGTERM)
            await eventually(lambda: "stopping" in [line["event"] for line in process.logged()])
            process.signal(signal.SIGTERM)

            assert await asyncio.to_thread(process.wait) == 128 + signal.SIGTERM
        assert spooled(tmp_path / "spool.db") == 1


async def test_readiness_names_what_is_missing(tmp_path: Path) -> None:
    async with living(tmp_path, log=False) as life:
        settings = write_settings(life.settings(), tmp_path / "settings.yaml")
        with AgentProcess(settings, log=tmp_path / "agent.log") as process:
            await eventually(lambda: process.port() is not None)
            status, body = await asyncio.to_thread(process.ask, "/readyz")
            assert status == 503
            assert "event log" in body
            life.open_log()
            await eventually(lambda: asyncio.to_thread(process.is_ready))
            _, metrics = await asyncio.to_thread(process.ask, "/metrics")
            assert "failure_agent_spool_rows 0.0" in metrics


async def test_a_stop_before_the_cluster_was_reached_is_a_stop(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(kube={"url": "http://127.0.0.1:1"}), tmp_path / "settings.yaml")
        with AgentProcess(settings, log=tmp_path / "agent.log") as process:
            await eventually(lambda: len(process.logged()) > 1)
            process.signal(signal.SIGTERM)

            assert await asyncio.to_thread(process.wait) == 0


async def test_readiness_names_a_cause_once_and_in_plain_words(tmp_path: Path) -> None:
    async with living(tmp_path) as life:
        settings = write_settings(life.settings(kube={"url": "http://127.0.0.1:1"}), tmp_path / "settings.yaml")
        with AgentProcess(settings, log=tmp_path / "agent.log") as process:
            await eventually(lambda: process.port() is not None)
            await eventually(lambda: asyncio.to_thread(lambda: "cannot connect" in process.ask("/readyz")[1]))
            _, body = await asyncio.to_thread(process.ask, "/readyz")

    said = {name: check["message"] for name, check in json.loads(body)["checks"].items()}
    cause = "the cluster's id cannot be read from the API server: cannot connect to 127.0.0.1:1: Connection refused"
    waiting = dict.fromkeys(
        ("clock", "lease", "spool", "runs", "admission"), "not started: waits for the check cluster"
    )
    assert said == {"rights": "", "cluster": cause, "broker": "", **waiting}


def test_wrong_settings_end_with_2_and_every_fault(tmp_path: Path) -> None:
    file = tmp_path / "settings.yaml"
    file.write_text("cluster: East\n")

    ended = run("cluster", "--settings", str(file), "--broker", "pulsar://me:secret@broker")

    assert ended.returncode == 2
    assert f"{file}:1:10: cluster" in ended.stderr
    assert f"{file}:1:1: spool: required; add spool.path" in ended.stderr
    assert "command line: broker.url: a URL must not contain a password" in ended.stderr
    assert "secret@" not in ended.stderr


def test_wrong_rules_end_with_2_and_their_line(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("errorCategories:\n  categories:\n    - name: a\n      rules: [{onConditions: [Oomkilled]}]\n")
    file = tmp_path / "settings.yaml"
    file.write_text(
        f"cluster: east\ncategories: {rules}\nspool: {{path: {tmp_path}/s.db}}\nbroker: {{url: 'sqlite:///{tmp_path}/l'}}\n"
    )

    ended = run("cluster", "--settings", str(file))

    assert ended.returncode == 2
    assert f"{rules}:4:" in ended.stderr
    assert "OOMKilled" in ended.stderr


def test_somebody_elses_spool_ends_with_1(tmp_path: Path) -> None:
    spool = tmp_path / "spool.db"
    with sqlite3.connect(spool) as other:
        other.execute("CREATE TABLE theirs(x)")
    other.close()
    rules = tmp_path / "rules.yaml"
    rules.write_text("errorCategories: {categories: []}\n")
    file = tmp_path / "settings.yaml"
    file.write_text(
        f"cluster: east\ncategories: {rules}\nspool: {{path: {spool}}}\nbroker: {{url: 'sqlite:///{tmp_path}/l'}}\n"
    )

    ended = run("cluster", "--settings", str(file))

    assert (ended.returncode, "not a spool of failure-agent" in ended.stderr) == (1, True)


def spooled(path: Path) -> int:
    if not path.exists():
        return 0
    db = sqlite3.connect(path)
    try:
        return int(db.execute("SELECT count(*) FROM outbox").fetchone()[0])
    except sqlite3.OperationalError:
        return 0
    finally:
        db.close()
