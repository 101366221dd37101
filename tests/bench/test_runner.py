"""``python -m bench`` on programs that take no time."""

from pathlib import Path

import pytest

from bench.__main__ import FOLDER, main

pytestmark = pytest.mark.slow

PROGRAM = """\
import json, pathlib, sys
runs = pathlib.Path(__file__).with_suffix(".runs")
speeds = {speeds}
number = len(runs.read_text()) if runs.exists() else 0
runs.write_text("." * (number + 1))
print("measured", *sys.argv[1:])
held = dict(name="speed", value=speeds[number], bound="at least", target=10.0, unit="times")
print(json.dumps(dict(held=[held], own=1)))
sys.exit(0 if speeds[number] >= 10 else 1)
"""


def plant(folder: Path, name: str, *speeds: float) -> Path:
    """A benchmark that gives one of these speeds in each run, and the file with a dot for each run."""
    (folder / f"{name}.py").write_text(PROGRAM.format(speeds=speeds), encoding="utf-8")
    return folder / f"{name}.runs"


def test_each_program_is_run_and_what_it_prints_is_no_part_of_the_table(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    plant(tmp_path, "one", 11.0)
    plant(tmp_path, "two", 12.0)
    (tmp_path / "__main__.py").write_text("raise SystemExit(9)", encoding="utf-8")

    assert main([], folder=tmp_path) == 0
    out, err = capfd.readouterr()
    assert [line.split("|")[1].strip() for line in out.splitlines()] == ["program", "-" * 9, "one", "two"]
    assert err.count("measured --json --floor=1.0\n") == 2
    assert "(1 of 2)" in err
    assert "held" not in err


def test_only_the_named_are_run_quick_and_with_the_floor(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path, "one", 8.5)
    not_run = plant(tmp_path, "two", 1.0)

    assert main(["--quick", "--floor", "0.85", "one"], folder=tmp_path) == 0
    out, err = capfd.readouterr()
    assert "| one --quick |" in out
    assert "measured --json --floor=0.85 --quick\n" in err
    assert not not_run.exists()


@pytest.mark.parametrize(
    ("speeds", "code", "runs"), [((5.0, 11.0, 12.0), 0, 3), ((5.0, 11.0, 6.0), 1, 3), ((9.0, 1.0, 1.0), 0, 1)]
)
def test_below_the_floor_it_is_measured_again(
    speeds: tuple[float, ...], code: int, runs: int, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dots = plant(tmp_path, "one", *speeds)

    assert main(["--floor", "0.85", "--again", "2"], folder=tmp_path) == code
    assert len(dots.read_text(encoding="utf-8")) == runs
    assert (capfd.readouterr().out.splitlines()[-1] == "one: MISSED speed: 6 times (at least 10)") == bool(code)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('print(\'{"not_run": "no server"}\')', "no server"),
        ("print('half a'); raise SystemExit(3)", "exit code 3"),
        (f"{PROGRAM.format(speeds=(11.0,))}".replace("sys.exit(0", "sys.exit(2"), "exit code 2"),
    ],
)
def test_a_program_without_figures_fails_the_run(
    text: str, why: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "one.py").write_text(text, encoding="utf-8")

    assert main(["--again", "2"], folder=tmp_path) == 1
    *_, row, last = capfd.readouterr().out.splitlines()
    assert row.startswith("| one     | not run: ")
    assert last.startswith("NOT RUN one: ")
    assert why in row
    assert why in last


def test_a_kept_table_stands_next_to_the_figures(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plant(tmp_path, "one", 20.0, 30.0)
    assert main([], folder=tmp_path) == 0
    kept = tmp_path / "kept.md"
    kept.write_text(capfd.readouterr().out, encoding="utf-8")

    assert main(["--compare", str(kept)], folder=tmp_path) == 0
    assert capfd.readouterr().out.splitlines()[-1].split("|")[-3:-1] == [" 20     ", " 1.50         "]


@pytest.mark.parametrize("words", [["none"], ["--compare", "none.md"]], ids=" ".join)
def test_what_is_not_there_is_said_before_anything_runs(
    words: list[str], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    dots = plant(tmp_path, "one", 20.0)

    with pytest.raises(SystemExit, match="2"):
        main(words, folder=tmp_path)
    assert "none" in capfd.readouterr().err
    assert not dots.exists()


def test_the_runner_runs_the_programs_of_its_folder() -> None:
    assert {file.stem for file in FOLDER.glob("[!_]*.py")} >= {"path", "classify", "watch", "startup"}
