"""Makes what is committed out of the logs that were made: ``lines.xz``, ``manifest.yaml``, and a report of both."""

import re
import socket
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from agent.console.columns import Column, heading, line
from tests.evidence.successful import LINES, Log, write
from tests.evidence.successful.clean import Cleaner
from tests.evidence.successful.recipe import Recipe
from tests.evidence.successful.run import Kitchen
from tests.evidence.successful.selection import select
from tests.ground.tree import ROOT

MANIFEST: Final = LINES.with_name("manifest.yaml")
_TABLE: Final = (
    Column(heading="TOOL", width=24),
    Column(heading="LOGS", width=6, right=True),
    Column(heading="LINES", width=8, right=True),
    Column(heading="SHARE", width=7, right=True),
    Column(heading="SURVIVED", width=8, right=True),
)


def pack(recipes: Sequence[Recipe], kitchen: Kitchen, *, most: int) -> str:
    """Write the distinct lines of all logs, at most ``most`` a tool, with their manifest; return the report."""
    logs = select(_made(recipes, kitchen), most=most)
    write(logs, LINES)
    manifest = manifest_of(recipes, logs)
    MANIFEST.write_text(yaml.safe_dump(manifest, sort_keys=False, width=120), encoding="utf-8")
    return report(manifest)


def manifest_of(recipes: Iterable[Recipe], logs: Sequence[Log]) -> list[dict[str, Any]]:
    """Return, for each recipe with a log, its tool and command, and the lines of each log, all and survived ones."""
    found = {(log.tool, log.name): log for log in logs}
    entries = ((recipe, list(_logs_of(recipe, found))) for recipe in recipes)
    return [
        {
            "tool": recipe.tool,
            "command": recipe.script,
            "lines": {log.name: len(log.lines) for log in kept},
            "survived": {log.name: number for log in kept if (number := survived(recipe, log))},
        }
        for recipe, kept in entries
        if kept
    ]


def survived(recipe: Recipe, log: Log) -> int:
    """Return how many lines of a log report a problem that the recipe causes."""
    patterns = [re.compile(pattern) for pattern in recipe.survived]
    return sum(any(pattern.search(line) for pattern in patterns) for line in log.lines)


def report(manifest: Sequence[Mapping[str, Any]]) -> str:
    """Return a table of the tools: their logs, distinct lines, share, and lines about survived problems."""
    counts: Counter[str] = Counter()
    numbers: Counter[str] = Counter()
    problems: Counter[str] = Counter()
    for entry in manifest:
        counts[entry["tool"]] += sum(entry["lines"].values())
        numbers[entry["tool"]] += len(entry["lines"])
        problems[entry["tool"]] += sum(entry["survived"].values())
    every = counts.total() or 1
    rows = [
        (tool, str(numbers[tool]), str(count), f"{count / every:.1%}", str(problems[tool]))
        for tool, count in counts.most_common()
    ]
    whole = ("all", str(numbers.total()), str(counts.total()), "", str(problems.total()))
    return "\n".join([heading(_TABLE), *(line(row, _TABLE) for row in [*rows, whole])])


def _made(recipes: Iterable[Recipe], kitchen: Kitchen) -> Iterator[Log]:
    cleaner = Cleaner(places=_places(), hosts=[socket.getfqdn()] if "." in socket.getfqdn() else [])
    for recipe in recipes:
        for each in recipe.each:
            path = kitchen.log(recipe, each)
            if path.exists():
                text = path.read_text(encoding="utf-8", errors="replace")
                yield Log(tool=recipe.tool, name=recipe.log_name(each), lines=tuple(cleaner.lines(text)))


def _logs_of(recipe: Recipe, found: Mapping[tuple[str, str], Log]) -> Iterator[Log]:
    for each in recipe.each:
        if log := found.get((recipe.tool, recipe.log_name(each))):
            yield log


def _places() -> Iterator[Path]:
    yield from (ROOT / "build" / "successful" / "work", ROOT, ROOT.parent, Path.home(), Path(tempfile.gettempdir()))
