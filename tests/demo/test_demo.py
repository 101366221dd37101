"""The demo as somebody starts it, from the first line to the command it ends with."""

import json
import os
import shlex
import shutil
import signal
import time
from itertools import takewhile
from pathlib import Path
from urllib.request import urlopen

import pytest
from sqlalchemy import select

from agent.core.failure_text.category import leaf
from agent.demo.layout import CLUSTERS, Layout
from agent.demo.outcome import Outcome
from agent.demo.standings import read_standings
from agent.manifests.submission.read import read_submissions
from agent.store.store import Store
from agent.store.submitted.tables import run_table
from agent.store.tables.failures import table as failure
from agent.store.tables.verdicts import table as verdict
from tests.child import PIPE, Child, run
from tests.demo.ended import COMMAND, GROUP, Shown
from tests.lookout.process import LookoutProcess
from tests.scheduler.path import wait_until
from tests.tables import table

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]  # it waits until all jobs have ended

EXPECTED = table(Path(__file__).parents[1] / "config" / "demo_failures.yaml")
SIGNALS = [
    pytest.param(signal.SIGINT, 130, id="ctrl_c"),
    pytest.param(signal.SIGTERM, 143, id="term", marks=pytest.mark.long),
]
"""The same code stops on both: tests/process/test_stopping.py and test_staying.py have each of them, without a demo."""

RESTARTED = "restarted-in-place"
"""No job plays it: the containers of a run are not started again."""


@pytest.mark.xdist_group(GROUP)
def test_the_command_at_the_end_of_a_wide_demo_in_another_folder_works(wide: Shown) -> None:
    assert explained_by_its_last_line(wide.lines, wide.started_in).startswith("FAILED  ")


def explained_by_its_last_line(lines: list[str], folder: Path) -> str:
    command = lines[-1].strip()
    explained = run(["sh", "-c", command], cwd=folder)

    assert (explained.returncode, explained.stderr) == (0, ""), command
    assert lines[-2] == "Ask why a job failed:"

    hint = explained.stdout[explained.stdout.rindex("\n\n") :].partition(" get failures")[0].rpartition("\n")[0]
    details = run(["sh", "-c", hint], cwd=folder)
    assert (details.returncode, details.stderr) == (0, ""), hint
    assert "mode: policies" in details.stdout
    return explained.stdout


@pytest.mark.xdist_group(GROUP)
def test_lookout_answers_again_as_the_end_says(wide: Shown, tmp_path: Path) -> None:
    (ask,) = {line.strip() for line in wide.lines if line.startswith("  curl ")}
    address = ask.partition("'")[2].partition("/api/")[0]
    assert f"failure-agent lookout --settings lookout.yaml serves {address} again" in " ".join(wide.lines)
    process = LookoutProcess(wide.files / "lookout.yaml", log=tmp_path / "lookout.log")
    try:
        wait_until(lambda: "the API is served" in (tmp_path / "lookout.log").read_text())
        assert json.loads(answer_to(ask))["count"] > 0
    finally:
        process.end()


@pytest.mark.xdist_group(GROUP)
def test_what_is_retried_runs_again_with_more_memory_and_ends(wide: Shown) -> None:
    layout = Layout(folder=wide.files)
    submitted = read_submissions(layout.jobs.read_text(), file="jobs.yaml").value_or_raise()
    with Store.attach(layout.store_url) as store, store.read() as connection:
        standings = read_standings(store)
        memory = connection.scalars(select(run_table.c.memory).where(run_table.c.memory.is_not(None))).all()

    assert len(standings) == len(submitted)
    assert {standing.outcome for standing in standings.values()} == {*Outcome} - {Outcome.UNFINISHED}
    assert any(line.endswith("run 2 of the job succeeded") for line in wide.lines)
    assert {each["limit"] for found in memory for each in found} >= {32 << 30}


@pytest.mark.xdist_group(GROUP)
def test_every_failure_is_attributed_rightly(wide: Shown) -> None:
    """What the rules say of each failure where pods, events and nodes come over the wire, in their order."""
    layout = Layout(folder=wide.files)
    for cluster in CLUSTERS:
        played = {row["pod_uid"]: row["script"] for row in records(layout.record(cluster))}
        found = attributed(layout, cluster)
        seen = {(script, *found[uid]) for uid, script in played.items()}
        expected = {(script, row["category"], row["origin"]) for script, row in EXPECTED[cluster].items()}
        assert seen == {row for row in expected if row[0] != RESTARTED}


def records(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def attributed(layout: Layout, cluster: str) -> dict[str, tuple[str, str]]:
    """The category and the origin of the failure that decided about each pod."""
    names = ("pod_uid", "category", "subcategory", "origin")
    query = select(*(failure.c[name] for name in names)).join(verdict, verdict.c.event_id == failure.c.event_id)
    with Store.attach(layout.store_url) as store, store.read() as connection:
        rows = connection.execute(query.where(failure.c.cluster == cluster)).all()
    return {row.pod_uid: (leaf(row.category, row.subcategory), row.origin) for row in rows}


def test_a_reader_that_leaves_ends_it(tmp_path: Path) -> None:
    with Child(COMMAND, cwd=tmp_path, stdout=PIPE, stderr=PIPE) as demo:
        demo.line()
        demo.stop_reading()
        _, err = demo.rest()

    assert (demo.returned(), err) == (141, "")


@pytest.mark.parametrize(
    ("folder", "said"),
    [
        ("file", "cannot write in {}/file: Not a directory; name another folder with --dir"),
        ("file/below", "cannot write in {}/file/below: Not a directory; name another folder with --dir"),
        ("why?", "{}/why? has a question mark in its name; name another one with --dir"),
    ],
)
def test_a_folder_that_cannot_be_used_is_named(tmp_path: Path, folder: str, said: str) -> None:
    (tmp_path / "file").touch()

    demo = run([*COMMAND, "--dir", folder], cwd=tmp_path)

    assert (demo.returncode, demo.stderr) == (2, f"failure-agent: {said.format(tmp_path)}\n")


@pytest.mark.parametrize(("number", "code"), SIGNALS)
def test_a_signal_ends_it_with_the_table_so_far(tmp_path: Path, number: signal.Signals, code: int) -> None:
    """Also as the background job of a script, which starts with SIGINT ignored."""
    background_job = ["sh", "-c", "trap '' INT; exec \"$@\"", "sh", *COMMAND[:-1], "60s"]
    with Child(background_job, cwd=tmp_path, stdout=PIPE, stderr=PIPE) as demo:
        before = list(takewhile(lambda line: not line[:2].isdigit(), demo.lines()))
        (ask,) = (line.strip() for line in before if line.startswith("  curl "))
        answered = json.loads(answer_to(ask))
        second = run(COMMAND, cwd=tmp_path)
        pids = [int(line.split()[1]) for line in (tmp_path / "demo-data" / "pids").read_text().splitlines()]
        demo.send(number)
        out, err = demo.rest()

    assert (demo.returned(), err) == (code, "")
    assert "Interrupted: some jobs have not ended." in out
    assert "CATEGORY" in out
    lines = out.splitlines()
    assert max(len(line.rstrip()) for line in before) <= 80
    assert max(map(len, lines[:-1])) <= 80 + len(str(tmp_path))
    assert answered["by"] == ["origin"]
    assert f"  {ask}" in lines
    assert "\njob " in explained_by_its_last_line(lines, tmp_path), "it may still stop, or wait for its next run"
    assert second.returncode == 2
    assert "another demo is running in" in second.stderr
    assert [pid for pid in pids if is_alive(pid)] == []


def answer_to(ask: str) -> str:
    """What a curl prints, which may not be installed here."""
    if shutil.which("curl") is not None:
        return run(["sh", "-c", f"{ask} --silent --show-error"]).stdout
    curl, url = shlex.split(ask)
    assert curl == "curl"
    with urlopen(url, timeout=30) as response:  # noqa: S310 - of this machine
        return str(response.read().decode())


def is_alive(pid: int) -> bool:
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True
