r"""``ErrorDiag``: a pattern of Python's, found at the start of a message; its dot matches line ends.

What Python refuses is no pattern. RE2 runs the others, in time linear in the message. What RE2 has not (lookaround,
backreferences, ``\Z``, ``{,n}``), and messages of which RE2 and Python may think differently
(``agent.core.error_table.dialect``), a backtracking search with a time limit runs where the caller has one. Without one
a pattern that RE2 has not is none, and RE2's answer holds.
"""

import functools
from dataclasses import dataclass
from enum import Enum, auto

from agent.core.classify.pattern import PatternError, Regex, compile_pattern
from agent.core.classify.search import Found, Search, SearchFactory, TimedOut
from agent.core.error_table.dialect import (
    ALIKE,
    Differences,
    differences,
    for_backtracking,
    for_re2,
    has_count_without_least,
    python_fault,
)

_KEPT = 4096


class Answer(Enum):
    """What a pattern says of a message; ``BAD`` is a pattern that is none."""

    YES = auto()
    NO = auto()
    BAD = auto()
    TIMED_OUT = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diag:
    """One compiled pattern: for RE2, for the backtracking search, or for both. ``fault`` says why it is none."""

    regex: Regex | None = None
    search: Search | None = None
    differs: Differences = ALIKE
    fault: str = ""

    def ask(self, message: str | None) -> Answer:
        """Whether the message begins so. A message that is not there is matched by nothing."""
        if self.fault:
            return Answer.BAD
        if message is None:
            return Answer.NO
        if self.regex is not None and (self.search is None or not self.differs.about(message)):
            return Answer.YES if self.regex.search(message.encode("utf-8", "replace")) is not None else Answer.NO
        return self._backtrack(message)

    def _backtrack(self, message: str) -> Answer:
        if self.search is None:
            return Answer.BAD
        found = self.search.match(message)
        if isinstance(found, TimedOut):
            return Answer.TIMED_OUT
        return Answer.YES if isinstance(found, Found) else Answer.NO


@functools.lru_cache(maxsize=_KEPT)
def compile_diag(pattern: str, searches: SearchFactory | None = None) -> Diag:
    """Compile a pattern, for RE2 if it can, and for the search given. Raises nothing: see ``fault``.

    Kept, because classification rows are compiled when they are asked, and a search remembers its time-outs.
    """
    fault = python_fault(pattern)
    if fault:
        return Diag(fault=fault)
    unfit = unfit_for_re2(pattern)
    regex = None if unfit else compile_pattern(_anchored(pattern))
    if searches is None:
        return Diag(regex=regex, fault=unfit)
    try:
        search = searches(for_backtracking(pattern))
    except PatternError as error:
        return Diag(regex=regex, fault="" if regex else str(error))
    return Diag(regex=regex, search=search, differs=differences(pattern))


def unfit_for_re2(pattern: str) -> str:
    """Why RE2 cannot run a pattern of Python's; empty where it can."""
    if has_count_without_least(pattern):
        return "RE2 has no {,n}; write {0,n}"
    try:
        compile_pattern(_anchored(pattern))
    except PatternError as error:
        return str(error)
    return ""


def _anchored(pattern: str) -> str:
    return rf"(?s)\A(?:{for_re2(pattern)})"
