"""The words that docs/style.md lists do not come back."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Any, Final

import pytest
from typer.core import TyperGroup
from typer.main import get_command
from typer.testing import CliRunner

from agent import __main__ as processes
from agent.ctl import main as people
from tests.ground.tree import ROOT, text_of, tracked

STYLE: Final = Path("docs/style.md")
"""Holds the table, so it is the one page that may use every word in it."""

PLACES: Final = ("agent", "config", "deploy", "docs", "proto", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
PROGRAMS: Final = {"failure-agent": processes.app, "failctl": people.app}
ROW: Final = re.compile(
    r"^\| (?P<first>`(?:\\.|[^|\\])+`) \| (?P<second>[^|]+) \|(?: (?P<third>[^|]+) \|)?$", re.MULTILINE
)
CODE: Final = re.compile(r"`([^`]+)`")
HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
LINE_END: Final = re.compile(r"\s*\n[ \t]*(?:#:?|//|--)?[ \t]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exempt:
    """A word that may be used in the files that these patterns match, for a reason."""

    word: str
    places: tuple[str, ...]
    reason: str

    def covers(self, word: str, path: Path) -> bool:
        return word.lower() == self.word.lower() and any(PurePosixPath(path).match(place) for place in self.places)


def rows(heading: str) -> Iterator[re.Match[str]]:
    """The rows of the table below a heading of the style page whose first cell is code."""
    page = (ROOT / STYLE).read_text(encoding="utf-8")
    section = page.split(f"\n{heading}\n", 1)[1].split("\n#", 1)[0]
    return ROW.finditer(section)


@cache
def instead() -> Mapping[str, str]:
    """What to write instead of each word, by the word's regular expression."""
    return {word.replace(r"\|", "|"): row["second"] for row in rows("## Words") for word in CODE.findall(row["first"])}


@cache
def words() -> re.Pattern[str]:
    """Any word of the table as a whole word."""
    return re.compile(rf"(?<![A-Za-z0-9])(?:{'|'.join(instead())})(?![A-Za-z0-9])", re.IGNORECASE)


@cache
def exempt() -> tuple[Exempt, ...]:
    return tuple(
        Exempt(word=CODE.findall(row["first"])[0], places=tuple(CODE.findall(row["second"])), reason=row["third"])
        for row in rows("### Exceptions")
    )


def found(text: str) -> Iterator[str]:
    """The words of the table in a text; the parts of an identifier count as words, and lines as one text."""
    readable = " ".join(HUMP.sub(" ", LINE_END.sub(" ", text)).split())
    return (match[0] for match in words().finditer(readable))


def is_in(path: Path, places: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def checked() -> list[Path]:
    """The files that are checked: all but the style page, and what is generated from ``proto``."""
    return [
        path
        for path in tracked()
        if is_in(path, PLACES) and not is_in(path, (STYLE.as_posix(), "agent/api")) and text_of(path) is not None
    ]


def commands(program: str) -> Iterator[tuple[str, ...]]:
    """The words of every command and group of a program, the program's own first."""
    waiting: list[tuple[tuple[str, ...], Any]] = [((program,), get_command(PROGRAMS[program]))]
    while waiting:
        words, command = waiting.pop()
        yield words
        if isinstance(command, TyperGroup):
            context = command.make_context(words[-1], [], resilient_parsing=True)
            waiting += [((*words, sub), command.get_command(context, sub)) for sub in command.list_commands(context)]


@pytest.mark.parametrize("path", checked(), ids=str)
def test_a_file_uses_no_word_of_the_table(path: Path) -> None:
    unwanted = [word for word in found(text_of(path) or "") if not any(one.covers(word, path) for one in exempt())]

    assert unwanted == [], f"docs/style.md says what to write instead of {', '.join(unwanted)}"


@pytest.mark.parametrize("command", [words for program in PROGRAMS for words in commands(program)], ids=" ".join)
def test_no_help_uses_a_word_of_the_table(command: tuple[str, ...]) -> None:
    program, *words = command
    shown = CliRunner().invoke(PROGRAMS[program], [*words, "--help"], terminal_width=200)

    assert shown.exit_code == 0, shown.output
    assert list(found(shown.output)) == []


def test_the_table_is_read() -> None:
    assert instead()["anew"] == "again, from the start"
    written = ["told", "once more", "Told", "told"]
    assert list(found("It is told of\n    # once  more in isTold and was_told; untold.")) == written


@pytest.mark.parametrize("one", exempt(), ids=lambda one: one.word)
def test_every_exception_is_needed_and_has_a_reason(one: Exempt) -> None:
    used = [
        path
        for path in tracked()
        if one.covers(one.word, path) and one.word.lower() in (word.lower() for word in found(text_of(path) or ""))
    ]

    assert used, f"{one.word} is no longer used in {', '.join(one.places)}"
    assert len(one.reason.split()) > 2
