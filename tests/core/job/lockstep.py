"""One Job in our hands and in those of Kubernetes' Job controller, kept in step."""

import copy
import itertools
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from http import HTTPStatus

import msgspec

from agent.core.job.admission import admitted
from agent.core.job.counters import Gone, open_job
from agent.core.job.defaults import defaulted
from agent.core.job.gates import ALL_ON, Gates
from agent.core.job.limits import POD_FAILURE_POLICY
from agent.core.job.play import Play
from agent.core.job.pod import JobPod
from agent.core.job.reading import read_spec, read_status
from agent.core.job.status import FAILURE_TARGET, JobStatus
from agent.core.job.validation_update import amend, validate_update
from agent.kube import objects
from agent.observe.job_pod import read_job_pod
from tests.core.job.blows import may, struck_by
from tests.core.job.drawn import Blow, Drawn, patch_of
from tests.servers.client import Client
from tests.servers.patience import pause
from tests.simulator.api import MERGE, Json

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
PATIENCE_SECONDS = 20.0
CALM_SECONDS = 0.12

Seen = tuple[object, ...]


class Differs(AssertionError):
    """Kubernetes did what none of our answers is."""


@dataclass
class Answer:
    """One course our engine may have taken, and which real pod each of its pods is."""

    play: Play
    names: dict[str, str] = field(default_factory=dict)


@dataclass
class Pair:
    """The real Job, and what we say of it. Where the order in which news arrives matters there are several answers."""

    client: Client
    namespace: str
    name: str
    drawn: Drawn
    gates: Gates = ALL_ON
    api_gates: Gates = ALL_ON
    answers: list[Answer] = field(default_factory=list)
    course: list[str] = field(default_factory=list)
    written: Json = field(default_factory=dict)

    def begin(self) -> None:
        """Make the Job on both sides."""
        made = self.client.create(self._jobs, {"metadata": {"name": self.name}, "spec": self.drawn.spec})
        self.written = made["spec"]
        spec = read_spec(self.written)
        ours = admitted(defaulted(read_spec(self.drawn.spec), gates=self.api_gates), gates=self.api_gates)
        assert replace(ours, template=spec.template, selector=spec.selector) == spec
        play = Play(
            counters=open_job(spec, gates=self.gates),
            name=self.name,
            now=BEGAN,
            namespace=self.namespace,
            lingering=self.drawn.lingering,
        )
        _go_on(play)
        self.answers = [Answer(play)]
        self.agree("made")

    def strike(self, blows: list[Blow]) -> None:
        """Let a set of things happen, on both sides at once; then compare."""
        if (patch := patch_of(blows[0])) is not None:
            self._amend(patch)
        else:
            self._strike_pods(blows)
        self.agree(str(blows))

    def agree(self, what: str) -> None:
        """Wait until Kubernetes shows one of our answers and keeps to it; keep those answers."""
        self.course.append(what)
        began = time.monotonic()
        pods: list[JobPod] = []
        real: Seen = ()
        while (waited := time.monotonic() - began) < PATIENCE_SECONDS:
            real, pods = self._real()
            if any(_shown(answer.play) == real for answer in self.answers):
                time.sleep(CALM_SECONDS)
                if self._real()[0] == real:
                    break
            time.sleep(pause(waited))
        fit = [answer for answer in self.answers if _shown(answer.play) == real]
        if not fit:
            raise Differs(self._difference(real))
        self.answers = fit[:1]
        _name(self.answers[0], pods)

    def _strike_pods(self, blows: list[Blow]) -> None:
        pods = sorted(self.answers[0].play.counters.pods.values(), key=lambda pod: (pod.index or 0, pod.uid))
        struck: list[tuple[JobPod, Blow]] = []
        for blow in blows:
            among = [pod for pod in pods if pod.terminal is (blow.kind == "sweep")]
            struck += [(pod, blow) for pod in among[blow.place : blow.place + 1] if may(pod, blow)]
        if not struck:
            return
        base = self.answers[0]
        names = base.names
        orders = ([[struck[at] for at in part] for part in parts] for parts in _orders(len(struck)))
        self.answers = [answer for parts in orders for answer in _after(base, parts)]
        statuses = [self._strike(names[pod.uid], pod, blow) for pod, blow in struck]
        # Of what struck the first ones Kubernetes may have removed the others already, as in one of our answers.
        assert statuses[0] == HTTPStatus.OK
        assert {*statuses[1:]} <= {HTTPStatus.OK, HTTPStatus.NOT_FOUND}, statuses

    def _strike(self, name: str, pod: JobPod, blow: Blow) -> int:
        path = f"{self._pods}/{name}"
        if blow.kind in ("delete", "sweep"):
            return self.client.ask("DELETE", path).status
        if blow.kind == "tear down":
            return self.client.ask("DELETE", path, query={"gracePeriodSeconds": 0}).status
        status = _status(struck_by(pod, blow, pod.created_at or BEGAN))
        return self.client.ask("PATCH", f"{path}/status", body=status, content_type=MERGE).status

    def _amend(self, patch: Json) -> None:
        """Change the spec on both sides, if either takes it: then both do."""
        play = self.answers[0].play
        if play.counters.status.finished is not None:
            return
        wanted = {**self.written, **patch}
        before = play.counters.spec
        spec = admitted(defaulted(read_spec(wanted), gates=self.api_gates), gates=self.api_gates, before=before)
        taken = not validate_update(spec, before)
        path = f"{self._jobs}/{self.name}"
        answer = self.client.ask("PATCH", path, body={"spec": patch}, content_type=MERGE)
        assert (answer.status == HTTPStatus.OK) is taken, answer.body
        if taken:
            self.written = wanted
            play.counters = amend(play.counters, spec)
            _go_on(play)

    def _real(self) -> tuple[Seen, list[JobPod]]:
        job = self.client.get(f"{self._jobs}/{self.name}")
        listed = self.client.get(self._pods, labelSelector=f"batch.kubernetes.io/job-name={self.name}")["items"]
        pods = [read_job_pod(msgspec.convert(pod, objects.Pod)) for pod in listed]
        return _seen(read_status(job.get("status", {})), pods), pods

    def _difference(self, real: Seen) -> str:
        ours = "\nor\n".join(str(_shown(answer.play)) for answer in self.answers)
        course = "\n".join(self.course)
        return f"{json.dumps(self.drawn.spec)}\n{course}\nKubernetes:\n{real}\nours:\n{ours}"

    @property
    def _jobs(self) -> str:
        return f"/apis/batch/v1/namespaces/{self.namespace}/jobs"

    @property
    def _pods(self) -> str:
        return f"/api/v1/namespaces/{self.namespace}/pods"


def _orders(count: int) -> Iterator[list[tuple[int, ...]]]:
    """Every way in which news of so many pods, reported in order, may fall into steps."""
    for cuts in itertools.product((True, False), repeat=count - 1):
        parts: list[list[int]] = [[0]]
        for at, cut in enumerate(cuts, start=1):
            if cut:
                parts.append([])
            parts[-1].append(at)
        yield [tuple(part) for part in parts]


def _after(base: Answer, parts: list[list[tuple[JobPod, Blow]]]) -> list[Answer]:
    answers = [copy.deepcopy(base)]
    for part in parts:
        answers = [after for answer in answers for after in _taken_in(answer, part)]
    return answers


def _taken_in(answer: Answer, part: list[tuple[JobPod, Blow]]) -> Iterator[Answer]:
    """The course after news that came at once; where several pods fail the Job Kubernetes names any of them."""
    counters = answer.play.counters
    changes = [change for pod, blow in part for change in _changes(answer.play, pod, blow)]
    failed = [pod for pod in changes if isinstance(pod, JobPod) and counters.fails(pod)]
    messages = {message for pod in failed if (message := counters.judged(pod).message) is not None}
    decided = counters.status.true(FAILURE_TARGET) is not None
    _go_on(answer.play, *changes)
    yield answer
    if not decided and len(messages) > 1:
        yield from (_named(answer, message) for message in sorted(messages))


def _named(answer: Answer, message: str) -> Answer:
    """The same course with another pod named as the one that failed the Job."""
    other = copy.deepcopy(answer)
    status = other.play.counters.status
    conditions = [
        replace(condition, message=message) if condition.reason == POD_FAILURE_POLICY else condition
        for condition in status.conditions
    ]
    other.play.counters.status = replace(status, conditions=tuple(conditions))
    return other


def _go_on(play: Play, *changes: JobPod | Gone) -> None:
    """Take in changes, and wait for what they delay, as the comparison waits for Kubernetes."""
    play.see(*changes)
    while play.wait is not None:
        play.pass_time(play.wait)


def _changes(play: Play, pod: JobPod, blow: Blow) -> list[JobPod | Gone]:
    known = play.counters.pods.get(pod.uid)
    if known is None:
        return []
    after = struck_by(known, blow, play.now)
    goes = after.deleted_at is not None and not after.tracked and not after.assigned
    return [Gone(uid=pod.uid)] if goes else [after]


def _status(pod: JobPod) -> Json:
    """The patch of ``/status`` that makes a real pod what ours is."""
    container = pod.containers[0]
    state = {"running": {}} if container.exit_code is None else {"terminated": {"exitCode": container.exit_code}}
    written = {
        "name": "main",
        "image": "example",
        "imageID": "example",
        "ready": pod.ready,
        "restartCount": container.restarts,
        "state": state,
    }
    conditions = [{"type": condition.type, "status": condition.status} for condition in pod.conditions]
    return {"status": {"phase": pod.phase, "containerStatuses": [written], "conditions": conditions}}


def _shown(play: Play) -> Seen:
    return _seen(play.counters.report(), list(play.counters.pods.values()))


def _seen(status: JobStatus, pods: list[JobPod]) -> Seen:
    """What is compared; pods by index and ordinal, or by what they are, for names are drawn."""
    conditions = sorted(
        (condition.type, condition.status, condition.reason, condition.message) for condition in status.conditions
    )
    kinds = Counter(
        (
            pod.index,
            pod.phase,
            pod.deleted_at is not None,
            pod.tracked,
            pod.failure_count,
            pod.ignored_failure_count,
        )
        for pod in pods
    )
    counts = (status.active, status.ready, status.terminating, status.succeeded, status.failed)
    uncounted = (status.uncounted_succeeded, status.uncounted_failed)
    times = (status.start_time is not None, status.completion_time is not None)
    indexes = (status.completed_indexes, status.failed_indexes)
    return (counts, indexes, tuple(conditions), uncounted, times, tuple(sorted(kinds.items(), key=str)))


def _name(answer: Answer, real: list[JobPod]) -> None:
    """Tell which real pods ours are.

    Those that were not named before are alike if they look so. Of pods that look alike Kubernetes removes whichever its
    cache and the second they were made in put first; where that was another than ours, the two change names.
    """
    pods, shown = answer.play.counters.pods, {pod.name: pod for pod in real}
    answer.names = {
        uid: name
        for uid, name in answer.names.items()
        if uid in pods and name in shown and _alike(shown[name], pods[uid])
    }
    taken = set(answer.names.values())
    fresh = [pod for pod in real if pod.name not in taken]
    for pod in [pod for pod in pods.values() if pod.uid not in answer.names]:
        twin = next((candidate for candidate in fresh if _alike(candidate, pod)), None)
        if twin is None:
            raise Differs(f"no real pod is {pod}")
        fresh.remove(twin)
        answer.names[pod.uid] = twin.name
        answer.play.counters.see(replace(pod, name=twin.name, created_at=twin.created_at))


def _alike(ours: JobPod, other: JobPod) -> bool:
    return _looks(ours) == _looks(other)


def _looks(pod: JobPod) -> tuple[object, ...]:
    return (pod.index, pod.phase, pod.tracked, pod.deleted_at is None, pod.ready, pod.restarts)
