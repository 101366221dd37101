"""What a process sees."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from agent.cluster.doubts import Doubts
from agent.cluster.elected import Elected
from agent.cluster.watch import Watch


class Runs(Protocol):
    """A part that runs until it is cancelled."""

    async def run(self) -> None:
        """Run."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Sight:
    """``all_listed`` is to be called when every pod of ``watch`` has been told of; ``asking`` is what runs beside it.

    ``doubts`` are among what runs. ``elected`` is what a process watches besides while it leads, if that is more.
    """

    watch: Watch
    doubts: Doubts
    all_listed: Callable[[], None]
    asking: Sequence[Runs]
    elected: Elected | None = None
