"""How a reflector asks: page sizes, time limits and back-off."""

from dataclasses import dataclass, field

from agent.backoff import DecorrelatedBackoff


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """All in seconds, except ``page_size``: objects per page of a list.

    ``streamed_lists``: whether to try a streamed list first (WatchList). ``list_seconds``: how long one page may take;
    a streamed list that takes longer and breaks off is replaced by pages. ``watch_seconds``: shortest and longest
    watch. ``idle_seconds``: how long a watch may be silent (a server sends a bookmark about once a minute).
    ``settled_seconds``: how long a watch must have lasted for the back-off to be reset.
    """

    page_size: int = 250
    list_seconds: float = 120.0
    watch_seconds: tuple[float, float] = (240.0, 480.0)
    idle_seconds: float = 120.0
    settled_seconds: float = 10.0
    streamed_lists: bool = True
    backoff: DecorrelatedBackoff = field(default_factory=DecorrelatedBackoff)
