"""What was decided for a lineage before, as counts (design 5: queries over verdict rows, not stored counters)."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """Counts over the verdicts of one lineage; here a lineage is a job.

    ``runs`` counts runs that have a verdict; ``granted`` the retries that policies granted, by the key of the
    rule they were granted under. Retries of the legacy formula are in neither the keys nor their sum.
    """

    runs: int = 0
    granted: Mapping[str, int] = field(default_factory=dict)

    @property
    def retries(self) -> int:
        """All retries that policies granted."""
        return sum(self.granted.values())

    def under(self, key: str) -> int:
        """The retries granted under one rule."""
        return self.granted.get(key, 0)

    def followed_by(self, granted_under: str | None) -> "History":
        """This history and one more verdict, which granted a retry under a rule, or ``None``."""
        if granted_under is None:
            return History(runs=self.runs + 1, granted=self.granted)
        counts = {**self.granted, granted_under: self.under(granted_under) + 1}
        return History(runs=self.runs + 1, granted=counts)
