"""How close a rule came that did not match, so that people find the rule that should have matched first.

The result only orders rules: from 0 (nothing that it looks for was present) up to 1. How close a matcher came, it says
itself.
"""

from typing import Final

from agent.core.classify.matchers.matcher import ANOTHER_VALUE
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.program import Atom
from agent.core.evidence import Evidence

ELSEWHERE: Final = 0.9
"""The rule's condition was found in another container than the one it names."""


def weight(matcher: CategoryMatcher) -> float:
    """The weight of a matcher within an ``allOf``: low if it matches most failures."""
    return ANOTHER_VALUE if matcher.is_weak else 1.0


def nearness(atom: Atom, evidence: Evidence) -> float:
    """How close a matcher came that does not match."""
    if atom.container is not None and atom.matcher.holds_anywhere(evidence):
        return ELSEWHERE
    return atom.matcher.nearness(atom.container, evidence)


def together(parts: list[float]) -> float:
    """How close a rule came, per matcher."""
    return min(sum(parts) / len(parts), ELSEWHERE) if parts else 0.0
