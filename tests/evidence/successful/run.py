"""Runs recipes: one folder a tool to work in, one log a run, kept only where the run succeeded."""

import os
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from subprocess import TimeoutExpired

from tests.child import STDOUT, Child
from tests.evidence.successful.recipe import Recipe, missing
from tests.ground.tree import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Kitchen:
    """Where recipes run: ``work`` holds a folder a tool, ``logs`` the logs, one folder a tool."""

    work: Path
    logs: Path

    def log(self, recipe: Recipe, variant: str) -> Path:
        """Return where the log of one run is kept."""
        return self.logs / recipe.tool / f"{recipe.log_name(variant)}.log"


def run(recipe: Recipe, kitchen: Kitchen, *, say: Callable[[str], None]) -> None:
    """Run what has no log yet. Whatever fails is reported and has no log; it stops nothing else."""
    names = [variant for variant in recipe.each if not kitchen.log(recipe, variant).exists()]
    if not names:
        return
    if absent := list(missing(recipe)):
        say(f"{recipe.tool}: skipped, not installed: {', '.join(absent)}")
        return
    folder = kitchen.work / recipe.tool
    folder.mkdir(parents=True, exist_ok=True)
    if recipe.prepare and (problem := _shell(recipe.prepare, recipe, folder, "prepare", folder / "prepare.log")):
        say(f"{recipe.tool}: skipped, cannot be prepared: {problem}; see {folder / 'prepare.log'}")
        return
    for variant in names:
        log = kitchen.log(recipe, variant)
        say(f"{recipe.tool} {recipe.log_name(variant)}: {_run_variant(recipe, variant, folder, log)}")


def _run_variant(recipe: Recipe, variant: str, folder: Path, log: Path) -> str:
    log.parent.mkdir(parents=True, exist_ok=True)
    unfinished = log.with_suffix(".unfinished")
    if problem := _shell(recipe.script, recipe, folder, variant, unfinished):
        return f"not kept, {problem}; see {unfinished}"
    unfinished.rename(log)
    return f"{log.stat().st_size >> 10} KiB"


def _shell(script: str, recipe: Recipe, folder: Path, variant: str, output: Path) -> str:
    """Run a script with its output in a file; return what went wrong, or nothing."""
    words, environ = ["bash", "-c", f"set -euo pipefail\n{script}"], _environment(os.environ, variant)
    with output.open("wb") as out, Child(words, cwd=folder, env=environ, stdout=out, stderr=STDOUT) as process:
        try:
            status = process.wait(recipe.minutes * 60)
        except TimeoutExpired:
            return f"stopped after {recipe.minutes:g} minutes"
    return f"exit code {status}" if status else ""


def _environment(own: Mapping[str, str], variant: str) -> dict[str, str]:
    return dict(_inherited(own)) | {
        "each": variant,
        "HERE": str(Path(__file__).parent),
        "ROOT": str(ROOT),
        "PYTHON": sys.executable,
        "LC_ALL": "C.UTF-8",
        "NO_COLOR": "1",
    }


def _inherited(own: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What tools need to run and to find their packages; not what names this run of ours."""
    return (
        (key, value) for key, value in own.items() if not key.startswith(("PYTEST", "MAKE", "VIRTUAL_ENV", "OLDPWD"))
    )
