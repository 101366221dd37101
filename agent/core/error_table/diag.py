r"""``ErrorDiag``: a pattern of Python's, found at the start of a message; its dot matches line ends.

RE2 runs it, in time linear in the message. What RE2 has not (lookaround, backreferences, ``\Z``, ``{,n}``) a
backtracking search with a time limit runs where the caller has one; without one the pattern is none. Where both
take a pattern they differ in that RE2's ``$`` is the end of the text only, and its ``\d``, ``\w``, ``\s`` and ``\b``
know ASCII only (docs/error-table.md).
"""

import re
from dataclasses import dataclass
from enum import Enum, auto

from agent.core.classify.pattern import PatternError, Regex, compile_pattern
from agent.core.classify.search import Found, Search, SearchFactory, TimedOut

_COUNT_WITHOUT_LEAST = re.compile(r"(?:^|[^\\])\{,[0-9]+\}")


class Answer(Enum):
    """What a pattern says of a message; ``BAD`` is a pattern that is none."""

    YES = auto()
    NO = auto()
    BAD = auto()
    TIMED_OUT = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diag:
    """One compiled pattern. ``fault`` says why it is none, or is empty."""

    regex: Regex | None = None
    search: Search | None = None
    fault: str = ""

    def ask(self, message: str | None) -> Answer:
        """Whether the message begins so. A message that is not there is matched by nothing."""
        if self.fault:
            return Answer.BAD
        if message is None:
            return Answer.NO
        if self.regex is not None:
            return Answer.YES if self.regex.search(message.encode("utf-8", "replace")) is not None else Answer.NO
        return self._backtrack(message)

    def _backtrack(self, message: str) -> Answer:
        if self.search is None:
            return Answer.BAD
        found = self.search.search(message)
        if isinstance(found, TimedOut):
            return Answer.TIMED_OUT
        return Answer.YES if isinstance(found, Found) else Answer.NO


def compile_diag(pattern: str, searches: SearchFactory | None = None) -> Diag:
    """Compile a pattern, for RE2 if it can, else for the search given. Raises nothing: see ``fault``."""
    unfit = unfit_for_re2(pattern)
    if not unfit:
        return Diag(regex=compile_pattern(_anchored(pattern)))
    if searches is None:
        return Diag(fault=unfit)
    try:
        return Diag(search=searches(_anchored(pattern)))
    except PatternError as error:
        return Diag(fault=str(error))


def unfit_for_re2(pattern: str) -> str:
    """Why RE2 cannot run a pattern of Python's; empty where it can."""
    if _COUNT_WITHOUT_LEAST.search(pattern):
        return "RE2 has no {,n}; write {0,n}"
    try:
        compile_pattern(_anchored(pattern))
    except PatternError as error:
        return str(error)
    return ""


def _anchored(pattern: str) -> str:
    return rf"(?s)\A(?:{pattern})"
