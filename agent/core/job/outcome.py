"""The outcome of a pod in a simulation, and the state of the Job after it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

from agent.core.classify.followers import deciding_evidence
from agent.core.classify.mechanism import is_rejection
from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Pod, StateKind
from agent.core.failure import NO_CATEGORY, Classification, Failure, Grade, Occurrence, Origin, UserCode
from agent.core.job.counters import Counters
from agent.core.job.marks import Mark
from agent.core.job.play import Play, Turn
from agent.core.job.pod import FAILED, RUNNING, SUCCEEDED, JobContainer, JobPod, PodCondition
from agent.core.job.rules import OurRule, match_ours
from agent.core.job.words import ON_FAILURE

_AT_ONCE = timedelta(0)

OF_PODS = frozenset({"DeadlineExceeded", "Evicted", "NodeLost", "NodeShutdown", "Preempting", "Terminated"})
"""Reasons for which the kubelet fails a whole pod, whatever its ``restartPolicy``. A refusal is one too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodEnding:
    """How a pod ends: the live one of ``index``, else the first live one, or with ``every`` all of them.

    Under ``restartPolicy: OnFailure`` a non-zero exit code belongs to the container, which the kubelet restarts in its
    pod; the pod itself fails only by a condition (``DisruptionTarget``) or by its own ``reason`` (``Evicted``). The
    containers of a pod that the kubelet refused (``UnexpectedAdmissionError``) never start.

    The time ``after`` passes first. ``conditions`` are types of pod conditions that are then True; the rest is for our
    own rules, and for the rules by which a pod gets our conditions.
    """

    index: int | None = None
    every: bool = False
    exit_code: int = 0
    container: str = "main"
    conditions: tuple[str, ...] = ()
    after: timedelta = _AT_ONCE
    reason: str = ""
    message: str = ""
    signal: int | None = None
    category: str = NO_CATEGORY
    origin: Origin = Origin.UNKNOWN
    grade: Grade | None = None

    def text(self) -> str:
        """Return how the pod ends, in short. A pod that its kubelet refuses has no exit code."""
        ended = self.reason if is_rejection(self.reason) else f"exit code {self.exit_code}"
        return " ".join((ended, *self.conditions))


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """One outcome, the pods it was applied to (possibly none), and the steps that followed.

    ``marks`` has the conditions that each pod that failed got by rules, if there are any rules.
    """

    outcome: PodEnding | None
    pods: tuple[str, ...]
    turns: tuple[Turn, ...]
    marks: tuple[Mark, ...] = ()


def begin(play: Play) -> Scene:
    return Scene(outcome=None, pods=(), turns=tuple(play.see()))


def apply_outcome(play: Play, outcome: PodEnding, rules: Sequence[OurRule] = ()) -> Scene:
    """Apply an outcome to its pods. If they still have to be created, the time until then passes first."""
    turns = play.pass_time(outcome.after) if outcome.after else []
    while not (targets := _targets(play, outcome)) and play.wait is not None:
        turns += play.pass_time(play.wait)
    marks = [_mark(pod, outcome, play) for pod in targets]
    ended = [_ended(pod, outcome, play, (rules, mark)) for pod, mark in zip(targets, marks, strict=True)]
    if ended:
        turns += play.see(*ended)
    marked = tuple(mark for mark in marks if mark is not None)
    return Scene(outcome=outcome, pods=tuple(pod.name for pod in targets), turns=tuple(turns), marks=marked)


def grid(counters: Counters) -> str:
    """Return one character per index: Succeeded, Failed, Active, Waiting for a new pod, ``.`` not begun."""
    return "".join(_symbol(counters, index) for index in range(counters.spec.completions or 0))


def _symbol(counters: Counters, index: int) -> str:
    marks: Iterator[str] = (
        symbol
        for symbol, there in (
            ("S", index in counters.succeeded),
            ("F", index in counters.failed),
            ("A", index in counters.active_at),
            ("W", index in counters.held),
        )
        if there
    )
    return next(marks, ".")


def _targets(play: Play, outcome: PodEnding) -> list[JobPod]:
    living = [pod for pod in play.living() if outcome.index is None or pod.index == outcome.index]
    return living if outcome.every else living[:1]


def _mark(pod: JobPod, outcome: PodEnding, play: Play) -> Mark | None:
    """What the rules give a pod that fails; ``None`` if it does not, or there are no rules."""
    if play.marks is None or not _fails(outcome) or _restarts(outcome, play):
        return None
    return play.marks.mark(pod.index, deciding_evidence(failure_of(outcome)))


def _fails(outcome: PodEnding) -> bool:
    return outcome.exit_code != 0 or bool(outcome.conditions) or _is_of_pod(outcome.reason)


def _restarts(outcome: PodEnding, play: Play) -> bool:
    """Whether the kubelet restarts the failed container in its pod."""
    on_failure = play.counters.spec.template.restart_policy == ON_FAILURE
    return on_failure and not outcome.conditions and not _is_of_pod(outcome.reason)


def _is_of_pod(reason: str) -> bool:
    return reason in OF_PODS or is_rejection(reason)


def _ended(pod: JobPod, outcome: PodEnding, play: Play, judged: tuple[Sequence[OurRule], Mark | None]) -> JobPod:
    rules, mark = judged
    failed = _fails(outcome)
    if failed and _restarts(outcome, play):
        container = JobContainer(name=outcome.container, restarts=pod.restarts + 1)
        return replace(pod, phase=RUNNING, containers=(container,))
    container = JobContainer(
        name=outcome.container, exit_code=outcome.exit_code, finished_at=play.now, restarts=pod.restarts
    )
    types = (*outcome.conditions, *(mark.conditions if mark else ()))
    return replace(
        pod,
        phase=FAILED if failed else SUCCEEDED,
        containers=() if is_rejection(outcome.reason) else (container,),
        conditions=tuple(PodCondition(type=condition, status="True") for condition in types),
        ours=match_ours(rules, failure_of(outcome)) if failed else None,
    )


def failure_of(outcome: PodEnding) -> Failure:
    """Return the failure of an outcome."""
    of_pod = _is_of_pod(outcome.reason)
    state = ContainerState(
        kind=StateKind.TERMINATED,
        reason="" if of_pod else outcome.reason,
        message="" if of_pod else outcome.message,
        exit_code=outcome.exit_code,
        signal=outcome.signal,
    )
    container = Container(name=outcome.container, kind=ContainerKind.APP, state=state, ended=state)
    pod = Pod(
        phase=FAILED,
        reason=outcome.reason if of_pod else "",
        message=outcome.message if of_pod else "",
        conditions=tuple(Condition(type=condition, status="True") for condition in outcome.conditions),
        containers=() if is_rejection(outcome.reason) else (container,),
    )
    return Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=Classification(category=outcome.category, origin=outcome.origin, grade=outcome.grade),
        exit_code=outcome.exit_code,
        user_code=UserCode(),
        pod=pod,
        pod_error=outcome.message,
    )
