"""Our faults of error categories in the words of Armada's classifier.

Source: armadaproject/armada at 207cc9e04, internal/executor/categorizer.
"""

import re
from collections.abc import Mapping
from typing import Any

from agent.documents.problem import Problem

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_MATCHERS = "onConditions, onExitCodes, onTerminationMessage, onPodError, or onPodEvents"
_LONGEST = 63
_OF_A_FIELD = frozenset({"empty", "missing-field", "unknown-value"})


def in_armadas_words(problem: Problem, config: Mapping[str, Any], *, legacy: bool) -> str:
    """Return what Armada says of the same fault; our own message if it knows no such fault."""
    steps = [int(index) if index else name for index, name in _STEP.findall(problem.path)]
    value = _at(config, steps)
    words = _words(problem, steps, value, legacy=legacy)
    return f"{_subject(problem, config, steps)}{words}"


def _subject(problem: Problem, config: Mapping[str, Any], steps: list[str | int]) -> str:
    """Return how Armada begins to speak: of a rule, of a category, or at once of the fault."""
    if "rules" in steps[:-1]:
        return f"{_category(config, steps)} rule {steps[steps.index('rules') + 1]}: "
    if problem.code == "no-rules":
        return f"{_category(config, steps)} "
    return f"{_category(config, steps)}: " if steps[-1:] == ["action"] else ""


def _category(config: Mapping[str, Any], steps: list[str | int]) -> str:
    """Return how Armada names the category in which something stands."""
    index = next((number for number, step in enumerate(steps) if isinstance(step, int)), None)
    category = _at(config, steps[: index + 1]) if index is not None else None
    return f'category "{category.get("name", "")}"' if isinstance(category, Mapping) else "category"


def _words(problem: Problem, steps: list[str | int], given: object, *, legacy: bool) -> str:
    field, value = str(steps[-1]) if steps else "", "" if given is None else str(given)
    by_code = {
        "duplicate-category": f'duplicate category name "{value}"',
        "no-matcher": f"rule must specify one of {_MATCHERS}",
        "several-matchers": f"rule must specify only one of {_MATCHERS}",
        "unknown-condition": f'unknown condition "{value}", valid values: OOMKilled, Evicted, DeadlineExceeded',
        "invalid-pattern": _pattern(str(steps[-2]) if field else "", field, legacy=legacy) + f' "{value}"',
        "no-rules": "must have at least one rule",
        "too-long": f'{"category name" if field == "name" else field} "{value}" exceeds maximum length {_LONGEST}',
    }
    by_field = {
        "name": "category config must have a name",
        "values": "exit code matcher requires at least one value",
        "operator": f'invalid exit code operator "{value}", must be "In" or "NotIn"',
        "type": f'invalid onPodEvents type "{value}", must be "Normal" or "Warning"',
        "action": f'invalid action "{value}": must be "Delete" or "Retain"',
    }
    if problem.code in by_code:
        return by_code[problem.code]
    of_a_field = problem.code in _OF_A_FIELD or (problem.code == "wrong-type" and given is None)
    return by_field.get(field, problem.message) if of_a_field else problem.message


def _pattern(matcher: str, field: str, *, legacy: bool) -> str:
    return "invalid regex" if legacy else f"invalid {matcher} {'regexp' if field == 'regexp' else 'regex'}"


def _at(config: object, steps: list[str | int]) -> object:
    for step in steps:
        if isinstance(step, int):
            config = config[step] if isinstance(config, list) and step < len(config) else None
        else:
            config = config.get(step) if isinstance(config, Mapping) else None
    return config


def with_hint(message: str, hint: str) -> str:
    """Return the message, a blank line and the hint; the message alone if there is no hint.

    Source: armadaproject/armada#4891, which puts it into Armada's error texts.
    """
    return f"{message}\n\n{hint}" if hint else message
