"""What every process shares: a clock that does not leap, and how to be asked to stop.

``stopping`` turns SIGTERM and SIGINT into an event for asyncio (``stop_requested``, the agent in a cluster) or a flag
for threads (``watch_for_stop``, the scheduler). ``clock.SteadyClock`` is the time of the agent in a cluster, which
waits and gives up by it.
"""
