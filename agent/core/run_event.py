"""Run events: what happened to a run, with everything needed to attribute it. No behaviour, no I/O.

Agents also send what they classify by (``RuleSetLoaded``), and lists of the pods of runs (``RunsListed``).
"""

from datetime import datetime
from enum import StrEnum

from msgspec import Struct

from agent.core.failure import Failure, Origin


class PodReference(Struct, frozen=True, gc=False, kw_only=True):
    """A pod, by its uid: a later pod of the same name is another one."""

    namespace: str
    name: str
    uid: str
    node: str = ""


class Identity(Struct, frozen=True, gc=False, kw_only=True):
    """The job and run of a pod. ``attempt`` and ``index`` count from 0; ``None`` if the pod has none.

    ``job_set`` is a name for people; ``job_set_id`` the uid of a Kubernetes JobSet. ``index`` is the pod's number
    among its siblings, such as the completion index of an Indexed Job. ``retry_policies`` are those that the pod's
    annotations name, separated by commas.
    """

    job_id: str
    run_id: str
    queue: str = ""
    job_set: str = ""
    gang_id: str = ""
    attempt: int | None = None
    job_set_id: str = ""
    index: int | None = None
    retry_policies: str = ""

    @property
    def scope(self) -> str:
        """The decision scope, also the message key: of the JobSet, else the gang, else the job.

        A plain Armada job set is a label, not a scope.
        """
        return self.job_set_id or self.gang_id or self.job_id


class RunPhase(StrEnum):
    """How far the pod of a run is. Agents report ``FAILED`` only in lists: a failure is an event of its own."""

    PENDING = "pending"
    RUNNING = "running"
    SUCCEEDED = "succeeded"
    FAILED = "failed"


class Confirmation(StrEnum):
    """Why it is certain that a pod no longer lives."""

    CONTAINERS = "containers"
    NEVER_BOUND = "never-bound"
    REFUSED_BY_KUBELET = "refused-by-kubelet"
    PERSON = "person"


class StopAnswer(StrEnum):
    """What the agent found when it was to stop a pod. What the pod did before the deletion was requested wins."""

    GONE = "gone"
    SUCCEEDED_BEFORE = "succeeded-before"
    FAILED_BEFORE = "failed-before"
    NEVER_STARTED = "never-started"


class RunRejected(Struct, frozen=True, gc=False, kw_only=True):
    """The cluster cannot take the run now, such as for a quota; no pod exists. The run waits and is tried again."""

    reason: str
    message: str


class CreationFailed(Struct, frozen=True, gc=False, kw_only=True):
    """The API server refused the pod, and will refuse it again: it is invalid, denied, or its namespace is missing."""

    reason: str
    message: str


class RunCreated(Struct, frozen=True, gc=False):
    """A pod with the labels of this run exists; ``RunEvent.gated`` says whether it has our gate."""


class NameHeld(Struct, frozen=True, gc=False, kw_only=True):
    """The create of the run waits, because an earlier pod of ours, with this uid, has its name."""

    uid: str


class RunStopped(Struct, frozen=True, gc=False, kw_only=True):
    """The answer to a stop, and to the start of a pod that is gone."""

    answer: StopAnswer


class Amendment(Struct, frozen=True, gc=False, kw_only=True):
    """Late evidence about a failure that was already reported; it never changes a verdict."""

    amends: str
    failure: Failure


Content = RunPhase | Failure | Amendment | RunRejected | CreationFailed | RunCreated | NameHeld | RunStopped
"""What happened to a run."""


class RunEvent(Struct, frozen=True, gc=False, kw_only=True):
    """One event of one run, with everything needed to attribute it.

    ``event_id`` is the same for all observers of the same event. ``cluster_id`` is the uid of the
    namespace ``kube-system``; ``cluster`` the name for people. Of a run without a pod, ``pod`` has no uid.

    ``confirmed`` is what showed that the pod no longer lived; ``None`` if it may have. ``gated``: the pod had the gate
    that keeps it from starting until the scheduler says so.
    """

    event_id: str
    cluster_id: str
    cluster: str
    identity: Identity
    pod: PodReference
    occurred_at: datetime
    observed_at: datetime
    event: Content
    confirmed: Confirmation | None = None
    gated: bool = False


class LoadedRule(Struct, frozen=True, gc=False, kw_only=True):
    """A rule without what it matches. ``pack``, ``category`` and ``rule_index`` identify it as in ``failure.Match``."""

    name: str
    pack: str
    category: str
    rule_index: int
    subcategory: str
    origin: Origin


class RuleSetLoaded(Struct, frozen=True, gc=False, kw_only=True):
    """An agent classifies by these rules from now on.

    ``revision`` is a hash of their meaning, ``categories`` are those that they give. ``rules`` are in their order;
    older agents send none.
    """

    event_id: str
    cluster_id: str
    cluster: str
    revision: str
    categories: tuple[str, ...]
    loaded_at: datetime
    rules: tuple[LoadedRule, ...] = ()
    rules_left_out: int = 0


class ListedRun(Struct, frozen=True, gc=False, kw_only=True):
    """The pod of a run, as its labels and its status say it.

    ``confirmed`` is what showed that it no longer lived; ``None`` if it may. ``gated``: it has the gate that keeps it
    from starting until the scheduler says so.
    """

    pod: PodReference
    job_id: str
    run_id: str
    queue: str
    phase: RunPhase
    gated: bool
    confirmed: Confirmation | None = None


class RunsListed(Struct, frozen=True, gc=False, kw_only=True):
    """A page of a list of all pods of runs that an agent found at one time; ``page`` is one of 0 to ``pages - 1``.

    ``as_of`` is the latest ``RunCommand.issued_at`` that the agent had received when the list began: a time of the
    store's clock that had come then. ``None`` if it had received none. A list without all its pages says nothing of
    what is not in it.
    """

    event_id: str
    cluster_id: str
    cluster: str
    list_id: str
    page: int
    pages: int
    as_of: datetime | None
    listed_at: datetime
    runs: tuple[ListedRun, ...]


Report = RunEvent | RuleSetLoaded | RunsListed
"""What travels on the topics of events."""
