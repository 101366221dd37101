"""The loop one would write first: a compiled pattern a rule, in order, until one matches."""

from collections.abc import Callable, Sequence
from typing import Protocol

from agent.core.classify import rules as words
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.rules import RuleSet
from agent.core.evidence import ContainerState, Evidence

Check = Callable[[Evidence, Sequence[ContainerState]], bool]


class Pattern(Protocol):
    """A compiled pattern of ``re`` or ``regex``."""

    def search(self, string: str) -> object:
        """Look anywhere in the text; what is found is true."""
        ...


Compiler = Callable[[str], Pattern]


def loop(rules: RuleSet, *, compiler: Compiler) -> Callable[[Evidence], str]:
    """A loop over compiled patterns that stops at the first rule that matches."""
    checks = [
        (category.name, _check(rule.matcher, compiler)) for category in rules.categories for rule in category.rules
    ]
    default = rules.default_category

    def classify(evidence: Evidence) -> str:
        ended = [
            container.ended
            for container in evidence.pod.containers
            if container.ended is not None and container.ended.exit_code
        ]
        for name, check in checks:
            if check(evidence, ended):
                return name
        return default

    return classify


def _check(matcher: words.Matcher, compiler: Compiler) -> Check:
    """The test one rule makes, its pattern compiled before."""
    match matcher:
        case TerminationMessage(pattern=pattern):
            search = compiler(pattern.text).search
            return lambda _, ended: any(state.message and search(state.message) for state in ended)
        case PodError(pattern=pattern):
            search = compiler(pattern.text).search
            return lambda evidence, _: bool(evidence.pod_error and search(evidence.pod_error))
        case PodEvents(type=kind, reason=reason, pattern=pattern):
            search = compiler(pattern.text).search
            return lambda evidence, _: any(
                event.type == kind and event.reason == reason and search(event.message) for event in evidence.events
            )
        case ExitCodes(values=values):
            return lambda _, ended: any(state.exit_code in values for state in ended)
        case Conditions(names=names):
            return lambda evidence, _: evidence.pod.reason in names
        case _:
            raise TypeError(f"the sample has no {type(matcher).__name__}")
