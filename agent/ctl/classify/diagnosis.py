"""What the rules say about one subject as it is, without waiting and without a cluster to ask."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from agent.core.classify.classifier import Classifier
from agent.core.classify.explanation import Consideration
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind
from agent.core.failure import IN_RUN, Failure, Occurrence
from agent.core.summary.redaction import Redactor
from agent.core.summary.submission import UNKNOWN, Submission
from agent.core.summary.summary import summarise
from agent.ctl.classify.subject import Subject
from agent.observe.deadlines import Deadlines
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.observe.injection import submission
from agent.observe.node import read_node
from agent.observe.occurrence import Occurred, observe
from agent.observe.signs import sign_of_trouble
from agent.observe.text import strip_evidence

_NOW = timedelta(0)
_AT_ONCE = Deadlines(
    unschedulable=None,
    preparing=None,
    image=_NOW,
    config=_NOW,
    create=_NOW,
    init_crash_loop=_NOW,
    active_margin=_NOW,
    terminating_margin=None,
)
"""Deadlines for a look at one moment. Where only time shows trouble (``None``), signs and rules are asked instead."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The answer on one subject. ``failure`` is ``None`` for one that is healthy, and ``reason`` says why it is."""

    name: str
    failure: Failure | None
    reason: str = ""
    considerations: tuple[Consideration, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnoser:
    """Diagnoses subjects by one rule file; ``explain`` keeps the outcome of each rule."""

    classifier: Classifier
    redactor: Redactor
    explain: bool = False

    def diagnose(self, subject: Subject, *, now: datetime) -> Diagnosis:
        """Say what is wrong with a subject, if anything."""
        if subject.pod is None:
            return self._bare(subject)
        occurred = _occurred(subject, now=now)
        if occurred is None:
            return self._without_occurrence(subject)
        evidence = _evidence(subject, occurred.occurrence, occurred.container)
        return self._failed(subject.name, evidence, occurred.occurrence, submission(subject.pod))

    def _without_occurrence(self, subject: Subject) -> Diagnosis:
        """Diagnose a pod without an occurrence: it is in trouble if its status has a sign and a rule matches."""
        occurrence = Occurrence.NEVER_STARTED if _pending(subject) else Occurrence.POD_FAILED
        evidence = _evidence(subject, occurrence, None)
        sign = sign_of_trouble(evidence)
        if sign is None or subject.pod is None:
            return Diagnosis(name=subject.name, failure=None, reason=_state(evidence))
        if not self.classifier.classify(evidence).matched:
            return Diagnosis(name=subject.name, failure=None, reason=f"{_state(evidence)}; no rule knows {sign}")
        return self._failed(subject.name, evidence, occurrence, submission(subject.pod))

    def _bare(self, subject: Subject) -> Diagnosis:
        evidence = _bare_evidence(subject)
        silent = not (subject.events or subject.message or subject.node_log)
        if silent and not self.classifier.classify(evidence).matched:
            return Diagnosis(name=subject.name, failure=None, reason="no rule finds fault with the node")
        return self._failed(subject.name, evidence, Occurrence.POD_FAILED, UNKNOWN)

    def _failed(self, name: str, evidence: Evidence, occurrence: Occurrence, submitted: Submission) -> Diagnosis:
        failure = summarise(
            evidence,
            self.classifier.classify(evidence),
            occurrence=occurrence,
            submitted=submitted,
            redactor=self.redactor,
        )
        considered = self.classifier.explain(evidence) if self.explain else ()
        return Diagnosis(name=name, failure=failure, considerations=considered)


def _occurred(subject: Subject, *, now: datetime) -> Occurred | None:
    """Return what ended or stops the pod, else its last restart in place, else nothing."""
    _, observed = observe(None, subject.pod, deleted=False, now=now, deadlines=_AT_ONCE)
    final = [each for each in observed if each.occurrence not in IN_RUN]
    return next(iter(final or list(observed)[-1:]), None)


def _evidence(subject: Subject, occurrence: Occurrence, container: str | None) -> Evidence:
    if subject.pod is None:
        return _bare_evidence(subject)
    return read_evidence(
        subject.pod,
        occurrence=occurrence,
        container=container if occurrence in IN_RUN else None,
        events=read_events(subject.events),
        node=subject.node,
        node_log=subject.node_log,
        missing=subject.missing,
    )


def _bare_evidence(subject: Subject) -> Evidence:
    """Evidence without a pod. A bare message is both what a container said and what the platform said."""
    return strip_evidence(
        Evidence(
            pod=Pod(containers=tuple(_unnamed_container(subject.message))),
            pod_error=subject.message,
            events=read_events(subject.events),
            node=read_node(subject.node, name="", log_lines=subject.node_log),
            missing=subject.missing,
        )
    )


def _unnamed_container(message: str) -> Iterable[Container]:
    if message:
        ended = ContainerState(kind=StateKind.TERMINATED, message=message)
        yield Container(name="unnamed", kind=ContainerKind.APP, state=ended, ended=ended)


def _pending(subject: Subject) -> bool:
    return subject.pod is not None and (subject.pod.status.phase or "Pending") in ("Pending", "Unknown")


def _state(evidence: Evidence) -> str:
    running = sum(container.state.kind is StateKind.RUNNING for container in evidence.pod.containers)
    phase = evidence.pod.phase or "without a phase"
    return f"{phase}, {running} of {len(evidence.pod.containers)} containers running" if running else phase
