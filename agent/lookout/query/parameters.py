"""The parameters of a request, taken one after the other; what is wrong with any of them is said at once."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from itertools import islice
from typing import Final, TypeVar

from agent.documents.problem import closest, quote
from agent.lookout.query.columns import Column, List, Operator
from agent.lookout.query.conditions import Condition, operators_of, read_condition
from agent.lookout.query.refusal import Fault, Refused, any_of
from agent.lookout.query.times import read_time

T = TypeVar("T")

Items = Iterable[tuple[str, str]]
"""Names and values, as an address has them; a name may come several times."""

_MOST_UNKNOWN: Final = 20
"""Unknown parameters for which what was meant is looked for: that takes a while, and a request may have thousands."""

_OPERATORS: Final = {str(operator): operator for operator in Operator}


class Parameters:
    """Those of one request. ``take`` and its like take parameters, ``done`` refuses what is left."""

    def __init__(self, items: Items, *, now: datetime) -> None:
        self.now = now
        self._texts: dict[str, list[str]] = {}
        self._known: list[str] = []
        self._faults: list[Fault] = []
        for name, text in items:
            self._texts.setdefault(name, []).append(text)

    def take(self, name: str, read: Callable[[str], T], otherwise: T) -> T:
        """The value of a parameter; ``otherwise`` if it is not there. ``read`` raises ValueError."""
        self._known.append(name)
        texts = self._texts.pop(name, [])
        if len(texts) > 1:
            self.refuse(name, f"write it once, not {len(texts):,} times")
        if not texts:
            return otherwise
        try:
            return read(texts[0])
        except ValueError as error:
            self._refuse_value(name, error)
            return otherwise

    def time(self, name: str) -> datetime | None:
        """The time of a parameter."""
        return self.take(name, lambda text: read_time(text, now=self.now), None)

    def window(self) -> tuple[datetime | None, datetime | None]:
        """The times of ``since`` and ``until``."""
        since, until = self.time("since"), self.time("until")
        if since is not None and until is not None and since >= until:
            self.refuse("until", "it is not after since", "write a later time, or leave it out")
        return since, until

    def conditions(self, of: List) -> tuple[Condition, ...]:
        """All conditions on columns of a list."""
        found = []
        self._known += [column.name for column in of.columns]
        for name in list(self._texts):
            column_name, _, operator = name.partition(".")
            column = of.column(column_name)
            if column is not None:
                condition = self._condition(column, name, operator)
                found += [] if condition is None else [condition]
        return tuple(found)

    def _condition(self, column: Column, name: str, written: str) -> Condition | None:
        texts = self._texts.pop(name)
        operator = _OPERATORS.get(written)
        if operator is None or operator not in column.operators or name.endswith("."):
            self.refuse(name, f"{column.name} is not compared so", f"write {operators_of(column)}")
            return None
        try:
            return read_condition(column, operator, texts, now=self.now)
        except ValueError as error:
            self._refuse_value(name, error)
            return None

    def refuse(self, name: str, message: str, fix: str = "") -> None:
        """Add what is wrong with a parameter."""
        self._faults.append(Fault(name, message, fix))

    def _refuse_value(self, name: str, error: ValueError) -> None:
        message, _, fix = str(error).partition("; ")
        self.refuse(name, message, fix)

    def done(self) -> None:
        """Raise Refused if anything is wrong, or a parameter was not taken."""
        for name in islice(self._texts, _MOST_UNKNOWN):
            self.refuse(name, "there is no such parameter", self._meant(name))
        for name in islice(self._texts, _MOST_UNKNOWN, _MOST_UNKNOWN + 1):
            self.refuse(name, f"{len(self._texts):,} parameters are unknown, this one and others as well")
        if self._faults:
            raise Refused(self._faults)

    def _meant(self, name: str) -> str:
        column, dot, operator = name.partition(".")
        meant = closest(column, self._known)
        if meant is not None:
            return f"did you mean {quote(f'{meant}{dot}{operator}')}?"
        return f"there are {any_of(sorted(self._known))}"


def one_of(known: Sequence[str], what: str) -> Callable[[str], str]:
    """A reader of one of these words."""

    def read(text: str) -> str:
        if text not in known:
            raise ValueError(f"{quote(text)} is no {what} here; write {any_of(known)}")
        return text

    return read


def several_of(known: Sequence[str], what: str, *, most: int) -> Callable[[str], tuple[str, ...]]:
    """A reader of some of these words, with commas between."""
    read_word = one_of(known, what)

    def read(text: str) -> tuple[str, ...]:
        words = tuple(map(read_word, text.split(",")))
        if len(set(words)) != len(words) or len(words) > most:
            raise ValueError(f"these are {len(words)} with repetitions; write each once, and at most {most}")
        return words

    return read


def whole_number(first: int, last: int) -> Callable[[str], int]:
    """A reader of whole numbers within these bounds."""

    def read(text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) <= len(str(last)) and first <= int(text) <= last):
            raise ValueError(f"{quote(text)} is not a whole number from {first:,} to {last:,}")
        return int(text)

    return read


def yes_or_no(text: str) -> bool:
    """Whether it says ``true``; ``false`` is the other word."""
    return one_of(("true", "false"), "answer")(text) == "true"
