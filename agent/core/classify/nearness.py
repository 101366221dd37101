"""How close a rule came that did not match, so that people find the rule that should have matched first.

The result only orders rules: from 0 (nothing that it looks for was present) up to 1.
"""

import re
from functools import lru_cache
from typing import Final

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.ends import ends
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeConditions
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.text import Engine, TextMatcher
from agent.core.classify.pattern import compile_pattern, find
from agent.core.classify.program import Atom
from agent.core.classify.weakness import is_weak
from agent.core.evidence import Condition, Evidence
from agent.core.exit_status import ending_signal

ELSEWHERE: Final = 0.9
"""The rule's condition was found in another container than the one it names."""

ANOTHER_VALUE: Final = 0.1
"""There was a signal of this kind, with another value."""

_OTHER_REASON: Final = 0.5
_NO_LITERALS: Final = re.compile(r"\\[pP]\{[^}]*\}|\\[A-Za-z]|\[[^\]]*\]|\(\?[^:)]*[:)]|\{\d+(?:,\d*)?\}")
_WORD: Final = re.compile(r"[^\W_]{3,}")
_SAY_NOTHING: Final = frozenset(
    ("and", "because", "code", "container", "error", "exit", "failed", "for", "from", "not", "the", "was", "with")
)
"""Words that occur in most messages, and in what the platform reports for every failed container."""


def weight(matcher: CategoryMatcher) -> float:
    """The weight of a matcher within an ``allOf``: low if it matches most failures."""
    return ANOTHER_VALUE if is_weak(matcher) else 1.0


def nearness(atom: Atom, evidence: Evidence) -> float:
    """How close a matcher came that does not match."""
    if atom.container is not None and _holds_anywhere(atom.matcher, evidence):
        return ELSEWHERE
    match atom.matcher:
        case TextMatcher(pattern=pattern):
            texts = (text for _, text in atom.matcher.searched(atom.container, evidence))
            return max((_likeness(pattern.text, text) for text in texts), default=0.0)
        case NodeConditions():
            conditions = () if evidence.node is None else evidence.node.conditions
            return _OTHER_REASON if any(_nearly(atom.matcher, condition) for condition in conditions) else 0.0
        case ExitCodes():
            return ANOTHER_VALUE if ends(atom.container, evidence)[0] else 0.0
        case Signals():
            signals = (ending_signal(state) for _, state in ends(atom.container, evidence)[0])
            return ANOTHER_VALUE if any(signal is not None for signal in signals) else 0.0
        case Conditions() | Namespaces():
            return 0.0


def together(parts: list[float]) -> float:
    """How close a rule came, per matcher."""
    return min(sum(parts) / len(parts), ELSEWHERE) if parts else 0.0


def _holds_anywhere(matcher: CategoryMatcher, evidence: Evidence) -> bool:
    match matcher:
        case ExitCodes():
            codes = (state.exit_code for _, state in ends(None, evidence)[0])
            return any(code is not None and matcher.matches(code) for code in codes)
        case Signals():
            signals = (ending_signal(state) for _, state in ends(None, evidence)[0])
            return any(signal is not None and matcher.matches(signal) for signal in signals)
        case Conditions(names=names):
            containers = evidence.pod.containers
            return any(
                CONDITIONS[name].see_in_container(container) is not None for name in names for container in containers
            )
        case TextMatcher(pattern=pattern) if pattern.engine is Engine.RE2:
            regex = compile_pattern(pattern.text)
            return any(find(regex, text) for _, text in matcher.searched(None, evidence))
        case _:
            return False


def _nearly(matcher: NodeConditions, condition: Condition) -> bool:
    """Whether a condition matches except for its reason."""
    return any(condition.type == wanted.type and condition.status == wanted.status for wanted in matcher.any_of)


def _likeness(pattern: str, text: str) -> float:
    """The share of a pattern's words that occur in the text, for the best alternative; a single word does not count."""
    said = set(_distinct(text))
    counts = ((sum(word in said for word in words), len(words)) for words in _alternatives(pattern))
    return max((shared / (count + 1) for shared, count in counts if shared > 1), default=0.0)


@lru_cache(maxsize=1024)
def _alternatives(pattern: str) -> tuple[tuple[str, ...], ...]:
    alternatives = map(_distinct, _NO_LITERALS.sub(" ", pattern).split("|"))
    return tuple(words for words in alternatives if words)


def _distinct(text: str) -> tuple[str, ...]:
    words = (word.lower() for word in _WORD.findall(text))
    return tuple(dict.fromkeys(word for word in words if word not in _SAY_NOTHING))
