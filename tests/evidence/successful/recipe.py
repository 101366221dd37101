"""Recipes: which commands are run to get logs of runs that succeed."""

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.tables import table

RECIPES: Final = Path(__file__).with_name("recipes.yaml")


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One tool's runs: a shell script that runs once for each name in ``each``, which it reads as ``$each``.

    ``prepare`` runs once before, in the same folder; its output is not kept. ``needs`` are commands. ``survived`` are
    patterns of the lines that report the problems which this recipe causes, and which its run survives. A run that
    takes more than ``minutes`` is stopped and not kept.
    """

    tool: str
    script: str
    name: str = ""
    each: tuple[str, ...] = ("all",)
    prepare: str = ""
    needs: tuple[str, ...] = ()
    survived: tuple[str, ...] = ()
    minutes: float = 10

    def log_name(self, variant: str) -> str:
        """Return the name of one run's log, as part of a file name."""
        parts = [part for part in (self.name, "" if variant == "all" else variant) if part]
        return "".join(c if c.isalnum() or c in "._-" else "-" for c in "-".join(parts) or "all").strip("-")


def recipes(path: Path = RECIPES) -> tuple[Recipe, ...]:
    """Return the recipes of a file, in its order."""
    return tuple(_recipe(row) for row in table(path))


def missing(recipe: Recipe, which: Callable[[str], str | None] = shutil.which) -> Iterator[str]:
    """Yield the commands that a recipe needs and that are not on the PATH."""
    return (command for command in recipe.needs if which(command) is None)


def _recipe(fields: dict[str, object]) -> Recipe:
    lists = {key: tuple(str(fields[key]).split()) for key in ("each", "needs") if key in fields}
    survived = fields.get("survived", ())
    if not isinstance(survived, list | tuple):
        raise TypeError(f"survived: expected a list, found {survived!r}")
    return Recipe(
        tool=str(fields["tool"]),
        script=str(fields["run"]),
        name=str(fields.get("name", "")),
        prepare=str(fields.get("prepare", "")),
        survived=tuple(map(str, survived)),
        minutes=float(str(fields.get("minutes", 10))),
        **lists,
    )
