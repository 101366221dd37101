"""``failctl lint``: every fault of every file at once, with line, column and the mend."""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from agent.core.classify.rules import RuleSet
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.ctl.exits import Exit, UsageError
from agent.ctl.text_input import read_text
from agent.manifests.categories import load_categories
from agent.manifests.document import lint
from agent.manifests.problem import ManifestError, Problem, in_order, render
from agent.manifests.together import (
    known_categories,
    mixed_dialects,
    policy_documents,
    unknown_categories,
)


def run(
    files: Sequence[Path], *, output: str, out: TextIO, categories: Sequence[Path] = (), gates: Gates = ALL_OFF
) -> Exit:
    """Lint every file; errors and findings both end with code 1.

    ``categories`` are rule files: policies are then held to their categories. ``gates`` are those of JobSets. Raises
    UsageError for a file that is not there, and for rule files with errors.
    """
    if output not in ("table", "json"):
        raise UsageError(f"-o {output}: lint prints table or json")
    texts = [read_text(file, sys.stdin.buffer) for file in files]
    documents = {name: list(policy_documents(text, file=name)) for name, text in texts}
    known = known_categories(_rules(file) for file in categories) if categories else None
    mixed = list(mixed_dialects([document for found in documents.values() for document in found]))
    problems: list[Problem] = []
    for name, text in texts:
        beside = [problem for problem in mixed if problem.file == name]
        unknown = () if known is None else (p for one in documents[name] for p in unknown_categories(one, known))
        problems += in_order((*lint(text, file=name, gates=gates), *beside, *unknown))
    if output == "json":
        json.dump([asdict(problem) for problem in problems], out, indent=2)
        out.write("\n")
    else:
        _print(problems, len(files), out)
    return Exit.FINDING if problems else Exit.FINE


def _rules(file: Path) -> RuleSet:
    name, text = read_text(file, sys.stdin.buffer)
    try:
        return load_categories(text, file=name)
    except ManifestError as error:
        faults = "\n".join(render(problem) for problem in error.problems)
        raise UsageError(f"{name} cannot be used:\n{faults}") from error


def _print(problems: Sequence[Problem], files: int, out: TextIO) -> None:
    out.writelines(render(problem) + "\n" for problem in problems)
    many = "file" if files == 1 else "files"
    found = "nothing to mend" if not problems else f"{len(problems)} to mend"
    out.write(f"{files} {many}: {found}\n")
