"""The settings of each process. Importing them takes longer than reading an address from one of their sections."""

from collections.abc import Mapping
from typing import Final

from agent.settings.cluster import ClusterSettings
from agent.settings.effect import RootSettings
from agent.settings.lookout import LookoutSettings
from agent.settings.scheduler import SchedulerSettings

PROCESSES: Final[Mapping[str, type[RootSettings]]] = {
    "cluster": ClusterSettings,
    "scheduler": SchedulerSettings,
    "lookout": LookoutSettings,
}
"""By the command of the process."""
