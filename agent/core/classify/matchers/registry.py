"""The list of all matchers: those of error categories and those of retry policies."""

from dataclasses import dataclass
from typing import ClassVar, Final, Generic, TypeVar, get_args

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.corroborated import Corroborated
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import AnyText, TextMatcher

M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(Generic[M]):
    """``allOf``: every one of several matchers.

    Matchers of containers must all match the same container; without matchers it never matches.
    """

    NAME: ClassVar[str] = "allOf"

    matchers: tuple[M, ...]


CategoryMatcher = (
    ExitCodes
    | Signals
    | TerminationMessage
    | Conditions
    | Namespaces
    | PodError
    | PodEvents
    | NodeConditions
    | NodeLog
    | LogTail
    | Output
)
"""Matchers of error categories. They are applied to the evidence of a pod."""

RetryMatcher = (
    ExitCodes
    | Signals
    | Conditions
    | TerminationMessage
    | FailureCategory
    | Category
    | FailureOrigin
    | Corroborated
    | MinGrade
    | NodeConditions
)
"""Matchers of retry policies. They are applied to a failure that is already classified."""

TEXTS: Final[tuple[type[AnyText], ...]] = tuple(
    matcher for matcher in get_args(CategoryMatcher) if issubclass(matcher, TextMatcher)
)
"""The matchers of error categories that search a text."""

Matcher = RetryMatcher | AllOf[RetryMatcher]
"""The matcher of a rule of a retry policy."""


def parts(matcher: Matcher) -> tuple[RetryMatcher, ...]:
    """The matchers, all of which must match."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)
