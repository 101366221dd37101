"""What retry policies will say of a failure, without a scheduler: by its engine, on assumptions that are listed.

A scheduler knows the earlier runs of a job and its own settings. Here they are what the pod says, what the caller says,
or the defaults.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import NamedTuple

from agent.core.decision.foresee import foresee
from agent.core.decision.verdict import Verdict
from agent.core.evidence import ContainerKind, ContainerMemory
from agent.core.failure import UNDECIDED, Failure, Occurrence
from agent.core.retry.annotations import annotated, fails_fast
from agent.core.retry.compiled import CompiledPolicy
from agent.core.retry.effective import resolve_policies
from agent.core.retry.policy import RetrySettings
from agent.core.run import RunFacts
from agent.core.units import whole_number
from agent.diagnose.owned import failed_before, job_of
from agent.diagnose.subject import Subject
from agent.kube import objects
from agent.observe.identity import identify
from agent.observe.templates import Owner

SETTINGS = RetrySettings(enabled=True)
"""Those of a scheduler whose settings say nothing but that policies decide."""

_MEMORY = "memory"
_ALWAYS = "Always"


class Foreseen(NamedTuple):
    """The verdict to expect, and what was assumed, as sentences."""

    verdict: Verdict
    assumed: tuple[str, ...]


class Earlier(NamedTuple):
    """How many runs failed before, and who says so."""

    runs: int
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Foresight:
    """``queue`` are the policies of the queue: all that were given, if nobody names them.

    ``failed_before``: how many runs of each job failed before; ``None``: as the pod says.
    """

    policies: Mapping[str, CompiledPolicy]
    queue: tuple[str, ...] | None = None
    failed_before: int | None = None

    def of(self, subject: Subject, failure: Failure, *, now: datetime) -> Foreseen | None:
        """The verdict on a failure; ``None`` for one that is recorded and never decided."""
        if failure.occurrence in UNDECIDED:
            return None
        pod = subject.pod or objects.Pod()
        queue = tuple(self.policies) if self.queue is None else self.queue
        policies = resolve_policies(self.policies, queue=queue, annotation=annotated(pod.metadata.annotations or {}))
        earlier = self._earlier(pod, subject.owners)
        run = _run(pod, failure, lineage=subject.name or "this job", now=now)
        verdict = foresee(failure, run=run, earlier=earlier.runs, policies=policies, settings=SETTINGS, now=now)
        together = len(policies.names) if self.queue is None else 0
        return Foreseen(verdict, (*_assumed(earlier, failure, together=together), *_unheeded(pod)))

    def _earlier(self, pod: objects.Pod, owners: Sequence[Owner]) -> Earlier:
        if self.failed_before is not None:
            return Earlier(self.failed_before, "--failed-before")
        attempt, job = identify(pod).attempt, job_of(pod, owners)
        if attempt is not None:
            return Earlier(attempt, "the pod's labels")
        return Earlier(0, "") if job is None else Earlier(failed_before(pod, job), f"Job {job.metadata.name}")


def _assumed(earlier: Earlier, failure: Failure, *, together: int) -> Iterator[str]:
    if not earlier.source:
        yield "no run of the job failed before; --failed-before NUMBER says otherwise"
    elif earlier.runs == 0:
        yield f"no run of the job failed before ({earlier.source})"
    else:
        counted = "1 run" if earlier.runs == 1 else f"{earlier.runs} runs"
        yield f"{counted} of the job failed before ({earlier.source}), each like this one"
    if together > 1:
        yield "the job's queue has all policies that were given, in this order; --queue-policies NAMES says otherwise"
    if failure.occurrence is Occurrence.NEVER_STARTED and failure.pod.phase == "Pending":
        yield "an agent gives the pod up, which may still start"
    yield "the scheduler's settings are the defaults"


def _unheeded(pod: objects.Pod) -> Iterator[str]:
    """Nobody acts on the verdict on a pod that another controller made; its own answer may be the opposite."""
    for owner in pod.metadata.ownerReferences or ():
        if owner.controller:
            name = f"{owner.kind} {owner.name}"
            yield f"the job was submitted to the scheduler: nothing acts on the verdict on a pod of {name}"


def _run(pod: objects.Pod, failure: Failure, *, lineage: str, now: datetime) -> RunFacts:
    ends = [container.ended.finished_at for container in failure.pod.containers if container.ended is not None]
    ended_at = max((end for end in ends if end is not None), default=now)
    started_at = failure.pod.started_at
    return RunFacts(
        lineage=lineage,
        node=pod.spec.nodeName or "",
        fail_fast=fails_fast(pod.metadata.annotations or {}),
        grace_period=timedelta(seconds=max(pod.spec.terminationGracePeriodSeconds or 0, 0)),
        ended_at=ended_at,
        lasted=None if started_at is None else max(ended_at - started_at, timedelta(0)),
        memory=tuple(_memory(pod.spec)),
    )


def _memory(spec: objects.PodSpec) -> Iterator[ContainerMemory]:
    for container in spec.initContainers or ():
        yield _of_container(
            container, ContainerKind.SIDECAR if container.restartPolicy == _ALWAYS else ContainerKind.INIT
        )
    for container in spec.containers or ():
        yield _of_container(container, ContainerKind.APP)


def _of_container(container: objects.ContainerSpec, kind: ContainerKind) -> ContainerMemory:
    given = container.resources or objects.Resources()
    return ContainerMemory(
        name=container.name or "",
        kind=kind,
        request=whole_number((given.requests or {}).get(_MEMORY)),
        limit=whole_number((given.limits or {}).get(_MEMORY)),
    )
