"""The names of pods, as Armada has them."""

from dataclasses import dataclass
from typing import Final

DEFAULT_PREFIX: Final = "armada-"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodNames:
    """How the pods of runs are named that are leased now.

    ``by_run``: each run of a job has a name of its own. Without retry policies all runs have that of the first.
    """

    prefix: str = DEFAULT_PREFIX
    by_run: bool = True

    def of(self, job_id: str, index: int) -> str:
        """The name of the pod of this run: ``armada-ID-0`` for the first, ``armada-ID-0-INDEX`` for later ones."""
        first = f"{self.prefix}{job_id}-0"
        return f"{first}-{index}" if index and self.by_run else first


DEFAULT_NAMES: Final = PodNames()
