"""Does what one command asks for, and answers it. Every command may come again, and has then the effect of once."""

from typing import assert_never

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.runs.answers import Answers, Refused
from agent.cluster.runs.creation import Creation, PodApi
from agent.cluster.runs.lists import RunLists
from agent.core.identity.labels import DISCARD_REQUESTED, START_GATE, STOP_REQUESTED
from agent.core.run_command import CreateRun, DiscardRun, ListRuns, RunCommand, StartRun, StopRun
from agent.core.run_event import Identity, PodReference, RunStopped, StopAnswer
from agent.kube import objects
from agent.observe.entry import RunProgress
from agent.observe.identity import refer
from agent.observe.run_pod import confirmation, has_ended, is_gated, progress, stop_answer, was_made_for_run


class CommandHandler:
    """Handles the commands of the scheduler.

    Raises Refused for one that can never be done here, Waits, ApiError, Unreachable and Unreadable for one that is to
    be tried again.
    """

    def __init__(
        self,
        creation: Creation,
        lists: RunLists,
        answers: Answers,
        api: PodApi,
        *,
        registry: PodRegistry,
        namespaces: frozenset[str],
    ) -> None:
        self._creation = creation
        self._lists = lists
        self._answers = answers
        self._api = api
        self._registry = registry
        self._namespaces = namespaces

    async def handle(self, command: RunCommand | ListRuns) -> None:
        """When it returns, the effect is at the API server, and the answer, if there is one now, on disk."""
        ours = self._answers.envelope.cluster_id
        if command.cluster_id != ours:
            raise Refused(f"the command is for the cluster with id {command.cluster_id}; this is {ours}")
        self._lists.hear(command.issued_at)
        if isinstance(command, ListRuns):
            await self._lists.ask()
            return
        match command.command:
            case CreateRun() as create:
                await self._creation.create(command, create)
            case StartRun(pod=pod):
                await self._start(_run_of(command), self._served(pod))
            case StopRun(pod=pod):
                await self._stop(_run_of(command), self._served(pod))
            case DiscardRun(pod=pod):
                await self._discard(self._served(pod))
            case _:
                assert_never(command.command)

    def _served(self, pod: PodReference) -> PodReference:
        if pod.namespace not in self._namespaces:
            message = f"the agent changes no pods in namespace {pod.namespace}; its settings name it in run.namespaces"
            raise Refused(message)
        return pod

    async def _start(self, run: Identity, pod: PodReference) -> None:
        started = await self._api.pods.remove_gate(pod, START_GATE)
        if started is None:
            await self._answers.give(run, pod, RunStopped(answer=StopAnswer.GONE))
        elif (known := self._progress(started)).phase is not None:
            proof = confirmation(known, started, watched=False)
            await self._answers.give_once(run, refer(started), known.phase, confirmed=proof)

    async def _stop(self, run: Identity, pod: PodReference) -> None:
        found = await self._find(pod)
        if found is None:
            await self._answers.give(run, pod, RunStopped(answer=StopAnswer.GONE))
            return
        known = self._progress(found)
        proof = confirmation(known, found, watched=self._registry.has_watched(pod.uid))
        if has_ended(found, proof):
            answer = RunStopped(answer=stop_answer(known, found))
            await self._answers.give(run, refer(found), answer, confirmed=proof, gated=known.gated)
            return
        if await self._note(found, STOP_REQUESTED) is None:
            await self._answers.give(run, pod, RunStopped(answer=StopAnswer.GONE))
            return
        await self._api.writer.delete(pod)

    async def _discard(self, pod: PodReference) -> None:
        found = await self._find(pod)
        if found is None or not is_gated(found):
            return
        noted = await self._note(found, DISCARD_REQUESTED)
        if noted is not None and is_gated(noted):
            # Only in the state in which it has our gate: somebody may remove that meanwhile.
            await self._api.writer.delete(pod, resource_version=noted.metadata.resourceVersion)

    async def _find(self, pod: PodReference) -> objects.Pod | None:
        """This very pod; ``None`` if it is gone. Raises Refused for a pod that was not made for a submitted job.

        Which run it is of, its uid says: labels may have been changed since.
        """
        found = await self._api.reader.find(pod)
        known = self._registry.run_of(pod.uid) is not None
        if found is not None and not known and not was_made_for_run(found):
            raise Refused(f"the pod {pod.namespace}/{pod.name} was not made for a submitted job")
        return found

    def _progress(self, pod: objects.Pod) -> RunProgress:
        """How far the run of the pod is, with what this process saw before."""
        before = self._registry.run_of(pod.metadata.uid or "")
        known = progress(before or RunProgress(), pod, now=self._answers.envelope.clock())
        return known or RunProgress()

    async def _note(self, pod: objects.Pod, annotation: str) -> objects.Pod | None:
        """Note on the pod that we delete it, before we do. Returns it as it is then, ``None`` if it is gone.

        What follows from the deletion is no failure, whichever process of the agent sees it: that of its node, another
        replica with a spool of its own, or the next one.
        """
        if (pod.metadata.annotations or {}).get(annotation):
            return pod
        return await self._api.pods.annotate(refer(pod), annotation, self._answers.envelope.clock().isoformat())


def _run_of(command: RunCommand) -> Identity:
    return Identity(job_id=command.job_id, run_id=command.run_id)
