"""The deadlines of pods in trouble, as settings say them."""

from agent.observe.deadlines import Deadlines
from agent.settings.cluster import DeadlineSettings


def deadlines_of(settings: DeadlineSettings) -> Deadlines:
    """As they are held against pods."""
    return Deadlines(
        unschedulable=settings.unschedulable,
        preparing=settings.preparing,
        image=settings.image,
        config=settings.config,
        create=settings.create,
        init_crash_loop=settings.init_crash_loop,
        init_running=settings.init_running,
        active_margin=settings.active_grace,
        terminating_margin=settings.terminating_grace,
    )
