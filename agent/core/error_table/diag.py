r"""``ErrorDiag``: a Python pattern, matched at the start of a message; its dot matches line ends.

A pattern that Python refuses is invalid. RE2 runs the others, in time linear in the message. A backtracking search with
a time limit, if the caller has one, runs what RE2 lacks (lookaround, backreferences, ``\Z``, ``{,n}``), and messages
for which RE2 and Python may differ (``agent.core.error_table.dialect``). Without it, a pattern that RE2 lacks is
invalid, and RE2's result is used.
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
    """The result of a pattern for a message; ``BAD`` is an invalid pattern."""

    YES = auto()
    NO = auto()
    BAD = auto()
    TIMED_OUT = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diag:
    """One compiled pattern: for RE2, for the backtracking search, or for both. ``fault`` says why it is invalid."""

    regex: Regex | None = None
    search: Search | None = None
    differs: Differences = ALIKE
    fault: str = ""

    def ask(self, message: str | None) -> Answer:
        """Whether the pattern matches at the start of the message. Nothing matches a missing message."""
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
    """Compile a pattern, for RE2 if possible, and for the given search. Raises nothing: see ``fault``.

    Cached, because classification rows are compiled when they are used, and a search remembers its timeouts.
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
    """Why RE2 cannot run a Python pattern; empty if it can."""
    if has_count_without_least(pattern):
        return "RE2 has no {,n}; write {0,n}"
    try:
        compile_pattern(_anchored(pattern))
    except PatternError as error:
        return str(error)
    return ""


def _anchored(pattern: str) -> str:
    return rf"(?s)\A(?:{for_re2(pattern)})"
