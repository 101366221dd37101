"""The failure of a run whose recorded pod is gone, as a list of its cluster proves. The scheduler itself makes it."""

from datetime import datetime

from msgspec import structs

from agent.core.evidence import MissingEvidence
from agent.core.failure import Failure, Occurrence
from agent.core.lifecycle.inventory import Inventory
from agent.core.lifecycle.run import JobRun
from agent.core.run_event import PodReference, RunEvent
from agent.core.summary.internal import ended_unseen
from agent.observe.event_id import scheduler_event_id
from agent.scheduler.effects.advanced import identity_of
from agent.store.submitted.held import Held


def missing(held: Held, run: JobRun, inventory: Inventory, *, cluster: str, now: datetime) -> RunEvent:
    """The event. It has the same id whenever it is made of this run; ``cluster`` is a name."""
    namespace = held.submission.namespace
    return RunEvent(
        event_id=scheduler_event_id(run.run_id, Occurrence.MISSING),
        cluster_id=run.cluster,
        cluster=cluster,
        identity=identity_of(held, run),
        pod=PodReference(namespace=namespace, name=run.pod_name, uid=run.uid or "", node=run.node),
        occurred_at=inventory.as_of,
        observed_at=now,
        event=_failure(run, inventory, cluster=cluster),
    )


def _failure(run: JobRun, inventory: Inventory, *, cluster: str) -> Failure:
    as_of = f"{inventory.as_of:%Y-%m-%d %H:%M:%S} UTC"
    seen = "it was never reported to start" if run.phase is None else f"it was last reported {run.phase.value}"
    reason = (
        f"the list of the pods of cluster {cluster} as of {as_of} does not have it; {seen}, "
        "and nothing that came before the list says more; its containers may still run"
    )
    unseen = MissingEvidence(what="how the pod ended", reason=reason)
    return structs.replace(ended_unseen(Occurrence.MISSING), missing=(unseen,))
