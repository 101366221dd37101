"""Commands of the lifecycle as messages of the outbox."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from agent.broker.topics import commands_topic
from agent.core.lifecycle.effects import Command, Create, Discard, Start, Stop
from agent.core.lifecycle.run import JobRun
from agent.core.run_command import CommandContent, CreateRun, DiscardRun, RunCommand, StartRun, StopRun
from agent.core.run_event import PodReference
from agent.scheduler.effects.advanced import Advanced
from agent.scheduler.effects.pod_memory import with_memory
from agent.store.outbox import NewMessage
from agent.wire import commands as wire


@dataclass(frozen=True, slots=True, kw_only=True)
class Discarded:
    """A gated pod that belongs to no run: it is to be deleted. ``job_id`` and ``run_id`` are what its labels say."""

    cluster_id: str
    cluster: str
    job_id: str
    run_id: str
    pod: PodReference


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """What commands need to name: ``clusters`` by id, specs by job id."""

    clusters: Mapping[str, str]
    specs: Mapping[str, bytes]


def message_of(advanced: Advanced, command: Command, named: Named, *, now: datetime) -> NewMessage:
    """The message for the cluster's agent."""
    job_id = advanced.job.job_id
    sent = RunCommand(
        cluster_id=command.cluster,
        job_id=job_id,
        run_id=command.run_id,
        issued_at=now,
        command=_content(advanced, command, named),
    )
    return _message(sent, cluster=named.clusters[command.cluster])


def discard_of(discarded: Discarded, *, now: datetime) -> NewMessage:
    """The message that has a pod deleted that belongs to no run of a known job."""
    sent = RunCommand(
        cluster_id=discarded.cluster_id,
        job_id=discarded.job_id,
        run_id=discarded.run_id,
        issued_at=now,
        command=DiscardRun(discarded.pod),
    )
    return _message(sent, cluster=discarded.cluster)


def _message(command: RunCommand, *, cluster: str) -> NewMessage:
    return NewMessage(topic=commands_topic(cluster), key=command.job_id, payload=wire.encode(command))


def _content(advanced: Advanced, command: Command, named: Named) -> CommandContent:
    match command:
        case Create():
            return _create(advanced, command, named)
        case Start():
            return StartRun(_pod(advanced, command))
        case Stop():
            return StopRun(_pod(advanced, command))
        case Discard():
            return DiscardRun(advanced.pods[command.uid])
        case _ as unreachable:
            assert_never(unreachable)


def _create(advanced: Advanced, command: Create, named: Named) -> CreateRun:
    submission, run = advanced.held.submission, _run(advanced, command.run_id)
    spec = named.specs[advanced.job.job_id]
    return CreateRun(
        queue=submission.queue,
        job_set=submission.job_set,
        namespace=submission.namespace,
        pod_name=run.pod_name,
        index=command.index,
        pod=with_memory(spec, advanced.memory_of(command.run_id)),
        lost_cluster=run.terms.lost_cluster,
        graceful_shutdown=run.terms.graceful_shutdown,
        grace=run.terms.grace,
    )


def _pod(advanced: Advanced, command: Start | Stop) -> PodReference:
    """As an event of this transaction names it, else as it was recorded."""
    if command.uid in advanced.pods:
        return advanced.pods[command.uid]
    run = _run(advanced, command.run_id)
    namespace = advanced.held.submission.namespace
    return PodReference(namespace=namespace, name=run.pod_name, uid=command.uid, node=run.node)


def _run(advanced: Advanced, run_id: str) -> JobRun:
    run = advanced.job.run(run_id)
    if run is None:
        raise ValueError(f"job {advanced.job.job_id} has no run {run_id}")
    return run
