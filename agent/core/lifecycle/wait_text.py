"""Why a job waits, in words."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import assert_never

from agent.core.failure_text.times import age, relative
from agent.core.lifecycle.names import DEFAULT_PREFIX, pod_name
from agent.core.lifecycle.waits import ForAnswer, ForCluster, ForStop, ForTime, NameIsTaken, RetriesStopped, Wait


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What the words need to know of a job: ``clusters`` are names by id, ``pods`` those that agents named, by run id.

    ``no_cluster`` says why no cluster takes a run of the job. ``prefix`` is that of the names of pods.
    """

    job_id: str
    namespace: str
    no_cluster: str
    prefix: str = DEFAULT_PREFIX
    clusters: Mapping[str, str] = field(default_factory=dict)
    pods: Mapping[str, str] = field(default_factory=dict)

    def cluster(self, cluster_id: str) -> str:
        return f"cluster {self.clusters.get(cluster_id, cluster_id)}"


def in_words(wait: Wait, about: Surroundings, *, now: datetime) -> str:
    """One sentence without its full stop."""
    match wait:
        case ForStop():
            return _for_stop(wait, about, now=now)
        case ForTime():
            rejected = f"a cluster rejected the run ({wait.rejected}); " if wait.rejected else ""
            return f"{rejected}the next run may start {relative(max(wait.until, now), now)}"
        case ForCluster():
            return about.no_cluster
        case RetriesStopped():
            return "the setting retries.stopped holds all retries"
        case NameIsTaken():
            where = f"in {about.cluster(wait.cluster)}"
            return f"the name of its pod belongs to an earlier pod, {wait.uid}, {where}, for {_since(wait.since, now)}"
        case ForAnswer():
            return f"has waited {_since(wait.since, now)} for the answer of {about.cluster(wait.cluster)}"
        case _ as unreachable:
            assert_never(unreachable)


def _for_stop(wait: ForStop, about: Surroundings, *, now: datetime) -> str:
    pod = about.pods.get(wait.run_id) or pod_name(about.job_id, wait.index, prefix=about.prefix)
    node = f" on {wait.node}" if wait.node else ""
    until = "" if wait.until is None else f"; goes on without it {relative(max(wait.until, now), now)}"
    where = f"pod {about.namespace}/{pod}{node} in {about.cluster(wait.cluster)}"
    gone = ", whose object is gone: nothing proves that it ended" if wait.gone else ""
    return f"has waited {_since(wait.since, now)} for the stop of {where}{gone}{until}"


def _since(time: datetime, now: datetime) -> str:
    return age(max(now - time, timedelta(0)))
