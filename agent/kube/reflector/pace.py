"""How a reflector asks: sizes, limits and waits."""

from dataclasses import dataclass, field

from agent.backoff import DecorrelatedBackoff


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How a reflector asks. Seconds, but ``page_size``: objects per page of a list.

    ``streamed_lists``: whether a streamed list is asked for first (WatchList). ``list_seconds``: what a page may take,
    or a streamed list that broke off and is to be tried again. ``idle_seconds``: how long a watch may be silent (a
    server sends a bookmark about once a minute). ``settled_seconds``: how long a watch must have lived for the waits
    to begin anew.
    """

    page_size: int = 250
    list_seconds: float = 120.0
    watch_seconds: tuple[float, float] = (240.0, 480.0)
    idle_seconds: float = 120.0
    settled_seconds: float = 10.0
    streamed_lists: bool = True
    backoff: DecorrelatedBackoff = field(default_factory=DecorrelatedBackoff)
