"""A JobSet as its manifest describes it, and what we remember in addition to its status."""

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

    ``jobs`` are its templates by replicated job, each as a Job, for their options and rules.
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
    """What we keep in addition to the status: inherited restarts, its own, and Jobs delayed until a time."""

    before: Restarts = NONE
    own: Restarts = NONE
    held: Mapping[str, datetime] = field(default_factory=dict)

    @property
    def restarts(self) -> Restarts:
        """All restarts of the lineage: inherited and its own."""
        return self.before.plus(self.own)


NOTHING = JobSetMemory()
