"""The simulator as its own process."""

import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import pytest
from typer.testing import CliRunner

from agent.simulator.__main__ import app
from tests.child import PIPE, Child, output_of, run
from tests.servers.patience import until
from tests.simulator.api import Api
from tests.simulator.playing import SHIPPED, rows
from tests.tables import table

pytestmark = pytest.mark.slow


@contextmanager
def started(*options: str) -> Iterator[tuple[Child, dict[str, str]]]:
    """A simulator, and what its first line says."""
    with Child([sys.executable, "-m", "agent.simulator", *options], stdout=PIPE) as process:
        yield process, json.loads(process.line())


@contextmanager
def simulator(*options: str) -> Iterator[tuple[Child, str]]:
    with started(*options) as (process, said):
        yield process, said["url"]


async def test_it_serves_plays_and_stops_when_told(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    options = ("--workload", str(SHIPPED), "--for", "4s", "--speed", "10", "--record", str(record), "--cluster", "one")
    with simulator(*options) as (process, url):
        async with aiohttp.ClientSession() as session:
            api = Api(session, url)
            async with api.watch("/api/v1/pods") as events:
                while not (status := await api.get("/simulator/status"))["done"]:
                    await events.next()
            assert status["ended"] == len([row for row in rows(record) if not row["in_run"]]) > 15
            process.send(signal.SIGTERM)
            assert process.wait() == 0


async def test_it_has_the_namespaces_that_are_asked_for() -> None:
    with simulator("--namespace", "training", "--namespace", "batch") as (_, url):
        async with aiohttp.ClientSession() as session:
            listed = await Api(session, url).get("/api/v1/namespaces")

    assert {each["metadata"]["name"] for each in listed["items"]} == {"kube-system", "default", "training", "batch"}


def test_the_record_survives_a_kill(tmp_path: Path) -> None:
    record = tmp_path / "record.jsonl"
    record.write_text('{"kind":"before"}\n')
    with simulator("--workload", str(SHIPPED), "--speed", "10", "--record", str(record)) as (process, _):
        until(lambda: len(record.read_text().splitlines()) >= 5, "recorded")
        assert process.returned() is None
    assert rows(record)[0] == {"kind": "before"}
    assert all(row["ended_at"] > 0 for row in rows(record)[1:])


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--workload", "nowhere.yaml"), "nowhere.yaml"),
        (("--scripts", "nowhere.yaml"), "nowhere.yaml"),
        (("--for", "3s"), "need --workload"),
    ],
)
def test_what_cannot_be_used_is_said_at_once(options: tuple[str, ...], said: str) -> None:
    done = CliRunner().invoke(app, options)

    assert done.exit_code == 2
    assert said in done.stderr


@pytest.mark.parametrize("content", [b"\xff\x00", b"[" * 20_000])
@pytest.mark.parametrize("option", ["--workload", "--scripts"])
def test_files_that_are_no_text_or_too_deep_are_named(option: str, content: bytes, tmp_path: Path) -> None:
    (tmp_path / "bad.yaml").write_bytes(content)

    done = CliRunner().invoke(app, [option, str(tmp_path / "bad.yaml")])

    assert (done.exit_code, "bad.yaml" in done.stderr) == (2, True)


def test_a_kubeconfig_leads_to_it(tmp_path: Path) -> None:
    file = tmp_path / "kubeconfig"
    with simulator("--kubeconfig", str(file), "--cluster", "east") as (_, url):
        held = json.loads(done(["finalizers", "list", "--kubeconfig", str(file), "-o", "json"]))
        written = table(file)

    assert held == []
    assert (written["current-context"], written["clusters"][0]["cluster"]) == ("east", {"server": url})


def test_the_path_of_the_kubeconfig_is_printed_without_detours(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with started("--kubeconfig", str(tmp_path / "folder" / ".." / "kubeconfig")) as (_, said):
        assert said["kubeconfig"] == str(tmp_path.resolve() / "kubeconfig")


def test_a_kubeconfig_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "agent.simulator", "--kubeconfig", str(tmp_path / "no" / "folder")]
    refused = run(command)

    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith("failure-agent simulator: No such file or directory: ")


def done(arguments: Sequence[str]) -> str:
    return output_of([sys.executable, "-m", "agent.ctl.main", *arguments])


def test_a_taken_port_is_said_at_once() -> None:
    with simulator() as (_, url):
        again = run([sys.executable, "-m", "agent.simulator", "--port", url.rpartition(":")[2]])
    assert again.returncode == 2
    assert "port" in again.stderr
    assert "Traceback" not in again.stderr
