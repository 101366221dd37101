"""A figure held to a target, in the one form in which every benchmark gives it."""

import math
from collections.abc import Iterable, Sequence
from enum import StrEnum
from itertools import chain
from statistics import median
from typing import assert_never

import msgspec

TIMES = "times"


class Bound(StrEnum):
    """Which side of its target a figure should be on."""

    AT_LEAST = "at least"
    AT_MOST = "at most"


class Held(msgspec.Struct, frozen=True, kw_only=True):
    """A figure and its target. ``name`` is the same in every run; ``unit`` follows the number."""

    name: str
    value: float
    bound: Bound
    target: float
    unit: str

    @property
    def share(self) -> float:
        """How far the target is met: 1 is just met, 0.5 is half as good, 2 is twice as good."""
        match self.bound:
            case Bound.AT_LEAST:
                return self.value / self.target
            case Bound.AT_MOST:
                return self.target / self.value if self.value > 0 else math.inf
            case never:
                assert_never(never)

    @property
    def measured(self) -> str:
        """The figure with its unit."""
        return f"{digits(self.value)} {self.unit}"

    @property
    def aim(self) -> str:
        """The target in words."""
        return f"{self.bound} {digits(self.target)}"


def at_least(name: str, value: float, *, target: float, unit: str = TIMES) -> Held:
    """A figure that should not be below its target."""
    return Held(name=name, value=value, bound=Bound.AT_LEAST, target=target, unit=unit)


def at_most(name: str, value: float, *, target: float, unit: str = TIMES) -> Held:
    """A figure that should not be above its target."""
    return Held(name=name, value=value, bound=Bound.AT_MOST, target=target, unit=unit)


def are_met(held: Iterable[Held], floor: float) -> bool:
    """Whether each figure has at least such a share of its target."""
    return all(figure.share >= floor for figure in held)


def lines(held: Iterable[Held], floor: float) -> list[str]:
    """A line for people about each figure: whether it has such a share of its target."""
    return [
        f"{'met   ' if figure.share >= floor else 'MISSED'} {figure.name}: {figure.measured} ({figure.aim})"
        for figure in held
    ]


def medians(runs: Iterable[Sequence[Held]]) -> tuple[Held, ...]:
    """The median of each figure over the runs, by its name."""
    by_name: dict[str, list[Held]] = {}
    for figure in chain.from_iterable(runs):
        by_name.setdefault(figure.name, []).append(figure)
    return tuple(_median(measured) for measured in by_name.values())


def _median(measured: Sequence[Held]) -> Held:
    return msgspec.structs.replace(measured[0], value=median(figure.value for figure in measured))


def digits(value: float) -> str:
    """A number with at least three significant digits, and without an exponent from 0.001 on."""
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"
