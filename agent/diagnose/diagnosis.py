"""Diagnoses one subject by its current state, without waiting and without a cluster."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from agent.core.admission.conditions import admission_of
from agent.core.classify.classifier import Classifier
from agent.core.classify.explanation import Consideration
from agent.core.classify.mechanism import mechanism
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind
from agent.core.failure import IN_RUN, Failure, Mechanism, Occurrence
from agent.core.failure_text.quoting import quote
from agent.core.failure_text.successor import successor
from agent.core.summary.redaction import Redactor
from agent.core.summary.submission import UNKNOWN, Submission
from agent.core.summary.summary import summarise
from agent.diagnose.subject import Subject
from agent.observe.checks.failed import has_started
from agent.observe.deadlines import Deadlines
from agent.observe.events import read_events
from agent.observe.evidence import read_evidence
from agent.observe.folded_lines import unfolded
from agent.observe.injection import submission
from agent.observe.node import read_node
from agent.observe.occurrence import Occurred, observe
from agent.observe.signs import sign_of_problem
from agent.observe.templates import JOB_SET_NAME
from agent.observe.text import strip, strip_evidence
from agent.observe.values import our_conditions
from agent.observe.waiting.look import look
from agent.observe.waiting.news import seen
from agent.observe.waiting.provided import provided
from agent.observe.waiting.wait import NotKnown, Wait, Waiting, is_given_up

if TYPE_CHECKING:  # who asks for no verdict should not import what decides
    from agent.diagnose.foresight import Foreseen, Foresight

_NOW = timedelta(0)
_PENDING = "Pending"
_REPLICA_SET = "ReplicaSet "
_TEMPLATE_HASH = "pod-template-hash"
"""The label with what a Deployment adds to its name for a ReplicaSet."""
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
"""Deadlines for a single look. If only time shows a problem (``None``), signs and rules decide instead."""

_DEFAULTS = Deadlines()
"""Those of an agent whose settings say nothing: which agent watches the subject, if any, is not known."""


class State(StrEnum):
    """The answers that there are on a subject."""

    FAILED = "failed"
    WAITS = "waits"
    NOT_KNOWN = "not-known"
    HEALTHY = "healthy"


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """The answer on one subject: a ``failure``, a ``wait`` or, where both are ``None``, that it is healthy.

    With a failure, ``wait`` is for what the pod still waits. ``reason`` says why it has no failure. ``node`` is the
    node of the pod; ``owners`` are the objects that created it, such as ``Job train-0``. ``foreseen`` is the verdict of
    retry policies on the failure, if they were asked and decide such failures. ``follows`` is who starts the pod again,
    as a sentence; empty if that is not known.
    """

    name: str
    failure: Failure | None
    reason: str = ""
    considerations: tuple[Consideration, ...] = ()
    node: str = ""
    owners: tuple[str, ...] = ()
    wait: Wait | None = None
    foreseen: "Foreseen | None" = None
    follows: str = ""

    @property
    def state(self) -> State:
        """What the answer says of the subject."""
        if self.failure is not None:
            return State.FAILED
        if self.wait is None:
            return State.HEALTHY
        return State.NOT_KNOWN if isinstance(self.wait, NotKnown) else State.WAITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnoser:
    """Diagnoses subjects by one rule file; ``explain`` keeps the outcome of each rule.

    ``foresight`` says what retry policies will decide; ``None``: nobody asked.
    """

    classifier: Classifier
    redactor: Redactor
    explain: bool = False
    foresight: "Foresight | None" = None

    def diagnose(self, subject: Subject, *, now: datetime) -> Diagnosis:
        """Say what is wrong with a subject, if anything."""
        found = self._found(subject, now=now)
        if self.foresight is None or found.failure is None:
            return found
        return replace(found, foreseen=self.foresight.of(subject, found.failure, now=now))

    def _found(self, subject: Subject, *, now: datetime) -> Diagnosis:
        if subject.pod is None:
            return self._bare(subject)
        occurred = _occurred(subject, now=now)
        if occurred is None:
            return self._without_occurrence(subject)
        evidence = _evidence(subject, occurred.occurrence, occurred.container)
        return self._failed(subject, evidence, occurred.occurrence)

    def _without_occurrence(self, subject: Subject) -> Diagnosis:
        """Diagnose a pod without an occurrence: it has a problem if its status has a sign and a rule matches."""
        occurrence = Occurrence.NEVER_STARTED if _pending(subject) else Occurrence.POD_FAILED
        evidence = _evidence(subject, occurrence, None)
        if (coming := provided(subject.pod, evidence.events, deadlines=_DEFAULTS)) is not None:
            return self._unfailed(subject, evidence, coming, reason=_state(evidence))
        sign = sign_of_problem(evidence)
        if sign is not None and self.classifier.classify(evidence).matched:
            return self._failed(subject, evidence, occurrence)
        wait = None if subject.pod is None else look(subject.pod, evidence.events, deadlines=_DEFAULTS)
        unmatched = "" if sign is None else f"; no rule matches {sign}"
        return self._unfailed(subject, evidence, wait, reason=f"{_state(evidence)}{unmatched}")

    def _unfailed(self, subject: Subject, evidence: Evidence, wait: Wait | None, *, reason: str) -> Diagnosis:
        return Diagnosis(
            name=subject.name,
            failure=None,
            reason=reason,
            considerations=self._considered(evidence),
            node=_node_of(subject),
            owners=_owners_of(subject),
            wait=self._quotable(wait),
        )

    def _quotable(self, wait: Wait | None) -> Wait | None:
        """The wait without control characters and secrets, and with the begin of a long text."""
        if wait is None:
            return None
        if isinstance(wait, NotKnown):
            return replace(wait, why=quote(self.redactor.redact(strip(wait.why))))
        name, because = (quote(self.redactor.redact(strip(text))) for text in (wait.name, wait.because))
        return replace(wait, name=name, because=because)

    def _bare(self, subject: Subject) -> Diagnosis:
        evidence = _bare_evidence(subject)
        if _only_events(subject) and (wait := provided(None, evidence.events, deadlines=_DEFAULTS)) is not None:
            return self._unfailed(subject, evidence, wait, reason="its owner tries again to create it")
        silent = not (subject.events or subject.message or subject.node_log or subject.log_tails)
        if silent and not self.classifier.classify(evidence).matched:
            return self._unfailed(subject, evidence, None, reason="no rule finds a problem with the node")
        created = mechanism(evidence) is not Mechanism.NEVER_CREATED
        return self._failed(subject, evidence, Occurrence.POD_FAILED if created else Occurrence.NEVER_CREATED)

    def _failed(self, subject: Subject, evidence: Evidence, occurrence: Occurrence) -> Diagnosis:
        given = self.classifier.classify(evidence)
        got = () if subject.pod is None else our_conditions(subject.pod)
        failure = summarise(
            evidence,
            given,
            occurrence=occurrence,
            submitted=_submitted(subject),
            redactor=self.redactor,
            admission=admission_of(got, given),
        )
        return Diagnosis(
            name=subject.name,
            failure=failure,
            considerations=self._considered(evidence),
            node=_node_of(subject),
            owners=_owners_of(subject),
            wait=self._quotable(_still(subject, evidence)),
            follows=_follows(subject, failure),
        )

    def _considered(self, evidence: Evidence) -> tuple[Consideration, ...]:
        return self.classifier.explain(evidence) if self.explain else ()


def _follows(subject: Subject, failure: Failure) -> str:
    """Who starts the pod again: as its Job says, if that is known."""
    if subject.pod is None:
        return ""
    if subject.owners:
        from agent.diagnose.owned import by_owners  # noqa: PLC0415 - most pods come without their owners

        if said := by_owners(subject.pod, failure, subject.owners):
            return said
    return successor(failure)


def _still(subject: Subject, evidence: Evidence) -> Waiting | None:
    """For what a pod in which a failure was found still waits, until the agent gives it up."""
    pod = subject.pod
    if pod is None or pod.status.phase != _PENDING or evidence.pod.reason or evidence.pod.message:
        return None
    wait = look(pod, evidence.events, deadlines=_DEFAULTS)
    if not isinstance(wait, Waiting) or is_given_up(wait, seen(pod, evidence.events)):
        return None
    return wait


def _occurred(subject: Subject, *, now: datetime) -> Occurred | None:
    """Return the occurrence that ended or stops the pod, else its last container restart, else nothing."""
    _, observed = observe(None, subject.pod, deleted=False, now=now, deadlines=_AT_ONCE)
    final = [occurred for occurred in observed if occurred.occurrence not in IN_RUN]
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
        log_tails=subject.log_tails,
        missing=subject.missing,
        submitted=_submitted(subject),
    )


def _bare_evidence(subject: Subject) -> Evidence:
    """Evidence without a pod. A bare message may be a container's or the pod's, so it counts as both."""
    return strip_evidence(
        Evidence(
            pod=Pod(containers=tuple(_unnamed_container(subject.message))),
            pod_error=subject.message,
            events=read_events(subject.events),
            node=read_node(subject.node, name="", log_lines=subject.node_log),
            log_tails=tuple(map(unfolded, subject.log_tails)),
            missing=subject.missing,
        )
    )


def _only_events(subject: Subject) -> bool:
    return not (subject.message or subject.node or subject.node_log or subject.log_tails)


def _submitted(subject: Subject) -> Submission:
    return UNKNOWN if subject.pod is None else submission(subject.pod, template=subject.template)


def _node_of(subject: Subject) -> str:
    """The node that the pod was assigned to, even if nothing else is known about it."""
    named = subject.pod.spec.nodeName if subject.pod is not None else None
    return named or (subject.node.metadata.name if subject.node is not None else None) or ""


def _owners_of(subject: Subject) -> tuple[str, ...]:
    """The owner of the pod, and the JobSet or Deployment above it."""
    if subject.pod is None:
        return ()
    meta = subject.pod.metadata
    labels = meta.labels or {}
    made = tuple(f"{owner.kind} {owner.name}" for owner in meta.ownerReferences or () if owner.controller)
    if job_set := labels.get(JOB_SET_NAME):
        return (*made, f"JobSet {job_set}")
    suffix = f"-{labels.get(_TEMPLATE_HASH)}"
    sets = (owner.removeprefix(_REPLICA_SET) for owner in made if owner.startswith(_REPLICA_SET))
    return (*made, *(f"Deployment {name.removesuffix(suffix)}" for name in sets if name.endswith(suffix)))


def _unnamed_container(message: str) -> Iterable[Container]:
    if message:
        ended = ContainerState(kind=StateKind.TERMINATED, message=message)
        yield Container(name="unnamed", kind=ContainerKind.APP, state=ended, ended=ended)


def _pending(subject: Subject) -> bool:
    """Whether the pod has not started. ``Unknown`` is also the phase of one that ran when its node was lost."""
    if subject.pod is None:
        return False
    phase = subject.pod.status.phase or "Pending"
    return phase == "Pending" or (phase == "Unknown" and not has_started(subject.pod))


def _state(evidence: Evidence) -> str:
    running = sum(container.state.kind is StateKind.RUNNING for container in evidence.pod.containers)
    phase = evidence.pod.phase or "without a phase"
    return f"{phase}, {running} of {len(evidence.pod.containers)} containers running" if running else phase
