"""What a rule of a retry policy may look for; patterns are RE2, searched unanchored."""

from dataclasses import dataclass

from agent.core.classify.rules import NodeCondition, Operator
from agent.core.failure import Origin, Trust


@dataclass(frozen=True, slots=True, kw_only=True)
class ExitCodes:
    """``onExitCodes``: the code is not 0 and is listed (In), or is not listed (NotIn)."""

    operator: Operator
    values: frozenset[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Signals:
    """``onSignals``: the signal that ended the container is listed: the one given, else its code - 128."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureOrigin:
    """``onOrigin``: the party that the failure is attributed to is listed."""

    origins: tuple[Origin, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeConditions:
    """``onNodeConditions``: the node had any one of these conditions."""

    any_of: tuple[NodeCondition, ...]


SingleMatcher = (
    ExitCodes | Signals | Conditions | TerminationMessage | FailureCategory | Category | FailureOrigin | NodeConditions
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf:
    """``allOf``: every one of several; those that look at a container must all hold for one and the same."""

    matchers: tuple[SingleMatcher, ...]


Matcher = SingleMatcher | AllOf


def parts(matcher: Matcher) -> tuple[SingleMatcher, ...]:
    """The matchers that all must hold."""
    return matcher.matchers if isinstance(matcher, AllOf) else (matcher,)


LONGEST_TEXT = 200
"""Characters of a matched text that an explanation keeps; an ellipsis marks what was cut off."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matched:
    """The text that matched, where it stands, who wrote it, and in which container; empty for pod signals."""

    matcher: str
    where: str
    text: str
    trust: Trust
    container: str = ""


Finding = Matched | str
"""What matched, or in words why the rule is silent."""


def bounded(text: str) -> str:
    """``text``, cut to LONGEST_TEXT."""
    return text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT]}…"
