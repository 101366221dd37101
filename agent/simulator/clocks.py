"""The clocks of a simulated cluster: the server's, and that of each node."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from agent.simulator.times import utc_now

_DIFFERENT: Final = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocks:
    """The server's clock is ``skew`` ahead of this machine's, and those of nodes at most ``spread`` off the server's.

    There are ten different ones, evenly from ``spread`` behind to ``spread`` ahead, by the last digit of a node's name.
    """

    skew: timedelta = timedelta(0)
    spread: timedelta = timedelta(0)

    def server(self) -> datetime:
        return utc_now() + self.skew

    def node(self, name: str) -> datetime:
        """The time on this node; the server's for ``""``, as a pod without a node has it."""
        if not name[-1:].isdecimal():
            return self.server()
        return self.server() + self.spread * (2 * int(name[-1]) / (_DIFFERENT - 1) - 1)
