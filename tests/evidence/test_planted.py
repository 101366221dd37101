"""In labelled failures, the lines by which infrastructure is blamed are replaced by an error of the program.

Only lines that programs wrote are replaced: what the system says of a pod is still true of it then. The corpus is
``FAILURE_CORPUS``, by default ``../shared/corpus/failures.jsonl``.
"""

import json
import os
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import pytest

from agent.core.failure import Classification, Match, Origin, Trust
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.subject import read_subject
from tests.ground.tree import ROOT

CORPUS: Final = Path(os.environ.get("FAILURE_CORPUS") or ROOT.parent / "shared" / "corpus" / "failures.jsonl")
NOW: Final = datetime(2026, 1, 1, tzinfo=UTC)
BLAMED: Final = frozenset({Origin.INFRA, Origin.PLATFORM})
ERRORS: Final = (
    "KeyError: 'learning_rate'",
    "AssertionError: expected shape (3, 4), found (4, 3)",
    "TypeError: 'NoneType' object is not subscriptable",
    "ModuleNotFoundError: No module named 'trainer'",
    "NameError: name 'batch' is not defined",
    "ZeroDivisionError: division by zero",
    "train.py: error: unrecognized arguments: --epoch 3",
    "panic: runtime error: index out of range [5] with length 3",
    'Exception in thread "main" java.lang.NullPointerException',
    "SyntaxError: invalid syntax",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Planted:
    """A row after its lines were replaced: what is still blamed, ``None`` where nothing is."""

    name: str
    lines: int
    blamed: Match | None

    def __str__(self) -> str:
        if self.blamed is None:
            return f"{self.name}: {self.lines} lines replaced, nothing blamed"
        rule = f"{self.blamed.category}/{self.blamed.subcategory} rule {self.blamed.rule_index + 1}"
        return f"{self.name}: {self.lines} lines replaced; {rule} at {self.blamed.where}: {self.blamed.text}"


REMAINING: Final = {"s3-06": "its second line, ECONNREFUSED, is of the same outage, and another rule finds it"}


@pytest.mark.long
def test_no_infrastructure_is_blamed_once_its_lines_are_errors_of_the_program(
    capsys: pytest.CaptureFixture[str],
) -> None:
    if not CORPUS.is_file():
        missing = f"no corpus of labelled failures at {CORPUS}; name one with FAILURE_CORPUS"
        with capsys.disabled():
            sys.stdout.write(f"\nNOT RUN: {missing}\n")
        pytest.skip(missing)
    rows = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines() if line.strip()]

    planted = list(plant(rows))
    remaining = [error for error in planted if error.blamed]

    with capsys.disabled():
        sys.stdout.write(f"\n{len(planted)} of {len(rows)} rows blame infrastructure by lines of programs\n")
        sys.stdout.writelines(f"still blamed: {error}\n" for error in remaining)
    assert planted
    assert all(error.lines for error in planted)
    assert [str(error) for error in remaining if error.name not in REMAINING] == []


def plant(rows: Sequence[dict[str, Any]]) -> Iterator[Planted]:
    """Replace the lines of each row whose primary match is the program's text and blames infrastructure."""
    ask = _Asker()
    for row in rows:
        first = ask(row)
        if first is not None and _blames_by_text(first):
            yield _planted(row, first, ask)


def _planted(row: dict[str, Any], first: Classification, ask: "_Asker") -> Planted:
    """Replace lines until another rule is the primary one, or none: the first matched all of them."""
    chance = random.Random(str(row["id"]))  # noqa: S311 - no secret; a seed of its own, since rows may be added
    last: Classification | None = first
    lines = 0
    while last is not None and _blames_by_text(last) and _rule(last) == _rule(first):
        replacing = _Replacing(last.matches[0].text, error=chance.choice(ERRORS))
        row = {name: replacing.of(value, name) if name in {"pod", "logs"} else value for name, value in row.items()}
        if not replacing.lines:
            break
        lines += replacing.lines
        last = ask(row)
    blamed = last.matches[0] if last is not None and last.matched and last.origin in BLAMED else None
    return Planted(name=str(row["id"]), lines=lines, blamed=blamed)


class _Asker:
    def __init__(self) -> None:
        self._diagnoser = Diagnoser(classifier=load_classifier(None), redactor=Redactor())

    def __call__(self, row: dict[str, Any]) -> Classification | None:
        failure = self._diagnoser.diagnose(read_subject(row), now=NOW).failure
        return failure.classification if failure else None


class _Replacing:
    """Replaces the lines that hold a text, wherever a program's text stands in a pod or its logs; counts them."""

    def __init__(self, text: str, *, error: str) -> None:
        self._text = text
        self._error = error
        self.lines = 0

    def of(self, value: object, key: str = "logs") -> object:
        if isinstance(value, dict):
            programs = "exitCode" in value or key == "logs"
            return {
                name: self.of(part, name) if name != "message" or programs else part for name, part in value.items()
            }
        if isinstance(value, list):
            return [self.of(part, key) for part in value]
        return self._line(value) if isinstance(value, str) and self._text in value else value

    def _line(self, text: str) -> str:
        while (at := text.find(self._text)) >= 0:
            start = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at + len(self._text))
            self.lines += text.count("\n", start, end if end >= 0 else len(text)) + 1
            text = text[:start] + self._error + (text[end:] if end >= 0 else "")
        return text


def _rule(found: Classification) -> tuple[str, int]:
    return found.matches[0].category, found.matches[0].rule_index


def _blames_by_text(found: Classification) -> bool:
    return bool(found.matches) and found.origin in BLAMED and found.matches[0].trust is Trust.USER_TEXT
