"""Why a job waits, in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, assert_never

from agent.core.failure_text.times import age, relative
from agent.core.lifecycle.waits import (
    Doubt,
    ForAnswer,
    ForCluster,
    ForHeartbeat,
    ForOrphan,
    ForProof,
    ForStop,
    ForTime,
    NameIsTaken,
    RetriesStopped,
    Wait,
)

ASK_A_PERSON: Final = timedelta(minutes=10)
"""A pod that has not stopped for so long may never: the words then say what a person can do."""

_DOUBTS: Final = {
    Doubt.UNREAD: "it is decided once all events before the list are consumed, which Pulsar says only if "
    "broker.pulsar.adminUrl of the scheduler is set",
    Doubt.LOST: "nothing follows from that, because messages of the cluster are lost (failctl broker gaps): cancel the "
    "job if its pod is gone",
    Doubt.DEAD: "nothing follows from that while a message about the job may be a dead letter: failctl dlq list",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the words need to know of a job: ``clusters`` are names by id.

    ``no_cluster`` says why no cluster takes a run of the job; ``takes`` is the name of the one that would take it now,
    empty if none does, or if that is not known. ``silent`` has the clusters whose lease is over, with the time of the
    last heartbeat.
    """

    namespace: str
    no_cluster: str
    takes: str = ""
    clusters: Mapping[str, str] = field(default_factory=dict)
    silent: Mapping[str, datetime] = field(default_factory=dict)

    def cluster(self, cluster_id: str) -> str:
        return f"cluster {self.clusters.get(cluster_id, cluster_id)}"

    def pod(self, name: str, *, node: str, cluster: str) -> str:
        """The pod of a run, as ``pod team-a/train-0 on node-7 in cluster east``."""
        on_node = f" on {node}" if node else ""
        return f"pod {self.namespace}/{name}{on_node} in {self.cluster(cluster)}"


def in_words(wait: Wait, about: Surroundings, *, now: datetime) -> str:
    """One sentence without its full stop."""
    match wait:
        case ForStop():
            return _for_stop(wait, about, now=now)
        case ForTime():
            rejected = f"a cluster rejected the run ({wait.rejected}); " if wait.rejected else ""
            there = f"cluster {about.takes}" if about.takes else "a cluster with room"
            when = relative(max(wait.until, now), now)
            return f"{rejected}run {wait.index + 1} starts {when}; the scheduler leases it to {there}"
        case ForCluster():
            return about.no_cluster
        case RetriesStopped():
            return "the setting retries.stopped holds all retries"
        case NameIsTaken():
            where = f"in {about.cluster(wait.cluster)}"
            return f"the name of its pod belongs to an earlier pod, {wait.uid}, {where}, for {_since(wait.since, now)}"
        case ForAnswer() | ForHeartbeat() | ForOrphan() | ForProof():
            return _for_cluster(wait, about, now=now)
        case _ as unreachable:
            assert_never(unreachable)


def _for_cluster(wait: ForAnswer | ForHeartbeat | ForOrphan | ForProof, about: Surroundings, *, now: datetime) -> str:
    if isinstance(wait, ForOrphan):
        return _for_orphan(wait, about, now=now)
    if isinstance(wait, ForProof):
        return _for_proof(wait, about)
    cluster = about.cluster(wait.cluster)
    if isinstance(wait, ForHeartbeat):
        return f"waits for {cluster}{_silent(wait.since, now)}"
    return f"has waited {_since(wait.since, now)} for the answer of {cluster}"


def _for_orphan(wait: ForOrphan, about: Surroundings, *, now: datetime) -> str:
    pod, waited = about.pod(wait.pod_name, node=wait.node, cluster=wait.cluster), _since(wait.since, now)
    if wait.run_id is not None:
        named = f"{pod}, uid {wait.uid}, which the scheduler did not start, has its name"
        return f"cannot create its pod for {waited}: {named}; delete that one"
    vouch = f"if you are sure that it does not run: failctl confirm-stopped {wait.uid}"
    return f"has waited {waited} for {pod}, which the scheduler did not start: delete it, or, {vouch}"


def _for_proof(wait: ForProof, about: Surroundings) -> str:
    pod = about.pod(wait.pod_name, node=wait.node, cluster=wait.cluster)
    as_of = f"{wait.not_listed.as_of:%Y-%m-%d %H:%M:%S} UTC"
    return f"the list of the cluster's pods as of {as_of} does not have {pod}; {_DOUBTS[wait.not_listed.doubt]}"


def _for_stop(wait: ForStop, about: Surroundings, *, now: datetime) -> str:
    pod = about.pod(wait.pod_name, node=wait.node, cluster=wait.cluster)
    heard_at = about.silent.get(wait.cluster)
    silent = "" if heard_at is None else _silent(heard_at, now)
    gone = ", whose object is gone: nothing proves that it ended" if wait.gone else ""
    return f"has waited {_since(wait.since, now)} for the stop of {pod}{silent}{gone}{_going_on(wait, now)}"


def _going_on(wait: ForStop, now: datetime) -> str:
    """What ends the wait, if nothing confirms the stop."""
    if wait.until is not None:
        return f"; goes on without it {relative(max(wait.until, now), now)}"
    asks = wait.gone or now - wait.since >= ASK_A_PERSON
    return f"; if you are sure that it no longer runs: failctl confirm-stopped {wait.run_id}" if asks else ""


def _silent(since: datetime, now: datetime) -> str:
    return f", which is silent: no heartbeat for {_since(since, now)}, since {since:%Y-%m-%d %H:%M:%S} UTC"


def _since(time: datetime, now: datetime) -> str:
    return age(max(now - time, timedelta(0)))
