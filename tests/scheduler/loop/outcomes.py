"""Jobs whose runs do what a script says, what people ask of some of them, and how they must end on every stage."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from agent.core.lifecycle.state import State
from agent.store.resources import Change, NewVersion
from tests.core.lifecycle.made import T0
from tests.store.submitted.made import SUBMISSION

SCRIPTS: Final[Mapping[str, tuple[str, ...]]] = {
    "fine": ("ok",),
    "recovers": ("oom", "oom", "ok"),
    "crashes": ("crash",),
    "gives-up": ("oom",),
    "halts": ("halt",),
    "halts-once": ("halt", "ok"),
    "rejected": ("reject", "ok"),
    "refused": ("refuse",),
    "cancelled": ("hang",),
    "reopened": ("crash", "ok"),
    "forbidden": ("oom", "ok"),
    "lost": ("lost", "ok"),
    "vanishes": ("vanish", "ok"),
}
"""What the runs of each job do; the last again and again.

``ok``, ``oom`` and ``crash`` end by themselves; a ``halt`` is overdue, which is reported, and lives until it is
stopped, as a ``hang`` does in silence. ``reject`` and ``refuse`` get no pod. The end of a ``lost`` one is reported, and
nothing ever confirms it. One that is to ``vanish`` is gone when all others have ended, and no agent saw how.
"""

ENDS: Final[Mapping[str, State]] = {
    "fine": State.SUCCEEDED,
    "recovers": State.SUCCEEDED,
    "crashes": State.FAILED,
    "gives-up": State.FAILED,
    "halts": State.FAILED,
    "halts-once": State.SUCCEEDED,
    "rejected": State.SUCCEEDED,
    "refused": State.FAILED,
    "cancelled": State.CANCELLED,
    "reopened": State.SUCCEEDED,
    "forbidden": State.FAILED,
    "lost": State.SUCCEEDED,
    "vanishes": State.SUCCEEDED,
}

RUNS: Final[Mapping[str, Sequence[tuple[int, int]]]] = {
    "fine": [(0, 0)],
    "recovers": [(0, 0), (1, 1), (2, 2)],
    "crashes": [(0, 0)],
    "gives-up": [(0, 0), (1, 1), (2, 2), (3, 3)],
    "halts": [(0, 0), (1, 1)],
    "halts-once": [(0, 0), (1, 1)],
    "rejected": [(0, 0), (0, 0)],
    "refused": [(0, 0)],
    "cancelled": [(0, 0)],
    "reopened": [(0, 0), (1, 0)],
    "forbidden": [(0, 0)],
    "lost": [(0, 0), (1, 1)],
    "vanishes": [(0, 0), (1, 1)],
}
"""Index and attempt of each run."""

LIVED: Final = {
    script: sum(run not in {"reject", "refuse"} for run in (SCRIPTS[script] * 4)[: len(runs)])
    for script, runs in RUNS.items()
}
"""How many pods of each job have containers that ran."""


class Request(StrEnum):
    """What a person asks."""

    CANCEL = "cancel"
    RETRY = "retry"
    NEVER_RETRY = "never-retry"
    CONFIRM_STOPPED = "confirm-stopped"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request that is made once, as soon as the job is in this state."""

    request: Request
    when: State


REQUESTS: Final[Mapping[str, Asked]] = {
    "cancelled": Asked(Request.CANCEL, State.RUNNING),
    "reopened": Asked(Request.RETRY, State.FAILED),
    "forbidden": Asked(Request.NEVER_RETRY, State.QUEUED),
    "lost": Asked(Request.CONFIRM_STOPPED, State.RETRY_WAITING),
    "vanishes": Asked(Request.CONFIRM_STOPPED, State.RETRY_WAITING),
}

QUEUE: Final = NewVersion(
    kind="Queue",
    name=SUBMISSION.queue,
    uid="u",
    text=f"{{apiVersion: armadaproject.io/v1, kind: Queue, metadata: {{name: {SUBMISSION.queue}}}, spec: {{}}}}",
    change=Change.CREATED,
    at=T0,
    by="ann",
)
"""The queue of the jobs, without which none is opened again."""

POLICY: Final = """\
apiVersion: armadaproject.io/v1
kind: RetryPolicy
metadata:
  name: ml
spec:
  rules:
    - name: oom
      action: Retry
      retryLimit: 3
      onConditions: [OOMKilled]
    - name: overdue
      action: Retry
      retryLimit: 1
      onCategory: internal
      onSubcategory: active-deadline
    - name: missing
      action: Retry
      retryLimit: 1
      onCategory: internal
      onSubcategory: pod-missing
    - name: lost
      action: Retry
      retryLimit: 3
      onConditions: [DisruptionTarget]
"""
