"""Makes what is committed out of the logs that were made, and a report of it."""

import lzma
import os
import re
import socket
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from agent.console.columns import Column, heading, line
from agent.evaluate.successful import Log, packed
from agent.shipped import SUCCESSFUL_RUNS
from tests.evidence.successful import MANIFEST
from tests.evidence.successful.clean import Cleaner
from tests.evidence.successful.recipe import Recipe
from tests.evidence.successful.run import Kitchen
from tests.evidence.successful.selection import select
from tests.ground.tree import ROOT

PACKED: Final = ROOT / "config" / SUCCESSFUL_RUNS
_TABLE: Final = (
    Column(heading="TOOL", width=24),
    Column(heading="LOGS", width=6, right=True),
    Column(heading="LINES", width=8, right=True),
    Column(heading="SHARE", width=7, right=True),
    Column(heading="SURVIVED", width=8, right=True),
)


def pack(recipes: Sequence[Recipe], kitchen: Kitchen, *, most: int) -> str:
    """Write the distinct lines of all logs, at most ``most`` a tool, with their manifest; return the report."""
    problems = {recipe.tool: recipe for recipe in recipes if recipe.survived}
    logs = select(
        made(recipes, kitchen),
        most=most,
        is_problem=lambda log, line: log.tool in problems and _is_problem(problems[log.tool], line),
    )
    write(logs, PACKED)
    manifest = manifest_of(recipes, logs)
    MANIFEST.write_text(yaml.safe_dump(manifest, sort_keys=False, width=120), encoding="utf-8")
    return report(manifest)


def write(logs: Iterable[Log], path: Path) -> None:
    """Write logs for ``successful_logs``."""
    # a filter of its own for text: words repeat at a distance, and all of it fits in one dictionary
    text_filter = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 26, "lc": 4, "pb": 0}
    path.write_bytes(lzma.compress(packed(logs).encode(), format=lzma.FORMAT_XZ, filters=[text_filter]))


def made(recipes: Iterable[Recipe], kitchen: Kitchen) -> Iterator[Log]:
    """Yield the logs that were made, clean and whole."""
    hosts = [socket.getfqdn()] if "." in socket.getfqdn() else []
    hosts += (value for name, value in os.environ.items() if name.endswith("_NAME") and value)
    cleaner = Cleaner(places=_places(), hosts=hosts, variables=os.environ)
    for recipe in recipes:
        for variant in recipe.each:
            path = kitchen.log(recipe, variant)
            if path.exists():
                text = path.read_text(encoding="utf-8", errors="replace")
                yield Log(tool=recipe.tool, name=recipe.log_name(variant), lines=tuple(cleaner.lines(text)))


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
    return sum(_is_problem(recipe, line) for line in log.lines)


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


def _is_problem(recipe: Recipe, line: str) -> bool:
    return any(re.search(pattern, line) for pattern in recipe.survived)


def _logs_of(recipe: Recipe, found: Mapping[tuple[str, str], Log]) -> Iterator[Log]:
    for variant in recipe.each:
        if log := found.get((recipe.tool, recipe.log_name(variant))):
            yield log


def _places() -> Iterator[Path]:
    yield from (ROOT / "build" / "successful" / "work", ROOT, ROOT.parent, Path.home(), Path(tempfile.gettempdir()))
