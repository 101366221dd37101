"""Recipes: how they are read and run, and what their logs lose before they are kept."""

from pathlib import Path

from agent.evaluate.successful import Log, successful_logs
from tests.evidence.successful.clean import HOST, LONGEST, Cleaner
from tests.evidence.successful.pack import write
from tests.evidence.successful.recipe import Recipe, missing, recipes
from tests.evidence.successful.run import Kitchen, run


def test_the_recipes_are_read_and_no_two_runs_share_a_log() -> None:
    runs = [(recipe.tool, recipe.log_name(variant)) for recipe in recipes() for variant in recipe.each]

    assert len(runs) == len(set(runs)) > 100
    assert len({tool for tool, _ in runs}) > 11


def test_a_run_is_kept_only_if_it_succeeds(tmp_path: Path) -> None:
    kitchen = Kitchen(work=tmp_path / "work", logs=tmp_path / "logs")
    said: list[str] = []
    recipe = Recipe(
        tool="sh", each=("0", "3"), prepare="echo made >made", script="cat made; echo $each >&2; exit $each"
    )

    run(recipe, kitchen, say=said.append)

    assert kitchen.log(recipe, "0").read_text() == "made\n0\n"
    assert not kitchen.log(recipe, "3").exists()
    assert "not kept, exit code 3" in said[1]


def test_a_run_that_has_a_log_is_not_run_again(tmp_path: Path) -> None:
    kitchen = Kitchen(work=tmp_path / "work", logs=tmp_path / "logs")
    recipe = Recipe(tool="sh", script="echo ran >>runs")

    run(recipe, kitchen, say=print)
    run(recipe, kitchen, say=print)

    assert (tmp_path / "work" / "sh" / "runs").read_text() == "ran\n"


def test_a_run_that_takes_too_long_is_stopped_and_not_kept(tmp_path: Path) -> None:
    said: list[str] = []
    kitchen = Kitchen(work=tmp_path / "work", logs=tmp_path / "logs")

    run(Recipe(tool="sh", script="sleep 100", minutes=0.001), kitchen, say=said.append)

    assert "stopped after" in said[0]


def test_a_tool_that_is_not_there_is_reported(tmp_path: Path) -> None:
    said: list[str] = []
    recipe = Recipe(tool="sh", needs=("no-such-command",), script="true")

    run(recipe, Kitchen(work=tmp_path, logs=tmp_path), say=said.append)

    assert said == ["sh: skipped, not installed: no-such-command"]
    assert list(missing(recipe, which=lambda _: "/bin/it")) == []


def test_a_log_keeps_no_place_host_or_person() -> None:
    host = "files.python" + "hosted.org"
    cleaner = Cleaner(places=[Path("/home/me"), Path("/home/me/work")], hosts=["vm.corp.test"])
    text = (
        f"in /home/me/work/x and /home/me/y, not /home/melon\rGET https://{host}/z\nvm.corp.test by a.b@corp.test\x07\n"
    )

    assert list(cleaner.lines(text)) == [
        "in /srv/build/x and /srv/build/y, not /home/melon",
        f"GET https://{HOST}/z",
        f"{HOST} by someone@example.com",
    ]


def test_a_log_names_no_variable_of_the_environment() -> None:
    cleaner = Cleaner(places=[], hosts=[], variables=["BUILD_HOST_NAME", "HOME"])

    assert list(cleaner.lines("BUILD_HOST_NAME: a7\nrun BUILD_HOST_NAME=a7 x\nMY_BUILD_HOST_NAME=1\n")) == [
        "MY_BUILD_HOST_NAME=1"
    ]


def test_a_log_has_no_escape_codes_and_no_endless_lines() -> None:
    cleaner = Cleaner(places=[], hosts=[])

    assert list(cleaner.lines(f"\x1b[31mred\x1b[0m  \n\n{'x' * (LONGEST + 1)}\n")) == ["red"]


def test_logs_are_read_as_they_were_written(tmp_path: Path) -> None:
    written = [Log(tool="a", name="b/c", lines=("one", " two")), Log(tool="d", name="e", lines=("three",))]
    write(written, tmp_path / "runs.xz")

    assert list(successful_logs(tmp_path / "runs.xz")) == written
    assert written[0].text == "one\n two\n"
