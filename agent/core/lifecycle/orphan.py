"""A pod that stands under the name of a job's run, and that nobody started."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A pod without our gate that no run has recorded, found at ``since``.

    Its namespace, its cluster and ``pod_name`` are those of a run of the job. It has the name also when it does not
    run: if it has ended, or a person is sure of it.
    """

    cluster: str
    uid: str
    pod_name: str
    node: str
    since: datetime
    may_run: bool = True
