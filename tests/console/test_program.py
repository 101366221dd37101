"""What all commands of both programs have in common: help, examples, spellings, errors, colours, exits."""

import json
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextvars import copy_context
from pathlib import Path
from typing import Annotated, Any

import pytest
import typer
from typer.testing import CliRunner

from agent.console.exits import Exit
from agent.console.program import add, make_app
from agent.ctl.main import app as failctl
from tests.child import run
from tests.ground.findings import assert_no_findings
from tests.ground.programs import PROGRAMS, Command, commands, help_of, program

FAILCTL = [sys.executable, "-m", "agent.ctl.main"]
POD = '{"kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Failed"}}\n'


LEAST_EXAMPLES = 2
REFUSED_SPELLINGS = {"--file", "--categories", "-c", "--policy", "--failures"}
TYPES = re.compile(r"<(?:list\[|str\b|int\b|float\b|Path\b)|\b(?:TEXT|INTEGER|FLOAT|PATH|BOOLEAN)\b")
EVERY = [command for command in commands() if not command.is_group]
BY_NAME = {str(command): command.parser for command in EVERY}


def ran(*arguments: str, **more: Any) -> subprocess.CompletedProcess[str]:
    return run([*FAILCTL, *arguments], **more)


def too_few_examples(command: Command) -> Iterator[str]:
    _, _, examples = help_of(command).partition("\nExamples:\n")
    uses = [line for line in examples.splitlines() if f"{command} " in f"{line} "]
    if len(uses) < LEAST_EXAMPLES:
        yield f"{command} --help: examples of this command: {len(uses)}, fewer than {LEAST_EXAMPLES}"


def untypable_examples(command: Command) -> Iterator[str]:
    for line in command.parser.epilog.splitlines():
        called = [part for part in re.split(r"[|>]", line) if str(command) in part]
        if not called:
            yield f"{command} --help: {line.strip()}: is of another command"
            continue
        try:
            command.parser.make_context(str(command), shlex.split(called[0])[len(command.words) :])
        except typer.TyperException as error:
            yield f"{command} --help: {line.strip()}: {error.format_message()}"


def types_of_python(command: Command) -> Iterator[str]:
    return (f"{command} --help: {shown}: say what it means" for shown in TYPES.findall(help_of(command)))


def cut_summaries(command: Command) -> Iterator[str]:
    """Summaries that are not whole lines: of the command, and of its subcommands as their group prints them."""
    if len(command.words) == 1 and "..." in help_of(command).partition("Commands:")[2]:
        yield f"{command} --help: cuts a summary"
    if not command.is_group:
        summary = (command.parser.help or "").partition("\n")[0]
        if not summary.endswith("."):
            yield f"{command}: {summary!r}: make the summary a sentence"
        if (shown := command.parser.get_short_help_str(66)) != summary:
            yield f"{command}: {summary!r}: is cut to {shown!r}"


def odd_options(command: Command) -> Iterator[str]:
    """The options of a command that are spelt differently elsewhere."""
    options = {spelling for param in command.parser.params for spelling in param.opts}
    yield from (f"{command}: {spelling}: spell it as the others" for spelling in sorted(options & REFUSED_SPELLINGS))
    for short, long in (("-f", "--filename"), ("-o", "--output")):
        if (short in options) != (long in options):
            yield f"{command}: has one of {short} and {long}: give it both"
    if "--yes" in options and "--dry-run" not in options:
        yield f"{command}: has --yes: give it --dry-run"
    if "--color" not in options:
        yield f"{command}: has no --color"


def test_every_help_has_two_examples_of_this_command() -> None:
    assert_no_findings(too_few_examples, EVERY)


def test_every_example_is_a_command_that_can_be_typed() -> None:
    assert_no_findings(untypable_examples, EVERY)


def test_no_help_shows_types_of_python() -> None:
    assert_no_findings(types_of_python, EVERY)


def test_each_summary_is_one_whole_line() -> None:
    assert_no_findings(cut_summaries, commands())


def test_options_are_spelt_alike_everywhere() -> None:
    assert_no_findings(odd_options, EVERY)


def act(
    number: Annotated[float, typer.Argument(metavar="FLOAT")],
    file: Annotated[str, typer.Option("-f", "--file", help="Write it.")] = "",
    *,
    yes: Annotated[bool, typer.Option("--yes")] = False,
) -> None:
    """Act on what is given in ways that do not fit into the one line that there is"""  # noqa: D400 - planted
    del number, file, yes


def test_what_is_wrong_with_a_command_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    app = make_app("planted", "Break the rules.")
    add(app, "planted act 1 --nonsense", "planted go")(act)
    monkeypatch.setitem(PROGRAMS, "planted", app)
    planted, command = program("planted").tree()
    command.parser.params.pop()  # the last is --color
    rules = (too_few_examples, untypable_examples, types_of_python, cut_summaries, odd_options)

    assert [finding for rule in rules for finding in rule(command)] == [
        "planted act --help: examples of this command: 1, fewer than 2",
        "planted act --help: planted act 1 --nonsense: No such option: --nonsense",
        "planted act --help: planted go: is of another command",
        "planted act --help: FLOAT: say what it means",
        "planted act --help: FLOAT: say what it means",
        f"planted act: {act.__doc__!r}: make the summary a sentence",
        f"planted act: {act.__doc__!r}: is cut to 'Act on what is given in ways that do not fit into the one line...'",
        "planted act: --file: spell it as the others",
        "planted act: has one of -f and --filename: give it both",
        "planted act: has --yes: give it --dry-run",
        "planted act: has no --color",
    ]
    assert list(cut_summaries(planted)) == ["planted --help: cuts a summary"]


def test_only_lint_and_evaluate_take_files_by_position() -> None:
    usages = {str(command): help_of(command).partition("Options:")[0] for command in EVERY}
    taking = {name for name, usage in usages.items() if re.search(r"FILE\.\.\.|\[FILE\]", usage)}

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
def test_with_o_json_an_error_is_json(arguments: list[str], code: int, said: str, tmp_path: Path) -> None:
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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            "get failures --count-by node --count-by category",
            "--count-by takes one value but is given 2 times; write the",
        ),
        ("classify -f - --queue-policies a --queue-policies=b", "write the names once, with commas between them: a,b"),
        ("create queue q --retry-policy a --retry-policies b", "--retry-policies takes one value but is given 2 times"),
        ("get failures --limit 1 --limit 2", "--limit takes one value but is given 2 times\n"),
        ("get jobs -n a --namespace b", "--namespace takes one value but is given 2 times\n"),
        ("classify -f - --explain --explain=all", "--explain takes one value but is given 2 times\n"),
    ],
)
def test_no_value_is_dropped_silently(arguments: str, said: str) -> None:
    done = CliRunner().invoke(failctl, arguments.split())

    assert (done.exit_code, said in done.stderr) == (2, True), done.stderr


def test_a_flag_and_options_with_many_values_may_be_repeated(tmp_path: Path) -> None:
    pod = tmp_path / "pod.json"
    pod.write_text(POD, encoding="utf-8")

    done = CliRunner().invoke(failctl, ["classify", "-f", str(pod), "-f", str(pod), "--failed", "--failed"])

    assert (done.exit_code, done.stdout.count("a  ")) == (0, 2), done.output


@pytest.mark.slow
def test_the_faults_of_a_file_are_json_too(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("errorCategories:\n- name: a\n  rules:\n  - onExitCode: {}\n", encoding="utf-8")

    error = json.loads(ran("classify", "-f", "-", "--rules", str(rules), "-o", "json", given=POD).stderr)

    assert (error["problems"][0]["line"], error["problems"][0]["file"]) == (4, str(rules))


@pytest.mark.slow
def test_a_closed_pipe_ends_a_command_silently() -> None:
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
    for module, name in (("agent.ctl.main", "failctl"), ("agent", "failure-agent")):
        variable = f"_{name.upper().replace('-', '_')}_COMPLETE"
        env = os.environ | {variable: "complete_bash", "COMP_WORDS": f"{name} ", "COMP_CWORD": "1"}
        done = run([sys.executable, "-m", module], env=env)

        wanted = [command.words[1] for command in EVERY if command.words[0] == name]
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
def test_an_option_may_be_given_without_its_value(arguments: list[str], explain: str | None) -> None:
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

    words = ["lint", str(tmp_path / "rules.yaml"), *arguments]
    done = copy_context().run(CliRunner().invoke, failctl, words, color=True)  # the choice must not outlive it

    assert (done.exit_code, "\x1b[31m" in done.output) == (1, coloured)
