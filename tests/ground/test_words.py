"""The words that docs/style.md lists do not come back."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Final

from tests.ground.findings import assert_no_findings
from tests.ground.programs import Command, commands, help_of
from tests.ground.tree import ROOT, text_of, tracked

STYLE: Final = Path("docs/style.md")
"""Holds the table, so it is the one page that may use every word in it."""

PLACES: Final = ("agent", "config", "deploy", "docs", "proto", "README.md", "CONTRIBUTING.md", "CHANGELOG.md")
ROW: Final = re.compile(
    r"^\| (?P<first>`(?:\\.|[^|\\])+`) \| (?P<second>[^|]+) \|(?: (?P<third>[^|]+) \|)?$", re.MULTILINE
)
CODE: Final = re.compile(r"`([^`]+)`")
SHORTEST_REASON: Final = 3
"""Words of the reason of an exception."""

HUMP: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_")
LEADER: Final = re.compile(r"[ \t]*(?:#:?|//|--)?")


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


@dataclass(frozen=True, slots=True)
class Unwanted:
    """A word of the table as a text has it, and the line that it begins on."""

    word: str
    line: int

    def __str__(self) -> str:
        advice = next(advice for word, advice in instead().items() if re.fullmatch(word, self.word, re.IGNORECASE))
        return f"{self.line}: {self.word!r}: write instead, as docs/style.md says: {advice}"


def found(text: str) -> Iterator[Unwanted]:
    """The words of the table in a text; the parts of an identifier count as words, and lines as one text."""
    lines = (" ".join(HUMP.sub(" ", LEADER.sub("", line, count=1)).split()) for line in text.split("\n"))
    numbered = [(number, line) for number, line in enumerate(lines, start=1) if line]
    starts = [0, *accumulate(len(line) + 1 for _, line in numbered)]
    for match in words().finditer(" ".join(line for _, line in numbered)):
        number, _ = numbered[bisect_right(starts, match.start()) - 1]
        yield Unwanted(match[0], number)


def is_in(path: Path, places: tuple[str, ...]) -> bool:
    return any(path.is_relative_to(place) for place in places)


def checked() -> list[Path]:
    """The files that are checked: all but the style page, and what is generated from ``proto``."""
    return [
        path
        for path in tracked()
        if is_in(path, PLACES) and not is_in(path, (STYLE.as_posix(), "agent/api")) and text_of(path) is not None
    ]


def in_file(path: Path) -> Iterator[str]:
    """The words of the table in a file that may not use them."""
    for unwanted in found(text_of(path) or ""):
        if not any(exemption.covers(unwanted.word, path) for exemption in exempt()):
            yield f"{path}:{unwanted}"


def in_help(command: Command) -> Iterator[str]:
    return (f"{command} --help:{unwanted}" for unwanted in found(help_of(command, width=200)))


def needless(exemption: Exempt) -> Iterator[str]:
    """What is wrong with an exception: no file that it covers has the word, or it says not why."""
    covered = (path for path in tracked() if exemption.covers(exemption.word, path))
    used = {unwanted.word.lower() for path in covered for unwanted in found(text_of(path) or "")}
    if exemption.word.lower() not in used:
        yield f"{exemption.word} is no longer used in {', '.join(exemption.places)}: remove the exception"
    if len(exemption.reason.split()) < SHORTEST_REASON:
        yield f"{exemption.word}: say why it is excepted, not only {exemption.reason!r}"


def test_no_file_uses_a_word_of_the_table() -> None:
    assert_no_findings(in_file, checked())


def test_no_help_uses_a_word_of_the_table() -> None:
    assert_no_findings(in_help, commands())


def test_every_exception_is_needed_and_has_a_reason() -> None:
    assert_no_findings(needless, exempt())


def test_the_table_is_read() -> None:
    assert instead()["anew"] == "again, from the start"
    text = "It is told of\n    # once\n\n    # more in isTold and was_told; untold."
    written = [(unwanted.word, unwanted.line) for unwanted in found(text)]
    assert written == [("told", 1), ("once more", 2), ("Told", 4), ("told", 4)]


def test_a_word_in_a_file_is_found_with_its_line_and_what_to_write(tmp_path: Path) -> None:
    file = tmp_path / "page.md"
    file.write_text("A page.\nTry once\nmore.\n", encoding="utf-8")

    assert list(in_file(file)) == [f"{file}:2: 'once more': write instead, as docs/style.md says: again"]


def test_an_exception_that_no_file_needs_is_found() -> None:
    exemption = Exempt(word="told", places=("LICENSE",), reason="old name")

    assert list(needless(exemption)) == [
        "told is no longer used in LICENSE: remove the exception",
        "told: say why it is excepted, not only 'old name'",
    ]
