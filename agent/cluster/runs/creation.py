"""Creates: the pod of a run, behind our gate, unless it is there."""

from dataclasses import dataclass
from typing import Self

import structlog

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import carries_finalizer
from agent.cluster.runs.answers import Answers, Waits
from agent.cluster.runs.manifest import Allowed, Json, pod_of
from agent.cluster.runs.refusal import NameTaken, read_refusal
from agent.core.identity.labels import JOB, RUN, START_GATE
from agent.core.run_command import CreateRun, RunCommand
from agent.core.run_event import CreationFailed, Identity, NameHeld, PodReference, RunCreated, RunRejected
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.errors import ApiError
from agent.kube.gated_pods import GatedPods, has_gate
from agent.kube.pods import PodReader, PodWriter
from agent.observe.identity import refer
from agent.observe.run_pod import confirmation, is_of_run, progress

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodApi:
    """Creates, reads and deletes pods. Every request names a uid, or creates a pod that waits."""

    pods: GatedPods
    reader: PodReader
    writer: PodWriter

    @classmethod
    def of(cls, connection: Connection) -> Self:
        return cls(pods=GatedPods(connection), reader=PodReader(connection), writer=PodWriter(connection))


class Creation:
    """Answers every create, also one that was answered before. Raises Waits, ApiError, Unreachable and Unreadable."""

    def __init__(self, answers: Answers, api: PodApi, *, registry: PodRegistry, allowed: Allowed) -> None:
        self._answers = answers
        self._api = api
        self._registry = registry
        self._allowed = allowed
        self._ungated: set[str] = set()

    async def create(self, command: RunCommand, create: CreateRun) -> None:
        body = pod_of(command, create, allowed=self._allowed)
        if isinstance(body, CreationFailed):
            await self._not_created(command, create, body)
            return
        holder = await self._try(command, create, body)
        if holder is not None and self._may_go(holder):
            await self._api.writer.delete(refer(holder))
            holder = await self._try(command, create, body)
        if holder is not None:
            await self._wait_for_name(_run_of(command, create), create, holder)

    async def _try(self, command: RunCommand, create: CreateRun, body: Json) -> objects.Pod | None:
        """Create the pod and answer; if an earlier pod of the job has its name, return that one instead."""
        try:
            made = await self._api.pods.create(create.namespace, body)
        except ApiError as error:
            return await self._refused(command, create, error)
        await self._created(command, create, made)
        return None

    async def _created(self, command: RunCommand, create: CreateRun, made: objects.Pod) -> None:
        if has_gate(made, START_GATE):
            await self._answers.give_once(_run_of(command, create), refer(made), RunCreated(), gated=True)
            return
        self._ungated.add(made.metadata.uid or "")
        await self._not_gated(command, create, made)

    async def _not_gated(self, command: RunCommand, create: CreateRun, made: objects.Pod) -> None:
        """Something between us and the API server removed the gate: the pod must not start by itself."""
        await self._api.writer.delete(refer(made))
        message = "the pod was created without our scheduling gate: an admission webhook, perhaps, removed it"
        await self._not_created(command, create, CreationFailed(reason="NoGate", message=message))
        self._ungated.discard(made.metadata.uid or "")

    async def _refused(self, command: RunCommand, create: CreateRun, error: ApiError) -> objects.Pod | None:
        match read_refusal(error):
            case NameTaken():
                return await self._named(command, create)
            case RunRejected() | CreationFailed() as why:
                _log.warning("a pod could not be created", pod=create.pod_name, namespace=create.namespace, error=why)
                await self._not_created(command, create, why)
                return None

    async def _named(self, command: RunCommand, create: CreateRun) -> objects.Pod | None:
        """Another pod has the name: it is this run's, none of ours, or an earlier one of its job, which is returned."""
        holder = await self._api.reader.named(create.namespace, create.pod_name)
        if holder is None:
            raise Waits("the pod that had the name of the new one is gone")
        labels = holder.metadata.labels or {}
        run = _run_of(command, create)
        if not is_of_run(holder) or labels.get(JOB) != command.job_id:
            message = f"a pod that is not ours has the name {create.pod_name}"
            await self._not_created(command, create, RunRejected(reason="AlreadyExists", message=message))
        elif labels.get(RUN) == command.run_id and holder.metadata.uid in self._ungated:
            await self._not_gated(command, create, holder)
        elif labels.get(RUN) == command.run_id:
            await self._answers.give(run, refer(holder), RunCreated(), gated=has_gate(holder, START_GATE))
        else:
            return holder
        return None

    async def _wait_for_name(self, run: Identity, create: CreateRun, holder: objects.Pod) -> None:
        held = NameHeld(uid=holder.metadata.uid or "")
        await self._answers.give_once(run, _without_pod(create), held)
        raise Waits(f"an earlier pod of the job has the name {create.pod_name}")

    def _may_go(self, holder: objects.Pod) -> bool:
        """Whether all is known of it: it has ended for certain, and our finalizer is off, so the broker has it."""
        if carries_finalizer(holder):
            return False
        run = progress(None, holder, now=self._answers.envelope.clock())
        return self._was_confirmed(holder) or (run is not None and confirmation(run, holder, watched=False) is not None)

    def _was_confirmed(self, holder: objects.Pod) -> bool:
        """Whether the end was confirmed before, as by a kubelet's refusal, which a later look does not show."""
        run = self._registry.run_of(holder.metadata.uid or "")
        return run is not None and run.confirmed

    async def _not_created(self, command: RunCommand, create: CreateRun, why: RunRejected | CreationFailed) -> None:
        answer = type(why)(reason=self._answers.clean(why.reason), message=self._answers.clean(why.message))
        await self._answers.give_once(_run_of(command, create), _without_pod(create), answer)


def _run_of(command: RunCommand, create: CreateRun) -> Identity:
    """As the labels of the pod say it."""
    return Identity(
        job_id=command.job_id,
        run_id=command.run_id,
        queue=create.queue,
        job_set=create.job_set,
        attempt=create.index,
    )


def _without_pod(create: CreateRun) -> PodReference:
    return PodReference(namespace=create.namespace, name=create.pod_name, uid="")
