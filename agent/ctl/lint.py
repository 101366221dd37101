"""``failctl lint``: every fault of every file at once, with line, column and the fix."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import TextIO

from agent.console.exits import Exit, UsageError
from agent.console.inputs import Input, inputs
from agent.console.options import Form
from agent.core.classify.rules import RuleSet
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.ctl.files import unusable
from agent.documents.compose import Documents
from agent.documents.problem import ManifestError, Problem, in_order, render
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import categories_of
from agent.manifests.crosscheck import known_categories, mixed_dialects, unknown_categories
from agent.manifests.lint import compose, lint_documents
from agent.settings.cluster import ClusterSettings
from agent.settings.fault import ConfigError
from agent.settings.load import load


@dataclass(frozen=True, slots=True, kw_only=True)
class LintRequest:
    """What to lint: ``files``, for an agent with these settings if any; without files the one the settings name.

    ``rules`` are rule files: policies may then only name their categories. ``gates`` are those of JobSets.
    """

    files: Sequence[str | Path]
    rules: Sequence[Path] = ()
    gates: Gates = ALL_OFF
    settings: Path | None = None
    output: Form = "table"


def run(request: LintRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """Lint every file; errors and findings both exit with code 1.

    Raises UsageError for a file that is not there, settings or rule files (``rules``) that cannot be used, and
    where there is nothing to lint.
    """
    files, event_types = inputs(request.files), ALL_TYPES
    if request.settings is not None:
        settings = _settings(request.settings, environ)
        files, event_types = files or inputs((settings.categories,)), settings.watch.event_types
    if not files:
        raise UsageError("nothing to lint: give files, or --settings FILE of the agent, which names one")
    problems = _lint(files, request, event_types)
    if request.output == "json":
        json.dump([asdict(problem) for problem in problems], out, indent=2)
        out.write("\n")
    else:
        _print(problems, len(files), out)
    return Exit.FINDING if problems else Exit.FINE


def _lint(files: Sequence[Input], request: LintRequest, event_types: frozenset[str]) -> list[Problem]:
    """Return the problems of each file alone, and of policies compared with each other and with the categories."""
    # A file may be linted and have categories besides, and standard input can be read once only.
    composed = cache(_composed)
    linted = [
        (composed(file).source.file, lint_documents(composed(file), event_types=event_types, gates=request.gates))
        for file in files
    ]
    known = known_categories(_rules(composed(file)) for file in inputs(request.rules)) if request.rules else None
    mixed = list(mixed_dialects([policy for _, one in linted for policy in one.policies]))
    problems: list[Problem] = []
    for name, one in linted:
        beside = [problem for problem in mixed if problem.file == name]
        unknown = () if known is None else (p for policy in one.policies for p in unknown_categories(policy, known))
        problems += in_order((*one.problems, *beside, *unknown))
    return problems


def _composed(file: Input) -> Documents:
    return compose(file.text(), file=file.name)


def _rules(documents: Documents) -> RuleSet:
    try:
        return categories_of(documents)
    except ManifestError as error:
        raise unusable(documents.source.file, error) from error


def _settings(file: Path, environ: Mapping[str, str]) -> ClusterSettings:
    try:
        return load(ClusterSettings, file, environ)
    except ConfigError as error:
        raise UsageError(str(error)) from error


def _print(problems: Sequence[Problem], files: int, out: TextIO) -> None:
    out.writelines(render(problem) + "\n" for problem in problems)
    many = "file" if files == 1 else "files"
    found = "nothing to fix" if not problems else f"{len(problems)} to fix"
    out.write(f"{files} {many}: {found}\n")
