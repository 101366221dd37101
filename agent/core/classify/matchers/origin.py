"""``onOrigin``: the party that the failure is attributed to is listed."""

from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import FailureMatcher
from agent.core.classify.matchers.sight import Finding, Sight
from agent.core.failure import Failure, Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureOrigin(FailureMatcher):
    """``onOrigin``: any of these parties."""

    NAME: ClassVar[str] = "onOrigin"
    is_pod_level: ClassVar[bool] = True

    origins: tuple[Origin, ...]

    def find(self, container: str | None, failure: Failure) -> Finding:
        """Search a failure; the origin is that of the whole failure, whatever container the rule names."""
        del container
        origin = failure.classification.origin
        return Sight("origin", origin.value) if origin in self.origins else f"the origin is {origin}"

    def listed(self) -> frozenset[object]:
        return frozenset(self.origins)

    def words(self) -> str:
        return f"[{', '.join(self.origins)}]"

    def sought(self) -> str:
        return f"origin {' or '.join(self.origins)}"

    def meaning(self) -> list[object]:
        return [sorted(set(self.origins))]
