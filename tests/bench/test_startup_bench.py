"""The benchmark of starting: it runs what it says, its targets can be missed, and other revisions are gone after it."""

import sys
from pathlib import Path

import pytest

from bench.peer.child import CommandFailed, ended
from bench.peer.failctl import AGENT, ALL, CLASSIFY, GET, HELP, PASS, ready
from bench.peer.revision import KEPT, THIS, Revision, unpacked
from bench.startup import (
    COMMANDS,
    GOALS,
    MOST_HELPS,
    PASS_SECONDS,
    main,
    quick_verdicts,
    table,
    take_turns,
    verdicts,
)

AT_GOALS = {**GOALS, PASS: PASS_SECONDS, HELP: max(GOALS[name] for name in COMMANDS) / MOST_HELPS}


def test_goals_are_met_on_a_machine_of_any_speed() -> None:
    slower = {name: 3 * seconds for name, seconds in AT_GOALS.items()}

    assert [figure.share >= 0.999 for figure in verdicts(AT_GOALS)] == [True] * (len(GOALS) + len(COMMANDS))
    assert [figure.share for figure in verdicts(slower)] == pytest.approx(
        [figure.share for figure in verdicts(AT_GOALS)]
    )


@pytest.mark.parametrize(
    ("worse", "missed"),
    [
        ({CLASSIFY: 0.36}, [f"{CLASSIFY}, beside {PASS}", f"{CLASSIFY}, beside {HELP}"]),
        ({AGENT: 1.0}, [f"{AGENT}, beside {PASS}"]),
        ({HELP: 0.08, GET: 0.34}, [f"{name}, beside {HELP}" for name in COMMANDS if AT_GOALS[name] > 0.32]),
    ],
)
def test_each_target_can_be_missed(worse: dict[str, float], missed: list[str]) -> None:
    assert [figure.name for figure in verdicts(AT_GOALS | worse) if figure.share < 0.999] == missed


def test_the_quick_form_is_held_to_the_revision_that_we_keep_up_with() -> None:
    slower = {name: 3 * seconds for name, seconds in AT_GOALS.items()}
    worse = AT_GOALS | {AGENT: 1.1 * AT_GOALS[AGENT]}

    assert min(figure.share for figure in quick_verdicts(slower, slower)) >= 0.999
    assert [figure.name for figure in quick_verdicts(worse, AT_GOALS) if figure.share < 0.999] == [
        f"{AGENT}, beside {KEPT}"
    ]


def test_a_revision_that_cannot_run_all_is_none_to_keep_up_with() -> None:
    without = {name: seconds for name, seconds in AT_GOALS.items() if name != GET}

    with pytest.raises(CommandFailed, match=f"^{KEPT} cannot run {GET}: name a later revision"):
        quick_verdicts(AT_GOALS, without)


def test_other_revisions_stand_next_to_ours_with_what_they_can_run() -> None:
    rows = table({THIS.name: AT_GOALS, "v1": {name: 2 * seconds for name, seconds in AT_GOALS.items() if name != GET}})
    by_name = {row[:24].strip(): row for row in rows.splitlines()}

    assert by_name["ms of processor"].endswith("v1")
    assert by_name[CLASSIFY].endswith("700.0 (0.50x)")
    assert by_name[GET].endswith(" -")


@pytest.mark.slow
def test_the_time_of_a_process_is_that_of_its_processor(tmp_path: Path) -> None:
    told = "import time; sum(range(10**6)); print(time.process_time())"
    done = ended([sys.executable, "-c", told], env={}, folder=tmp_path)

    assert done.seconds >= float(done.printed) > 0


@pytest.mark.slow
def test_a_command_that_fails_says_its_last_line(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"^exit code 1: ValueError: why$"):
        ended([sys.executable, "-c", "raise ValueError('why')"], env={}, folder=tmp_path)


@pytest.mark.slow
def test_this_tree_runs_all_commands() -> None:
    with ready(THIS) as contestant:
        found = take_turns([contestant], 1)

    assert set(found[THIS.name]) == set(ALL)
    assert min(found[THIS.name].values()) > 0


@pytest.mark.slow
def test_what_a_revision_cannot_run_is_left_out_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "agent").mkdir()
    (tmp_path / "agent" / "__init__.py").write_text("", encoding="utf-8")
    with ready(Revision(name="v0", tree=tmp_path)) as contestant:
        assert list(contestant.commands) == [PASS]

    said = capsys.readouterr().out
    assert "v0 has no scheduler to ask: " in said
    assert f"v0 cannot run {HELP}: exit code 1: ModuleNotFoundError" in said


@pytest.mark.slow
def test_a_revision_is_there_as_long_as_it_is_used() -> None:
    with unpacked("HEAD") as revision:
        variables = revision.environment(revision.tree)
        asked = "import agent, agent.shipped; print(agent.__file__, agent.shipped.shipped('error-categories.yaml'))"
        printed = ended([sys.executable, "-c", asked], env=variables, folder=revision.tree).printed

    assert [Path(word).is_relative_to(revision.tree) for word in printed.split()] == [True, True]
    assert not revision.tree.exists()


@pytest.mark.slow
def test_a_revision_that_git_does_not_know_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--against", "no-such-revision"]) == 1
    assert "no-such-revision" in capsys.readouterr().out
