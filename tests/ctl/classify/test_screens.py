"""Screens of classify against committed ones. ``REWRITE_GOLDEN=1`` writes them again, for review."""

import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.console.options import ListForm
from agent.console.terminal import cells_of
from agent.ctl.classify.answers import Shown
from agent.ctl.classify.classify import ClassifyRequest, run
from agent.ctl.classify.reasoning import Explain
from agent.ctl.classify.wanted import Wanted
from tests.tables import table

HERE = Path(__file__).parent
FAILED = Wanted(failed=True)
TOLD = table(HERE / "stories.yaml")
STORIES: dict[str, Any] = {story["name"]: story["subject"] for story in TOLD["stories"]}


class Terminal(io.StringIO):
    """A terminal without colours; COLUMNS gives its width."""

    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def _without_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")


class Screen:
    """The output of classify on a terminal for the pods of a story."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pods = folder / "pods.jsonl"
        self._rules = folder / "rules.yaml"
        self._rules.write_text(yaml.safe_dump(TOLD["rules"], sort_keys=False), encoding="utf-8")
        self._monkeypatch = monkeypatch

    def of(self, names: Sequence[str], shown: Shown, *, columns: int | None) -> list[str]:
        self._pods.write_text("".join(f"{json.dumps(STORIES[name])}\n" for name in names), encoding="utf-8")
        self._monkeypatch.setenv("COLUMNS", str(columns))
        out = io.StringIO() if columns is None else Terminal()
        run(ClassifyRequest(files=[self._pods], rules=self._rules, shown=shown), out=out, err=io.StringIO())
        return out.getvalue().splitlines()


@pytest.fixture(name="screen")
def a_screen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Screen:
    return Screen(tmp_path, monkeypatch)


def is_golden(lines: list[str], name: str) -> bool:
    golden = HERE / "golden" / f"{name}.txt"
    if os.environ.get("REWRITE_GOLDEN"):
        golden.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    assert lines == golden.read_text(encoding="utf-8").splitlines()
    return True


@pytest.mark.parametrize("columns", [60, 80])
@pytest.mark.parametrize("name", STORIES)
def test_the_card_is_as_recorded(screen: Screen, name: str, columns: int) -> None:
    lines = screen.of([name], Shown(), columns=columns)

    assert max(map(cells_of, lines)) <= columns
    assert is_golden(lines, f"{name}-{columns}")


@pytest.mark.parametrize("columns", [60, 80, 100, 120, 200])
def test_the_table_is_as_recorded(screen: Screen, columns: int) -> None:
    lines = screen.of(list(STORIES), Shown(), columns=columns)

    assert max(map(cells_of, lines)) <= columns
    assert is_golden(lines, f"table-{columns}")


@pytest.mark.parametrize("form", ["table", "wide"])
def test_a_pipe_gets_whole_lines(screen: Screen, form: ListForm) -> None:
    lines = screen.of(list(STORIES), Shown(form=form), columns=None)

    assert not [line for line in lines if "…" in line]
    assert is_golden(lines, f"{form}-piped")


@pytest.mark.parametrize("explain", ["near", "all"])
def test_the_reasoning_is_as_recorded(screen: Screen, explain: Explain) -> None:
    lines = screen.of(["unmatched"], Shown(explain=explain), columns=80)

    assert max(map(cells_of, lines)) <= 80
    assert is_golden(lines, f"explain-{explain}-80")


@pytest.mark.parametrize("columns", [80, 100, 120, 200])
def test_the_name_of_the_pod_the_fault_and_the_advice_stay_whole(screen: Screen, columns: int) -> None:
    names = ["out-of-memory", "evicted", "image", "unmatched", "likely-and-ruled-out"]
    rows = [line.split() for line in screen.of(names, Shown(), columns=columns)]

    assert [word for word in rows[0] if word in {"POD", "FAULT", "RETRY"}] == ["POD", "FAULT", "RETRY"]
    for row, pod, told in zip(
        rows[1:],
        ("train-llama-70b-0-7-x8k2p", "render-7", "web-0", "batch-1", "train-rank-3-p2x7k"),
        (
            ("user", "changed"),
            ("infra", "elsewhere"),
            ("platform", "never"),
            ("unknown", "-"),
            ("infra?", "try-elsewhere"),
        ),
        strict=False,
    ):
        assert row[0].rpartition("/")[2] == pod
        assert row[2] == told[0]
        assert told[1] in row[3:5]


def test_with_failed_only_failed_pods_are_shown_and_all_are_counted(
    screen: Screen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STORIES, "fine", {"kind": "Pod", "metadata": {"name": "fine"}, "status": {"phase": "Running"}})
    told = screen.of(["fine", "evicted", "fine", "image"], Shown(wanted=FAILED), columns=None)

    assert [line.split()[0] for line in told[:3]] == ["POD", "team-b/render-7", "team-b/web-0"]
    assert told[3:] == [
        "",
        "Of 4 pods, 2 failed: infra 1, platform 1; 2 healthy",
        "     1  infra      eviction/memory-pressure",
        "     1  platform   image/not-found",
    ]


def test_where_none_failed_only_the_count_is_shown(screen: Screen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(STORIES, "fine", {"kind": "Pod", "metadata": {"name": "fine"}, "status": {"phase": "Running"}})

    assert screen.of(["fine"], Shown(wanted=FAILED), columns=80) == ["Of 1 pod, 0 failed; 1 healthy"]
    assert screen.of(["fine"], Shown(form="json", wanted=FAILED), columns=80) == ["[]"]
