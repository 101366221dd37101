"""The commands of both programs, and the help that each prints. The parsers are made once: typer takes 20 ms for it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from agent.__main__ import app as processes
from agent.ctl.main import app as people

PROGRAMS: Final = {"failctl": people, "failure-agent": processes}


@dataclass(frozen=True, slots=True)
class Command:
    """A command, a group or a program by its words, the program's name first; ``parser`` is typer's."""

    words: tuple[str, ...]
    parser: Any

    @property
    def is_group(self) -> bool:
        return isinstance(self.parser, TyperGroup)

    def __str__(self) -> str:
        return " ".join(self.words)

    def tree(self) -> Iterator["Command"]:
        """The command, and what is below it."""
        yield self
        if self.is_group:
            context = self.parser.make_context(self.words[-1], [], resilient_parsing=True)
            for name in self.parser.list_commands(context):
                yield from Command((*self.words, name), self.parser.get_command(context, name)).tree()


@cache
def program(name: str) -> Command:
    return Command((name,), get_command(PROGRAMS[name]))


@cache
def commands() -> tuple[Command, ...]:
    """Every program, group and command."""
    return tuple(command for name in PROGRAMS for command in program(name).tree())


@cache
def parsers(name: str) -> Mapping[str, Any]:
    """The parser of each command of a program, by what is typed after the program's name."""
    return {" ".join(command.words[1:]): command.parser for command in program(name).tree() if not command.is_group}


@cache
def help_of(command: Command, *, width: int = 80) -> str:
    """What ``--help`` prints on a terminal of this width. Raises what the program raises instead of an exit with 0."""
    name, *words = command.words
    arguments = [*words, "--help"]
    with CliRunner().isolation() as (_, _, output):
        code = program(name).parser.main(arguments, prog_name=name, standalone_mode=False, terminal_width=width)
        if code:
            raise ValueError(f"{command} --help exits with code {code}")
        return output.getvalue().decode()
