"""The engine for patterns that RE2 cannot run."""

import time

from agent.patterns import BacktrackingSearches

SEARCHES = BacktrackingSearches(clock=time.monotonic)
