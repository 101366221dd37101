"""What is known of a run besides its failure."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """One run. ``lineage`` is what its retries count for, here its job; ``attempt`` counts from 0.

    ``returned`` says that the cluster gave the run back or stopped answering for it, ``fail_fast`` that its job
    asked never to be tried again; ``grace_period`` is the pod's termination grace period.
    """

    lineage: str
    node: str = ""
    attempt: int | None = None
    returned: bool = False
    fail_fast: bool = False
    grace_period: timedelta = timedelta(0)
