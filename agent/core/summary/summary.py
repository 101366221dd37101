"""Summary: builds a failure that may be stored from evidence and classification.

The input is stripped and classified. Here it is redacted, then bounded: a text that is cut first could keep a part of
a secret that no rule of redaction finds any more.
"""

from datetime import timedelta

from msgspec.structs import replace

from agent.core.classify.followers import deciding_part
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence
from agent.core.exit_status import ending_signal
from agent.core.failure import (
    Admission,
    Advice,
    CheckAction,
    CheckCause,
    CheckFinding,
    Classification,
    Failure,
    Occurrence,
    StackTrace,
)
from agent.core.summary.bounds import bound, marks
from agent.core.summary.fingerprint import fingerprint
from agent.core.summary.fit import surely_fits
from agent.core.summary.internal import INTERNAL_CATEGORY, STUCK_TERMINATING, decided
from agent.core.summary.key_line import summarise_trace
from agent.core.summary.overruling import overrule
from agent.core.summary.reached import reached_limit
from agent.core.summary.redaction import Redactor, redact
from agent.core.summary.submission import Submission
from agent.core.summary.texts import Texts, collect
from agent.core.summary.user_code import judge_user_code

EVENTS = 10
"""How many events a failure carries; the rest are only counted (armadaproject/armada#4713)."""

AMEND_WITHIN = timedelta(seconds=30)
"""How long after its report a failure may be amended, once."""


def summarise(
    evidence: Evidence,
    classification: Classification,
    *,
    occurrence: Occurrence,
    submitted: Submission,
    redactor: Redactor,
    check: CheckFinding | None = None,
    admission: Admission | None = None,
) -> Failure:
    """The failure to store, redacted and within bounds.

    An occurrence that the agent itself decides gets its internal category if no rule matched; a pod that cannot be
    torn down always does, as Armada's stuck-terminating. What a ``check`` from settings found is a finding of the
    operator: it keeps the category of the rules, and gives advice if the rule does not.
    """
    left_out = max(len(evidence.events) - EVENTS, 0)
    if left_out:
        evidence = replace(evidence, events=evidence.events[:EVENTS])
    given = _advised(classification, check) if check else decided(classification, occurrence)
    texts = texts_of(evidence, given)
    redacted: tuple[str, ...] = ()
    if redactor.finds_in(texts):
        evidence, given, redacted = redact(evidence, given, redactor)
        texts = texts_of(evidence, given)
    failure = _failure(evidence, given, occurrence=occurrence, submitted=submitted)
    if left_out or redacted:
        failure = replace(failure, events_left_out=left_out, redacted=marks(redacted))
    if check is not None or admission is not None:
        failure = replace(failure, check=check, admission=admission)
    if occurrence is Occurrence.STUCK_TERMINATING and given.category != INTERNAL_CATEGORY:
        return overrule(failure, STUCK_TERMINATING, occurrence=occurrence)
    return failure if surely_fits(failure, texts) else bound(failure)


def _advised(given: Classification, check: CheckFinding) -> Classification:
    """The operator's advice where the rules have none. It has no grade: settings decide it, not evidence."""
    if given.advice is not None:
        return given
    if check.action is CheckAction.FAIL:
        return replace(given, advice=Advice.NEVER, grade=None)
    same = check.cause is CheckCause.NO_NODE_ASSIGNED
    return replace(given, advice=Advice.SAME if same else Advice.ELSEWHERE, grade=None)


def texts_of(evidence: Evidence, given: Classification) -> Texts:
    """Every text of the evidence and of the classification, in no particular order."""
    words = [given.category, given.subcategory, given.revision, *given.categories, *given.timed_out]
    messages = [given.hint] if given.hint else []
    matches = [*given.matches]
    for hypothesis in given.hypotheses:
        matches.append(hypothesis.match)
        words.append(hypothesis.refused)
    for match in matches:
        words += (match.category, match.subcategory, match.matcher, match.where, match.container)
        messages.append(match.text)
    if given.detail:
        words += [detail.value for detail in given.detail]
    return collect(evidence).also(words=words, messages=messages)


def _failure(evidence: Evidence, given: Classification, *, occurrence: Occurrence, submitted: Submission) -> Failure:
    failed = _failed(deciding_part(evidence)[0].pod.containers)
    first_name, first = (failed[0].name, failed[0].ended) if failed else ("", None)
    culprit = _culprit(evidence.pod.containers, given, failed)
    name, ended = (culprit.name, culprit.ended) if culprit else ("", None)
    return Failure(
        occurrence=occurrence,
        classification=given,
        exit_code=first.exit_code if first else None,
        termination_message=first.message if first else "",
        container_name=first_name,
        culprit_container=name,
        termination_reason=ended.reason if ended else "",
        signal=ending_signal(ended) if ended else None,
        user_code=judge_user_code(evidence.pod, name, submitted),
        pod=evidence.pod,
        pod_error=evidence.pod_error,
        node=evidence.node,
        events=evidence.events,
        stack_trace=_stack_trace(evidence, first, culprit),
        log_tails=evidence.log_tails,
        sanitized=evidence.sanitized,
        missing=evidence.missing,
        fingerprint=fingerprint(evidence, given),
        limit=reached_limit(evidence, culprit, occurrence=occurrence),
    )


def _failed(containers: tuple[Container, ...]) -> list[Container]:
    """The containers that exited with a non-zero code, app before init (their order in the status)."""
    return [
        container
        for container in containers
        if (ended := container.ended) is not None and ended.exit_code and container.kind is not ContainerKind.EPHEMERAL
    ]


def _culprit(containers: tuple[Container, ...], given: Classification, failed: list[Container]) -> Container | None:
    """The container that the primary rule matched, else the first to finish of those that failed."""
    named = given.matches[0].container if given.matches else ""
    if named:
        return next((container for container in containers if container.name == named), None)
    if not failed:
        return None
    return failed[0] if len(failed) == 1 else min(failed, key=_finished)


def _finished(container: Container) -> float:
    ended = container.ended
    return ended.finished_at.timestamp() if ended and ended.finished_at else float("inf")


def _stack_trace(evidence: Evidence, failed: ContainerState | None, culprit: Container | None) -> StackTrace | None:
    """Summarise the first long text: the culprit's termination message, the end of its log, or another's message."""
    ended = culprit.ended if culprit is not None else None
    first, other = (failed, None) if ended is None else (ended, failed)
    if first is not None and (trace := summarise_trace(first.message)):
        return trace
    for tail in evidence.log_tails:
        if culprit is not None and tail.container == culprit.name and (trace := summarise_trace(tail.text)):
            return trace
    return None if other is None or other is first else summarise_trace(other.message)


def is_worth_amending(now: Classification, *, reported: Classification) -> bool:
    """Whether a rule gives the failure another category than the reported one."""
    return now.matched and (now.category, now.subcategory) != (reported.category, reported.subcategory)
