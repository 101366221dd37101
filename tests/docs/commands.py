"""The command lines in pages: found in their code, and parsed as the programs parse them, without running them."""

import re
import shlex
from collections.abc import Iterator
from contextvars import copy_context
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import typer

from tests.ground.programs import program
from tests.ground.tree import ROOT, line_at, text_of, tracked

_START: Final = r"(?:[\w./~-]*/)?(?P<program>failctl|failure-agent)(?= |$)(?P<rest>.*)"
_LINE: Final = re.compile(rf"^(?:\$ |# )?(?:[^|`]* \| )?{_START}")
_FENCED: Final = re.compile(r"^(?P<indent> *)```[^\n]*\n(?P<code>.*?)^(?P=indent)```", re.MULTILINE | re.DOTALL)
_INLINE: Final = re.compile(r"`(?P<code>[^`]+)`")
_LEFT_OUT: Final = {"MissingParameter", "NoArgsIsHelpError", "BadOptionUsage"}
"""What the parser calls it where an argument, a command of a group or the value of an option is not given."""

_END: Final = re.compile(r"^(?:\||>|>>|&&?|;|2>.*|<)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandLine:
    """A command line in a page. ``whole``: it stands on a line of its own, so that people copy it as it is."""

    page: Path
    program: str
    arguments: tuple[str, ...]
    whole: bool

    def __str__(self) -> str:
        return f"{self.page}: {shlex.join((self.program, *self.arguments))}"


def pages() -> list[Path]:
    return [
        path for path in tracked() if path.suffix == ".md" and path.parts[0] in {"README.md", "CONTRIBUTING.md", "docs"}
    ]


def command_lines(page: Path, text: str) -> Iterator[CommandLine]:
    """Every command line in fenced blocks, in indented blocks, and between backticks."""
    fenced = [found["code"] for found in _FENCED.finditer(text)]
    prose = _FENCED.sub("", text)
    indented = [line for line in prose.splitlines() if line.startswith("    ")]
    for line in [*"\n".join(fenced).replace("\\\n", " ").splitlines(), *indented]:
        yield from _found(page, line.strip(), whole=True)
    for code in _INLINE.finditer("\n".join(line for line in prose.splitlines() if not line.startswith("    "))):
        yield from _found(page, " ".join(code["code"].split()), whole=False)


def _found(page: Path, line: str, *, whole: bool) -> Iterator[CommandLine]:
    if found := _LINE.match(line):
        words = shlex.split(found["rest"], comments=True)
        end = next((number for number, word in enumerate(words) if _END.match(word)), len(words))
        yield CommandLine(page=page, program=found["program"], arguments=tuple(words[:end]), whole=whole)


def complaint(line: CommandLine) -> str | None:
    """Why the program would refuse the line; ``None`` where it would run it. A mention may leave out arguments."""
    try:
        copy_context().run(_parse, line)
    except typer.TyperException as error:
        return None if type(error).__name__ in _LEFT_OUT and not line.whole else error.format_message()
    except typer.Exit:  # --help and --version end the parsing
        return None
    return None


def _parse(line: CommandLine) -> None:
    command: Any = program(line.program).parser
    context = command.make_context(line.program, list(line.arguments))
    while hasattr(command, "resolve_command") and (rest := [*context._protected_args, *context.args]):
        name, command, rest = command.resolve_command(context, rest)
        context = command.make_context(name, rest, parent=context)


def refused(line: CommandLine) -> Iterator[str]:
    """Why a program would refuse a command line of a page."""
    if (why := complaint(line)) is not None:
        yield f"{line}: {why}"


def missing(page: Path) -> Iterator[str]:
    """What a page has make or Python run that does not exist."""
    text = text_of(page) or ""
    for pattern, what, exists in _RUN:
        for found in re.finditer(pattern, text, re.MULTILINE):
            if not exists(found[1]):
                yield f"{page}:{line_at(text, found.start(1))}: {found[1]}: there is no such {what}"


def _is_target(name: str) -> bool:
    return name in re.findall(r"^([a-z-]+):", text_of(Path("Makefile")) or "", re.MULTILINE)


def _is_module(name: str) -> bool:
    path = name.replace(".", "/")
    return any((ROOT / f"{path}{end}").exists() for end in (".py", "/__main__.py"))


def _is_file(name: str) -> bool:
    return (ROOT / name).exists()


_RUN: Final = (
    (r"(?:^(?: {4,}|\$ )?|`)make ([a-z][a-z-]*)\b(?=[ `]|$)", "target", _is_target),
    (r"python -m (tests\.[a-z_.]+[a-z_])", "module", _is_module),
    (r"python (bench/\w+\.py)", "file", _is_file),
)
"""What pages have make and Python run: the pattern of its name, what it is, and whether there is one."""
