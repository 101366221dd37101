"""``failctl lint``: every fault of every file at once, with line, column and the mend."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from agent.ctl.exits import Exit, UsageError
from agent.ctl.text_input import read_text
from agent.manifests.document import lint
from agent.manifests.problem import Problem, render


def run(files: Sequence[Path], *, output: str, out: TextIO) -> Exit:
    """Lint every file; errors and findings both end with code 1. Raises UsageError for a file that is not there."""
    if output not in ("table", "json"):
        raise UsageError(f"-o {output}: lint prints table or json")
    problems = [problem for file in files for problem in _lint(file)]
    if output == "json":
        json.dump([asdict(problem) for problem in problems], out, indent=2)
        out.write("\n")
    else:
        _print(problems, len(files), out)
    return Exit.FINDING if problems else Exit.FINE


def _lint(file: Path) -> tuple[Problem, ...]:
    name, text = read_text(file, sys.stdin.buffer)
    return lint(text, file=name)


def _print(problems: Sequence[Problem], files: int, out: TextIO) -> None:
    out.writelines(render(problem) + "\n" for problem in problems)
    many = "file" if files == 1 else "files"
    found = "nothing to mend" if not problems else f"{len(problems)} to mend"
    out.write(f"{files} {many}: {found}\n")
