"""A JobSet as its manifest tells it, ready to be carried out, and what is remembered of it beside its status."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from agent.core.job.manifest import JobManifest
from agent.core.jobset.choices import AS_UPSTREAM, Choices
from agent.core.jobset.gates import ALL_OFF, Gates
from agent.core.jobset.lineage import NONE, Restarts
from agent.core.jobset.words import JobSetSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSet:
    """A JobSet. ``spec`` has its defaults; ``choices`` come from its annotations.

    ``jobs`` are its templates by replicated job, each as a Job, for their own choices and rules.
    """

    name: str
    namespace: str = "default"
    uid: str = ""
    spec: JobSetSpec
    choices: Choices = AS_UPSTREAM
    gates: Gates = ALL_OFF
    jobs: Mapping[str, JobManifest] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetMemory:
    """What is ours beside the status: restarts taken over, its own, and the Jobs not to be made before a time."""

    before: Restarts = NONE
    own: Restarts = NONE
    held: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def restarts(self) -> Restarts:
        """The restarts of the lineage."""
        return self.before.plus(self.own)


NOTHING = JobSetMemory()
