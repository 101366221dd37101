"""``corroborated``: whether a sign of the system confirms that infrastructure or platform is to blame."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import FailureMatcher
from agent.core.classify.matchers.sight import Finding, Sight
from agent.core.failure import Failure

_NAMES = {True: "corroborated", False: "uncorroborated"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Corroborated(FailureMatcher):
    """``corroborated: true`` or ``false``. A failure that blames the job, or was not weighed, is neither."""

    NAME: ClassVar[str] = "corroborated"
    is_pod_level: ClassVar[bool] = True

    value: bool

    def find(self, container: str | None, failure: Failure) -> Finding:
        """Search a failure; corroboration is that of the whole failure, whatever container the rule names."""
        del container
        found = failure.classification.corroborated
        if found is None:
            return "nothing was asked to corroborate this failure"
        return Sight("category", _NAMES[found]) if found is self.value else f"the category is {_NAMES[found]}"

    def words(self) -> str:
        return str(self.value).lower()

    def sought(self) -> str:
        return "a corroborated category" if self.value else "an uncorroborated category"

    def meaning(self) -> list[object]:
        return [self.value]
