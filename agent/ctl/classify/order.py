"""The order of a table of diagnoses, by one of its columns."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Self, TypeVar

from agent.console.exits import UsageError
from agent.console.terminal import visible
from agent.ctl.classify.layout import Row

T = TypeVar("T")

_FOLDED: Final = "count"
_NUMBERS: Final = ("COUNT", "EXIT")
_NOTHING: Final = "-"


@dataclass(frozen=True, slots=True)
class Order:
    """By the cells of a column; ``descending``: the last first. Rows without a value are last anyway."""

    heading: str
    descending: bool

    @classmethod
    def read(cls, text: str, headings: Sequence[str], *, folds: bool) -> Self:
        """The order that ``--sort-by`` names, such as ``-exit``. Raises UsageError."""
        known = [heading.lower() for heading in headings] + ([_FOLDED] if folds else [])
        name = text.removeprefix("-").lower()
        if name not in known:
            *most, last = known
            hint = f"by {', '.join(most)} or {last}, with - before it for the last first"
            raise UsageError(f"--sort-by {visible(text)}: this list is sorted {hint}")
        return cls(name.upper(), descending=text.startswith("-"))

    def sorted(self, things: Iterable[T], row_of: Callable[[T], Row]) -> Sequence[T]:
        """The things in this order by their rows; those that are equal in it stay in theirs."""
        cells = [(row_of(thing)[self.heading], thing) for thing in things]
        known = [pair for pair in cells if pair[0] != _NOTHING]
        known.sort(key=lambda pair: self._key(pair[0]), reverse=self.descending)
        return [thing for _, thing in known] + [thing for cell, thing in cells if cell == _NOTHING]

    def _key(self, cell: str) -> tuple[int, str]:
        return (int(cell.replace(",", "")), "") if self.heading in _NUMBERS else (0, cell.rpartition("/")[2])
