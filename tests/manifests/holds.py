"""What must hold of every text, whatever it is."""

import time
import unicodedata

from agent.core.classify.classifier import compile_rules
from agent.core.retry.compiled import compile_policy
from agent.documents.problem import ManifestError, Problem, Severity, render
from agent.documents.source import decode
from agent.manifests.categories.packs import load_categories
from agent.manifests.lint import lint
from agent.manifests.retry.load import load_retry_policy
from agent.patterns import BacktrackingSearches

UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def holds(text: str | bytes) -> None:
    """Every problem is placed and can be shown; a document without errors loads, and what it gives compiles."""
    problems = lint(text, file="f.yaml")
    for problem in problems:
        _is_placed(problem, text)
    wrong = [problem for problem in problems if problem.severity is Severity.ERROR]
    _loads_as_told(text, wrong=bool(wrong))


def _is_placed(problem: Problem, text: str | bytes) -> None:
    source, _ = decode(text, file="f.yaml")
    assert problem.line >= 1
    assert problem.column >= 1
    assert problem.length >= 1
    assert problem.message
    assert problem.code
    assert problem.excerpt == source.line(problem.line)
    assert problem.column <= len(problem.excerpt) + 1
    shown = render(problem).replace("\n", "")
    assert all(unicodedata.category(character) not in UNSAFE for character in shown)


def _loads_as_told(text: str | bytes, *, wrong: bool) -> None:
    loaded = [_categories(text), _policy(text)]
    assert not (wrong and any(loaded))


def _categories(text: str | bytes) -> bool:
    try:
        rules = load_categories(text, file="f.yaml")
    except ManifestError as error:
        return _is_refused(error)
    compile_rules(rules, searches=BacktrackingSearches(clock=time.monotonic))
    return True


def _policy(text: str | bytes) -> bool:
    try:
        policy = load_retry_policy(text, file="f.yaml")
    except ManifestError as error:
        return _is_refused(error)
    compile_policy(policy)
    return True


def _is_refused(error: ManifestError) -> bool:
    """Return that nothing was loaded; an error says why."""
    assert error.problems
    assert all(problem.severity is Severity.ERROR for problem in error.problems)
    return False
