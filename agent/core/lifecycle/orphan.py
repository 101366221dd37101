"""A pod that stands under the name of a job's run, and that nobody started."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Orphan:
    """A pod without our gate that no run has recorded, and that may run; found at ``since``.

    Its namespace, its cluster and ``pod_name`` are those of a run of the job. ``vouched``: a person is sure that it
    does not run, so that it holds no run any more; it still has the name.
    """

    cluster: str
    uid: str
    pod_name: str
    node: str
    since: datetime
    vouched: bool = False
