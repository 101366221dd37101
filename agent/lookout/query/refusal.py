"""What is wrong with a question, and how to fix it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that is wrong: the parameter, what is wrong with it, and what to do."""

    parameter: str
    message: str
    fix: str = ""

    def __str__(self) -> str:
        return f"{self.parameter}: {self.message}" + (f"; {self.fix}" if self.fix else "")


class Refused(Exception):
    """A question that cannot be answered; ``faults`` are all things that are wrong with it."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults: Sequence[Fault] = tuple(faults)
        super().__init__("\n".join(map(str, self.faults)))


class TooSlow(Exception):
    """The database did not answer in time, so it was stopped; a smaller question may be answered."""

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"the answer took more than {seconds:g} s, so it was stopped; ask for a shorter time with since and until, "
            "or for fewer runs with a filter by queue, node, category or fingerprint"
        )


def any_of(words: Sequence[str]) -> str:
    """The words as people list them."""
    *most, last = words
    return f"{', '.join(most)} or {last}" if most else last
