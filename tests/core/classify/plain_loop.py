"""The oracle: a plain loop over the rules, written straight from Armada's internal/executor/categorizer and rules.py.

It shares no code with the classifier but the engines (RE2 one pattern at a time) and the table of conditions.
"""

from collections.abc import Iterator
from typing import assert_never

import re2
import regex

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.rules import RuleSet
from agent.core.classify.signs import Scope
from agent.core.evidence import Container, Evidence


def matching(rules: RuleSet, evidence: Evidence) -> list[tuple[str, int]]:
    """Category and index of every rule that matches, in file order."""
    return [
        (category.name, index)
        for category in rules.categories
        for index, rule in enumerate(category.rules)
        if _matches(rule.matcher, rule.container, evidence)
    ]


def _matches(matcher: CategoryMatcher | AllOf[CategoryMatcher], container: str | None, evidence: Evidence) -> bool:
    if not isinstance(matcher, AllOf):
        return _in_pod(matcher, evidence) or any(
            _in_container(matcher, container, name, evidence) for name in _names(evidence)
        )
    if not matcher.matchers:
        return False
    rest = [part for part in matcher.matchers if not _in_pod(part, evidence)]
    return not rest or any(
        all(_in_container(matcher, container, name, evidence) for matcher in rest) for name in _names(evidence)
    )


def _names(evidence: Evidence) -> set[str]:
    return {container.name for container in evidence.pod.containers} | {tail.container for tail in evidence.log_tails}


def _candidates(name: str, evidence: Evidence) -> Iterator[tuple[int | None, str, int | None]]:
    for container in evidence.pod.containers:
        if container.name == name and container.ended is not None and container.ended.exit_code != 0:
            yield container.ended.exit_code, container.ended.message, container.ended.signal


def _in_container(matcher: CategoryMatcher, wanted: str | None, name: str, evidence: Evidence) -> bool:
    mine = [container for container in evidence.pod.containers if container.name == name]
    match matcher:
        case ExitCodes(operator=operator, values=values):
            listed = operator is Operator.IN
            holds = any(code is not None and (code in values) == listed for code, _, _ in _candidates(name, evidence))
        case Signals(values=values):
            holds = any(_signal(code, given) in values for code, _, given in _candidates(name, evidence))
        case TerminationMessage(pattern=pattern):
            holds = any(_found(pattern, message) for _, message, _ in _candidates(name, evidence))
        case Conditions(names=names):
            holds = any(_condition_in(condition, container) for condition in names for container in mine)
        case LogTail(pattern=pattern):
            holds = any(_found(pattern, tail.text) for tail in evidence.log_tails if tail.container == name)
        case Output(pattern=pattern):
            said = [message for _, message, _ in _candidates(name, evidence)]
            said += [tail.text for tail in evidence.log_tails if tail.container == name]
            holds = any(_found(pattern, text) for text in said)
        case PodError() | PodEvents() | NodeConditions() | NodeLog() | Namespaces():
            holds = False
        case _:
            assert_never(matcher)
    return holds and wanted in (None, name)


def _in_pod(matcher: CategoryMatcher, evidence: Evidence) -> bool:
    node = evidence.node
    match matcher:
        case Conditions(names=names):
            return any(CONDITIONS[name].scope is Scope.POD and CONDITIONS[name].holds(evidence) for name in names)
        case Namespaces() | PodError():
            return _in_whole_pod(matcher, evidence)
        case PodEvents(type=kind, reason=reason, pattern=pattern):
            return any(
                event.type == kind and (reason is None or event.reason == reason) and _found(pattern, event.message)
                for event in evidence.events
            )
        case NodeConditions(any_of=any_of):
            return any(
                has.type == wanted.type
                and has.status == wanted.status
                and wanted.reason in (None, has.reason)
                and (
                    wanted.pattern is None
                    or any(_found(Pattern(text=wanted.pattern), text) for text in (has.reason, has.message))
                )
                for wanted in any_of
                for has in (node.conditions if node else ())
            )
        case NodeLog(pattern=pattern):
            return any(_found(pattern, line) for line in (node.log_lines if node else ()))
        case ExitCodes() | Signals() | TerminationMessage() | LogTail() | Output():
            return False
        case _:
            assert_never(matcher)


def _in_whole_pod(matcher: Namespaces | PodError, evidence: Evidence) -> bool:
    if isinstance(matcher, PodError):
        return _found(matcher.pattern, evidence.pod_error)
    return evidence.namespace != "" and (evidence.namespace in matcher.values) is (matcher.operator is Operator.IN)


def _condition_in(name: str, container: Container) -> bool:
    return CONDITIONS[name].see_in_container(container) is not None


def _signal(code: int | None, given: int | None) -> int | None:
    if given:
        return given
    return code - 128 if code is not None and 129 <= code <= 192 else None


def _found(pattern: Pattern, text: str) -> bool:
    if not text:
        return False
    if pattern.engine is Engine.BACKTRACKING:
        return regex.search(pattern.text, text) is not None
    return re2.search(pattern.text, text) is not None
