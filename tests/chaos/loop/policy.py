"""The retry policy of the chaos: how often each fault is retried, for the scheduler and for the model."""

from collections.abc import Mapping
from typing import Any, Final

from tests.chaos.loop.jobs import Fault

LIMITS: Final[Mapping[Fault, int]] = {Fault.CODE: 3, Fault.MEMORY: 2, Fault.PREEMPTED: 4, Fault.STUCK: 1}
"""Retries of a job by fault; a fault that is missing gets none. Nothing else limits them."""

EXIT_CODE: Final = 42
UNKNOWN_EXIT_CODE: Final = 3

_MATCHERS: Final[Mapping[Fault, Mapping[str, Any]]] = {
    Fault.CODE: {"onExitCodes": {"operator": "In", "values": [EXIT_CODE]}},
    Fault.MEMORY: {"onConditions": ["OOMKilled"]},
    Fault.PREEMPTED: {"onConditions": ["Preempted"]},
    Fault.STUCK: {"onCategory": "internal", "onSubcategory": "never-started"},
}
POLICY: Final = {
    "apiVersion": "armadaproject.io/v1",
    "kind": "RetryPolicy",
    "metadata": {"name": "chaos"},
    "spec": {
        "rules": [
            {"name": fault.value, "action": "Retry", "retryLimit": limit, **_MATCHERS[fault]}
            for fault, limit in LIMITS.items()
        ]
    },
}
