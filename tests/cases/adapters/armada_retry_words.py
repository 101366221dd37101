"""Our faults of Armada's retry policies in the words of Armada's server.

Source: armadaproject/armada at 207cc9e04, internal/server/retrypolicy/validation.go.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent.documents.problem import Problem

Step = str | int

_STEP = re.compile(r"\[(\d+)\]|([^.\[\]]+)")
_LABEL = (
    "must consist of lowercase alphanumeric characters or '-', and must start and end with an alphanumeric character"
)
_MEMORY = "mutate.resources.memory: "
_NO_ACTION = "action must be Fail or Retry"


def steps_of(problem: Problem) -> list[Step]:
    """The path of a problem, step by step."""
    return [int(index) if index else name for index, name in _STEP.findall(problem.path)]


def servers_words(problem: Problem, policy: Mapping[str, Any]) -> str:
    """What Armada's server says of the same fault; our own message if it knows no such fault."""
    steps, name = steps_of(problem), policy.get("name", "")
    if steps[:1] == ["rules"] and len(steps) > 1:
        return f'retry policy "{name}" rule {steps[1]}: {_of_rule(problem, steps, policy)}'
    if steps == ["defaultAction"]:
        return f'retry policy "{name}" must set a default action (Fail or Retry)'
    if steps == ["name"]:
        return _of_name(problem, name)
    return problem.message


def _of_name(problem: Problem, name: str) -> str:
    if not name:
        return "retry policy name must not be empty"
    if problem.code == "too-long":
        return f'retry policy name "{name}" must be at most 63 characters'
    return f'retry policy name "{name}" is invalid: {_LABEL}'


def _of_rule(problem: Problem, steps: Sequence[Step], policy: Mapping[str, Any]) -> str:
    if len(steps) == 2:
        return "rule must not be nil"
    field = steps[2]
    if field == "action":
        return _NO_ACTION
    if field == "onCategory":
        return "on_category must be set"
    if field == "mutate":
        return _MEMORY + _of_memory(problem, policy["rules"][steps[1]]["mutate"]["resources"]["memory"])
    return problem.message


def _of_memory(problem: Problem, memory: Mapping[str, Any]) -> str:
    static = memory.get("static")
    by_code = {
        "invalid-quantity": f'invalid static quantity "{static}"',
        "out-of-range": f'static quantity "{static}" must be positive',
    }
    return by_code.get(problem.code, problem.message)


def engines_words(problem: Problem, policy: Mapping[str, Any]) -> str:
    """What Armada's engine says of the same fault when it takes a policy in."""
    steps = steps_of(problem)
    if steps == ["defaultAction"]:
        return f'DefaultAction must be "Fail" or "Retry", got "{policy.get("defaultAction") or ""}"'
    if steps == ["name"]:
        return "policy name must not be empty"
    if steps[:1] == ["rules"] and len(steps) > 2:
        rule = policy["rules"][steps[1]] or {}
        if steps[2] == "action":
            return f'rule {steps[1]}: Action must be "Fail" or "Retry", got "{rule.get("action") or ""}"'
        if steps[2] == "onCategory":
            return f"rule {steps[1]}: OnCategory must be set"
    return problem.message


def conversions_words(problem: Problem, policy: Mapping[str, Any]) -> str:
    """What Armada says of the same fault when it converts a policy of its API."""
    steps, name = steps_of(problem), policy.get("name", "")
    if steps[-1:] in (["action"], ["defaultAction"]):
        return f'retry policy "{name}": unknown action'
    return f'retry policy "{name}": {problem.message}'
