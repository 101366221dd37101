"""The outcome of rounds: the figures, and whether they are what they must be."""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from tests.chaos.loop.audit import Findings

MUST_BE_NONE: Final = ("overlaps", "lost", "after_end", "verdicts_without_effect", "effects_without_verdict")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """Of one round."""

    jobs: int
    findings: Findings
    seconds: float

    @property
    def figures(self) -> Mapping[str, int]:
        """How many of what must not be."""
        found = self.findings
        return {name: found.after_end if name == "after_end" else len(getattr(found, name)) for name in MUST_BE_NONE}

    @property
    def holds(self) -> bool:
        """Whether there is none."""
        return not any(self.figures.values())


def summary(outcomes: Iterable[Outcome], *, seed: int) -> str:
    """All rounds as one line of JSON."""
    all_of = list(outcomes)
    sums = {name: sum(each.figures[name] for each in all_of) for name in MUST_BE_NONE}
    return json.dumps({"jobs": sum(each.jobs for each in all_of), "seed": seed, **sums})
