"""Ground: what the parts of the agent stand on."""

import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime

from agent.broker.port import Broker
from agent.cluster.rulebook import Rulebook
from agent.cluster.spool import Spool
from agent.kube.connection import Connection
from agent.process.clock import SteadyClock
from agent.settings.cluster import ClusterSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Ground:
    """``incarnation`` is this process's own; ``clock`` is what the whole agent lives by."""

    settings: ClusterSettings
    rules: Rulebook
    spool: Spool
    broker: Broker
    connection: Connection
    cluster_id: str
    incarnation: str = field(default_factory=lambda: uuid.uuid4().hex)
    clock: Callable[[], datetime] = field(default_factory=SteadyClock)
