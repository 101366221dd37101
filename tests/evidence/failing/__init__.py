"""Logs of tools that really failed, each with the line that decides and a label: what rules are developed against.

``recipes/<tool>.yaml`` says how each failure is made and what a person concludes from its log; ``logs/<name>.log`` is
the log, as ``make`` recorded it. The deciding lines and labels were written by hand, without looking at the rules. At
most three logs come from one tool.

How labels were given, where the taxonomy (``leaves.txt``) leaves a choice:

- ``app/exception``: an exception, a panic, or a failed assertion or test.
- ``app/bad-args-or-config``: the tool refuses what it was given: source that does not compile, findings of a linter,
  options, files, names of packages or versions.
- ``app/generic-exit``: a script ends non-zero and no line says more than that.
- ``config/bad-command``: a program that is not there, or cannot be executed.
- ``origin`` and ``retryable`` are what a person says who has only this log. ``retryable`` is None if that person could
  not tell. ``also`` lists other leaves that a person may defend as well.

A quarter is held back (``is_held_back``): develop against ``developed()``, and report ``held_back()`` apart, at the
end.
"""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.tables import table

FOLDER: Final = Path(__file__).parent
RECIPES: Final = FOLDER / "recipes"
LOGS: Final = FOLDER / "logs"
TAIL: Final = 64 * 1024
"""Bytes that are kept of the end of a log, unless its recipe says ``whole``."""

_SHARE: Final = 4
_ESCAPE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to make a tool fail: files, a shell command, and what has to be installed."""

    files: Mapping[str, str]
    run: str
    exit_code: int
    hosts: tuple[str, ...]
    """Names of other machines that it speaks to. All of them are itself, in a network of its own."""
    needs: tuple[str, ...]
    """Names of programs; ``pip:NAME`` and ``npm:NAME`` are packages, ``server:NAME`` one of ``tests.servers``."""
    whole: bool
    """The log is kept as long as it is, because its length is the point."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a person concludes from the log alone."""

    leaf: str
    origin: str
    retryable: bool | None
    also: tuple[str, ...]
    """Other leaves that are defensible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailingLog:
    """One failure of one tool."""

    name: str
    tool: str
    recipe: Recipe
    decides: tuple[str, ...]
    """Equally good choices of the deciding line: its text without escape codes and without what changes in each run."""
    why: str
    label: Label
    is_held_back: bool

    @property
    def path(self) -> Path:
        return LOGS / f"{self.name}.log"

    def text(self) -> str:
        """The log, with its escape codes. Raises FileNotFoundError if it was not made yet."""
        return self.path.read_bytes().decode("utf-8")

    def is_decided_by(self, line: str) -> bool:
        """Whether this line of the log is a deciding line."""
        shown = without_escapes(line)
        return any(text in shown for text in self.decides)


def without_escapes(text: str) -> str:
    """The text as a terminal shows it, without colours."""
    return _ESCAPE.sub("", text)


def is_held_back(name: str) -> bool:
    """The rule by which a quarter of the logs is held back."""
    return hashlib.sha256(name.encode()).digest()[0] % _SHARE == 0


@cache
def load() -> tuple[FailingLog, ...]:
    """All failing logs, by tool and then as they stand in the tool's file."""
    return tuple(_failing_log(row) for path in sorted(RECIPES.glob("*.yaml")) for row in table(path))


def developed() -> tuple[FailingLog, ...]:
    """The logs that rules may be developed against."""
    return tuple(failing for failing in load() if not failing.is_held_back)


def held_back() -> tuple[FailingLog, ...]:
    """The logs that are not looked at until the rules are finished."""
    return tuple(failing for failing in load() if failing.is_held_back)


def _failing_log(row: Mapping[str, Any]) -> FailingLog:
    decides = row["decides"]
    return FailingLog(
        name=row["name"],
        tool=row["tool"],
        recipe=_recipe(row),
        decides=(decides,) if isinstance(decides, str) else tuple(decides),
        why=row["why"],
        label=_label(row),
        is_held_back=row.get("heldBack", False),
    )


def _recipe(row: Mapping[str, Any]) -> Recipe:
    return Recipe(
        files=row.get("files", {}),
        run=row["run"],
        exit_code=row["exit"],
        hosts=tuple(row.get("hosts", ())),
        needs=tuple(row.get("needs", ())),
        whole=row.get("whole", False),
    )


def _label(row: Mapping[str, Any]) -> Label:
    return Label(
        leaf=f"{row['category']}/{row['subcategory']}",
        origin=row["origin"],
        retryable=row["retryable"],
        also=tuple(row.get("also", ())),
    )
