"""Retry policies as values: what a ``RetryPolicy`` document compiles to (the seed "Configurable retry policies").

``None`` is absence, 0 is a number: a ``retry_limit`` of 0 allows no retry. A field that a rule leaves out
is the policy's, and what both leave out is the settings'. Patterns are RE2, searched unanchored.
"""

from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum

from agent.core.classify.rules import Operator

DEFAULT_RULE = "default"
"""The reserved rule name under which retries granted by a ``defaultAction`` count."""


class Action(StrEnum):
    """What a rule says, in the file's spelling."""

    RETRY = "Retry"
    FAIL = "Fail"


class Avoidance(StrEnum):
    """``antiAffinity.mode``: avoid nothing, or the node of the most recent failed run only."""

    NONE = "none"
    NODE = "node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Backoff:
    """The delay before a retry; each field on its own may be left to the next level (rule, policy, settings)."""

    initial: timedelta | None = None
    maximum: timedelta | None = None
    multiplier: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCodes:
    """``onExitCodes``: the code is not 0 and is listed (In), or is not listed (NotIn)."""

    operator: Operator
    values: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Conditions:
    """``onConditions``: any of these names of the table ``agent.core.classify.conditions``."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminationMessage:
    """``onTerminationMessage``: the pattern is found in a terminated container's message."""

    pattern: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureCategory:
    """``onFailureCategory``: any of the failure's categories is listed, the primary one or another."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """``onCategory`` and ``onSubcategory``: the primary category is this; so is its subcategory, if one is given."""

    category: str
    subcategory: str | None = None


Matcher = ExitCodes | Conditions | TerminationMessage | FailureCategory | Category


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. ``container`` is ``containerName``; naming an init container includes it.

    ``include_init`` is ``includeInitContainers``. ``name`` is ours and optional: it keeps a rule's count
    when its matcher is edited.
    """

    matcher: Matcher
    action: Action
    name: str | None = None
    container: str | None = None
    include_init: bool = False
    retry_limit: int | None = None
    backoff: Backoff = Backoff()
    avoidance: Avoidance | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """A policy: rules in file order, the first that matches speaks.

    ``default_action`` applies where no rule matches; ``None``, not written, is Fail.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    default_action: Action | None = None
    retry_limit: int | None = None
    backoff: Backoff = Backoff()
    avoidance: Avoidance | None = None
