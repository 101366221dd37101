"""What all commands of both programs have in common: help, examples, spellings, errors, colours, exits."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from agent.__main__ import app as failure_agent
from agent.console.exits import Exit
from agent.ctl.main import app as failctl
from tests.child import run

PROGRAMS = {"failctl": failctl, "failure-agent": failure_agent}
FAILCTL = [sys.executable, "-m", "agent.ctl.main"]
POD = '{"kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Failed"}}\n'


def commands(program: str) -> Iterator[tuple[str, Any]]:
    """Every command with its whole name, groups left out."""
    waiting: list[tuple[str, Any]] = [(program, get_command(PROGRAMS[program]))]
    while waiting:
        name, command = waiting.pop()
        if not isinstance(command, TyperGroup):
            yield name, command
            continue
        context = command.make_context(name, [], resilient_parsing=True)
        waiting += [(f"{name} {sub}", command.get_command(context, sub)) for sub in command.list_commands(context)]


EVERY = sorted((name, command) for program in PROGRAMS for name, command in commands(program))
BY_NAME = dict(EVERY)


def ran(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return run([*FAILCTL, *arguments], **more)


def help_of(name: str) -> str:
    program, *words = name.split()
    return CliRunner().invoke(PROGRAMS[program], [*words, "--help"], terminal_width=80).output


@pytest.mark.parametrize("name", BY_NAME)
def test_every_help_has_two_examples_of_this_command(name: str) -> None:
    _, _, examples = help_of(name).partition("\nExamples:\n")
    uses = [line for line in examples.splitlines() if f"{name} " in f"{line} "]

    assert len(uses) >= 2


@pytest.mark.parametrize("name", BY_NAME)
def test_every_example_is_a_command_that_can_be_typed(name: str) -> None:
    for line in BY_NAME[name].epilog.splitlines():
        called = next(part for part in re.split(r"[|>]", line) if name in part)
        arguments = shlex.split(called)[len(name.split()) :]
        assert BY_NAME[name].make_context(name, arguments).info_name == name


@pytest.mark.parametrize("name", BY_NAME)
def test_no_help_shows_types_of_python(name: str) -> None:
    types = r"<(?:list\[|str\b|int\b|float\b|Path\b)|\b(?:TEXT|INTEGER|FLOAT|PATH|BOOLEAN)\b"

    assert not re.search(types, help_of(name))


@pytest.mark.parametrize("program", PROGRAMS)
def test_each_summary_is_one_whole_line(program: str) -> None:
    listed = CliRunner().invoke(PROGRAMS[program], ["--help"], terminal_width=80).output

    assert "..." not in listed.partition("Commands:")[2]
    for name, command in commands(program):
        summary = (command.help or "").splitlines()[0]
        assert summary.endswith("."), name
        assert command.get_short_help_str(66) == summary, name


@pytest.mark.parametrize("name", BY_NAME)
def test_options_are_spelt_alike_everywhere(name: str) -> None:
    options = {spelling for param in BY_NAME[name].params for spelling in param.opts}

    assert not options & {"--file", "--categories", "-c", "--policy", "--failures"}
    assert ("-f" in options) == ("--filename" in options)
    assert ("-o" in options) == ("--output" in options)
    assert "--yes" not in options or "--dry-run" in options
    assert "--color" in options


def test_only_lint_and_evaluate_take_files_by_position() -> None:
    taking = {name for name in BY_NAME if re.search(r"FILE\.\.\.|\[FILE\]", help_of(name).partition("Options:")[0])}

    assert taking == {"failctl lint", "failctl evaluate", "failctl error-rule lint"}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["explain", "-o", "json"], 2, "Missing argument"),
        (["explain", "x", "--store", "sqlite:///none.db", "-o", "json"], 3, "there is no store"),
        (["classify", "-f", "none.json", "-ojson"], 2, "none.json: No such file or directory"),
        (["classify", "--output=jsonl", "-f", "."], 2, "no file in this folder ends in"),
    ],
)
def test_where_json_is_asked_for_an_error_is_json(arguments: list[str], code: int, said: str, tmp_path: Path) -> None:
    done = ran(*arguments, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(Path.cwd())})

    error = json.loads(done.stderr)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in error["error"]
    assert error["exitCode"] == code


@pytest.mark.parametrize(
    "arguments",
    [
        ["job", "simulate", "-f", "a.yaml", "--filename=b.yaml"],
        ["evaluate", "x.jsonl", "--rules", "a.yaml", "--rules", "b.yaml"],
        ["explain", "job-1", "--settings", "a.yaml", "--settings", "b.yaml"],
    ],
)
def test_no_file_is_dropped_silently(arguments: list[str]) -> None:
    done = CliRunner().invoke(failctl, arguments)

    assert (done.exit_code, "takes one file but is given 2 times" in done.stderr) == (2, True)


@pytest.mark.slow
def test_the_faults_of_a_file_are_json_too(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("errorCategories:\n- name: a\n  rules:\n  - onExitCode: {}\n", encoding="utf-8")

    error = json.loads(ran("classify", "-f", "-", "--rules", str(rules), "-o", "json", given=POD).stderr)

    assert (error["problems"][0]["line"], error["problems"][0]["file"]) == (4, str(rules))


@pytest.mark.slow
def test_a_reader_that_leaves_is_left_silently() -> None:
    command = f"{shlex.join([*FAILCTL, 'classify', '-f', '-'])}; echo $? >&2"
    left = run(["bash", "-c", f"({command}) | true"], given=POD * 20_000)

    assert (left.returncode, left.stderr) == (0, f"{Exit.CLOSED}\n")


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="only Linux has /dev/full")
@pytest.mark.parametrize("arguments", [["--help"], ["schema", "job"], ["classify", "-f", "-"]])
def test_output_that_cannot_be_written_is_reported_in_a_line(arguments: list[str]) -> None:
    command = f"{shlex.join([*FAILCTL, *arguments])} >/dev/full"
    done = run(["bash", "-c", command], given=POD)

    assert (done.returncode, done.stderr) == (2, "failctl: cannot write the output: No space left on device\n")


@pytest.mark.slow
@pytest.mark.parametrize(("redirected", "code", "said"), [("<&-", 2, "standard input is closed"), (">&-", 141, "")])
def test_closed_descriptors_give_no_traceback(redirected: str, code: int, said: str) -> None:
    command = f"{shlex.join([*FAILCTL, 'classify', '-f', '-'])} {redirected}"
    done = run(["bash", "-c", command], given=POD)

    assert done.returncode == code
    assert said in done.stderr
    assert bool(done.stderr) == bool(said)


@pytest.mark.slow
def test_both_programs_complete() -> None:
    for module, program in (("agent.ctl.main", "failctl"), ("agent", "failure-agent")):
        variable = f"_{program.upper().replace('-', '_')}_COMPLETE"
        env = os.environ | {variable: "complete_bash", "COMP_WORDS": f"{program} ", "COMP_CWORD": "1"}
        done = run([sys.executable, "-m", module], env=env)

        wanted = [name.split()[1] for name, _ in commands(program)]
        assert set(wanted) <= set(done.stdout.split())


@pytest.mark.parametrize(
    ("arguments", "explain"),
    [
        ([], None),
        (["--explain"], "near"),
        (["--explain", "-o", "json"], "near"),
        (["--explain=all"], "all"),
        (["--explain=near"], "near"),
    ],
)
def test_an_option_may_stand_without_its_value(arguments: list[str], explain: str | None) -> None:
    context = BY_NAME["failctl classify"].make_context("classify", ["-f", "x", *arguments])

    assert context.params["explain"] == explain


def test_what_follows_two_dashes_is_no_option() -> None:
    context = BY_NAME["failctl classify"].make_context("classify", ["pod", "--", "--explain"])

    assert (context.params["target"], context.params["explain"]) == (["pod", "--explain"], None)


@pytest.mark.parametrize(
    ("arguments", "coloured"),
    [(["--color", "always"], True), (["--color", "never"], False), ([], False)],
)
def test_lint_colours_what_is_wrong(arguments: list[str], coloured: object, tmp_path: Path) -> None:
    (tmp_path / "rules.yaml").write_text("errorCategories:\n- name: a\n  rules: []\n", encoding="utf-8")

    done = CliRunner().invoke(failctl, ["lint", str(tmp_path / "rules.yaml"), *arguments], color=True)

    assert (done.exit_code, "\x1b[31m" in done.output) == (1, coloured)
