"""Lists as people read them: pods first where there is no batch system, and what is the same in one line."""

import io
import json
from pathlib import Path

import pytest

from agent.console.options import ListForm
from agent.console.terminal import cells_of
from agent.ctl.get.get import run
from tests.ctl.get.bare import EVAL, NAMESPACE, SUFFIXES, TRAIN, bare_store, in_doubt
from tests.ctl.get.test_get import NOW, Terminal, request


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return bare_store(tmp_path_factory.mktemp("bare"))


@pytest.fixture(autouse=True)
def _without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


def shown(url: str, kind: str, columns: int | None, monkeypatch: pytest.MonkeyPatch, **given: object) -> list[str]:
    """The lines of a list on a terminal of this width, or in a pipe."""
    monkeypatch.setenv("COLUMNS", str(columns))
    out = io.StringIO() if columns is None else Terminal()
    run(request(url, kind, **given), environ={}, now=NOW, out=out, err=io.StringIO())
    return out.getvalue().splitlines()


@pytest.mark.parametrize("columns", [80, 120])
@pytest.mark.parametrize("kind", ["jobs", "runs", "failures", "verdicts"])
def test_without_a_batch_system_pods_come_first_and_their_names_are_whole(
    url: str, kind: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """There was no pod, no namespace and no workload in the lists of jobs and failures."""
    lines = shown(url, kind, columns, monkeypatch)

    assert max(map(cells_of, lines)) <= columns
    assert lines[0].split()[0] == "POD"
    assert lines[1].split()[0].endswith(f"/{EVAL}")
    assert NAMESPACE.startswith(lines[1].partition("/")[0].rstrip("…"))


def test_the_namespace_is_cut_before_a_column_is_hidden(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wide, narrow = (shown(url, "failures", columns, monkeypatch, limit=1)[:2] for columns in (140, 80))

    assert wide[1].startswith(f"{NAMESPACE}/{EVAL} ")
    assert narrow[1].split()[0].startswith("ml-p")
    assert narrow[1].split()[0].endswith(f"…/{EVAL}")
    assert all(heading in narrow[0].split() for heading in ("CATEGORY", "FAULT", "GRADE", "EXIT"))
    assert shown(url, "failures", None, monkeypatch, limit=1)[1].startswith(f"{NAMESPACE}/{EVAL} ")


@pytest.mark.parametrize("kind", ["failures", "verdicts"])
def test_identical_failures_of_one_workload_are_one_line_with_a_count(
    url: str, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    heading, *rows = shown(url, kind, None, monkeypatch)
    folded = [row.split()[:2] for row in rows[:3]]

    assert heading.split()[:2] == ["POD", "COUNT"]
    assert folded == [
        [f"{NAMESPACE}/{EVAL}", "1"],
        [f"{NAMESPACE}/{TRAIN}-zz2zz", "1"],
        [f"{NAMESPACE}/{TRAIN}-*", "6"],
    ]
    assert "2 nodes" in rows[2]
    assert rows[3:] == ["", f"Of 8 {kind}: infra 1, user 7"]


@pytest.mark.parametrize("kind", ["failures", "verdicts"])
def test_what_was_folded_can_be_seen_line_by_line(url: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    unfolded = shown(url, kind, None, monkeypatch, unfold=True)
    wide = shown(url, kind, None, monkeypatch, output="wide")

    assert "COUNT" not in unfolded[0].split()
    assert {row.split()[0] for row in unfolded[3:9]} == {f"{NAMESPACE}/{TRAIN}-{suffix}" for suffix in SUFFIXES}
    assert len(wide) == len(unfolded) == 1 + 8 + 2


@pytest.mark.parametrize(("form", "lines"), [("jsonl", 8), ("name", 8)])
def test_what_programs_read_stays_one_for_each_failure(
    url: str, form: ListForm, lines: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(shown(url, "failures", None, monkeypatch, output=form)) == lines


def test_totals_say_what_they_are_of(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shown(url, "failures", None, monkeypatch, limit=3)[-1] == "Of 3 failures shown: infra 1, user 2"
    assert shown(url, "jobs", None, monkeypatch)[-1] == "Of 2 jobs, 2 with a failure: infra 1, user 1"
    assert shown(url, "runs", None, monkeypatch)[-1].startswith(NAMESPACE)
    assert len(shown(url, "failures", None, monkeypatch, limit=1)) == 2


@pytest.mark.parametrize("kind", ["failures", "verdicts"])
def test_a_blame_that_only_the_program_says_is_marked_and_counted_as_likely(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lists of stored failures showed `infra` where `classify` showed `infra?`."""
    url = bare_store(tmp_path, in_doubt())
    heading, *rows = shown(url, kind, None, monkeypatch)
    documents = map(json.loads, shown(url, kind, None, monkeypatch, output="jsonl"))

    at = heading.split().index("FAULT")
    assert [row.split()[at] for row in rows[:2]] == ["infra?", "infra"]
    assert rows[2:] == ["", f"Of 2 {kind}: infra 2 (1 likely)"]
    assert [(document["origin"], document["corroborated"]) for document in documents] == [
        ("infra", False),
        ("infra", True),
    ]


def test_a_job_is_marked_by_what_was_decided_last(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    heading, row = shown(bare_store(tmp_path, in_doubt()), "jobs", None, monkeypatch)

    assert row.split()[heading.split().index("FAULT")] == "infra?"


def test_a_job_is_found_by_the_node_of_its_latest_run(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = shown(url, "jobs", None, monkeypatch, node="gpu-node-7", output="jsonl")

    assert json.loads(found)["podName"] == EVAL
    assert shown(url, "jobs", None, monkeypatch, node="gpu-node-0", output="jsonl") == []
