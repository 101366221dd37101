"""The topics of failure-agent, as every process and every broker knows them."""

from typing import Final

EVENTS: Final = "run-events-"
"""Begins the name of every topic of events; the cluster's name follows."""

HEARTBEATS: Final = "cluster-heartbeats"


def events_topic(cluster: str) -> str:
    """Where a cluster's events go."""
    return f"{EVENTS}{cluster}"
