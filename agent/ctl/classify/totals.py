"""How many pods there were, and how many failed for whose fault."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from agent.console.columns import Column, line
from agent.console.paragraphs import paragraph
from agent.console.terminal import fit
from agent.core.failure import Origin
from agent.core.failure_text.category import leaf
from agent.core.failure_text.fault import marked_origin, origins_in_words
from agent.diagnose.diagnosis import Diagnosis, State

IN_WORDS: Final = {State.WAITS: "waiting", State.NOT_KNOWN: "not known", State.HEALTHY: "healthy"}
SHOWN: Final = 20
"""Pairs of category and fault that are listed."""

_UNDECIDED: Final = "undecided"


@dataclass(slots=True)
class Tally:
    """Failures by origin, by category and fault, and by the verdict of retry policies. ``likely`` are in doubt."""

    origins: Counter[Origin] = field(default_factory=Counter)
    likely: Counter[Origin] = field(default_factory=Counter)
    pairs: Counter[tuple[str, str]] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)

    def add(self, diagnosis: Diagnosis) -> None:
        """Count a diagnosis, if it is of a failure."""
        if diagnosis.failure is None:
            return
        found = diagnosis.failure.classification
        self.origins[found.origin] += 1
        self.likely[found.origin] += found.corroborated is False
        self.pairs[
            leaf(found.category, found.subcategory), marked_origin(found.origin, corroborated=found.corroborated)
        ] += 1
        self.verdicts[_action(diagnosis)] += 1

    def by_origin(self) -> str:
        """``infra 40 (12 likely), user 70``, by the words that ``--origin`` takes."""
        return origins_in_words(self.origins, likely=self.likely)


def _action(diagnosis: Diagnosis) -> str:
    return _UNDECIDED if diagnosis.foreseen is None else diagnosis.foreseen.verdict.action.value


@dataclass(slots=True)
class Totals:
    """What was counted: every pod, and those that are ``listed``, because they are what was asked for."""

    states: Counter[State] = field(default_factory=Counter)
    every: Tally = field(default_factory=Tally)
    listed: Tally = field(default_factory=Tally)
    listed_count: int = 0

    def counting(self, diagnoses: Iterable[Diagnosis], is_wanted: Callable[[Diagnosis], bool]) -> Iterator[Diagnosis]:
        """Yield the diagnoses that are wanted, and count all."""
        for diagnosis in diagnoses:
            self.states[diagnosis.state] += 1
            self.every.add(diagnosis)
            if is_wanted(diagnosis):
                self.listed.add(diagnosis)
                self.listed_count += 1
                yield diagnosis

    def lines(self, terminal: int | None, *, most: int | None = SHOWN) -> Iterator[str]:
        """The numbers, then ``most`` pairs of category and fault, most frequent first; ``terminal`` is its width."""
        for sentence in self.sentences():
            yield from paragraph("", sentence, indent=0, columns=terminal)
        ordered = sorted(self.listed.pairs.items(), key=lambda item: (-item[1], item[0]))
        columns = (Column(width=6, right=True), Column(width=9), Column())
        for (category, fault), count in ordered[:most]:
            shown = line((f"{count:,}", fault, category), columns)
            yield shown if terminal is None else fit(shown, terminal)
        if most is not None and (more := len(ordered) - most) > 0:
            yield f"and {more:,} more pairs of category and fault; -o wide lists all"

    def sentences(self, *, are: str = "are listed") -> Iterator[str]:
        """What there was; what of it is listed; the verdicts. There need not be pods that wait, or of unknown state."""
        number, failed = self.states.total(), self.states[State.FAILED]
        base = f"Of {number:,} {'pod' if number == 1 else 'pods'}, {failed:,} failed"
        origins = f": {self.every.by_origin()}" if failed else ""
        others = [f"{self.states[state]:,} {IN_WORDS[state]}" for state in IN_WORDS if self.states[state]]
        yield f"{base}{origins}{'; ' if others else ''}{', '.join(others)}"
        if self.listed_count not in (failed, number):
            said = self.listed.by_origin()
            yield f"Of these, {self.listed_count:,} {are}{': ' if said else ''}{said}"
        if set(self.listed.verdicts) - {_UNDECIDED}:
            counts = sorted(self.listed.verdicts.items())
            yield f"Verdicts: {', '.join(f'{count:,} {action}' for action, count in counts)}"
