"""Summary: evidence and classification become a failure that may be kept.

Order as design 8 says: what comes in is stripped and classified; here it is redacted, then bounded.
"""

from collections.abc import Iterator
from datetime import timedelta

from msgspec.structs import replace

from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence
from agent.core.exit_status import ending_signal
from agent.core.failure import (
    Advice,
    CheckAction,
    CheckCause,
    CheckFinding,
    Classification,
    Failure,
    Occurrence,
    StackTrace,
)
from agent.core.summary.bounds import bound, marks, surely_fits
from agent.core.summary.internal import INTERNAL_CATEGORY, STUCK_TERMINATING, decided, overrule
from agent.core.summary.redaction import Redactor, redact
from agent.core.summary.stack_trace import summarise_trace
from agent.core.summary.submission import Submission
from agent.core.summary.texts import Texts, collect
from agent.core.summary.user_code import judge_user_code

EVENTS = 10
"""How many events a failure carries; the rest is counted (seed "Enhanced failure debug info")."""

AMEND_WITHIN = timedelta(seconds=30)
"""How long after it was reported a failure may be amended, once."""


def summarise(
    evidence: Evidence,
    classification: Classification,
    *,
    occurrence: Occurrence,
    submitted: Submission,
    redactor: Redactor,
    check: CheckFinding | None = None,
) -> Failure:
    """The failure to keep, redacted and within bounds.

    An occurrence that the system itself decides gets its internal category where no rule matched; one that cannot be
    torn down always does (reference/armada-today.md 1.5). What a ``check`` from settings found is the operator's
    finding: it keeps the rules' category, whichever that is, and advises where the rule does not.
    """
    left_out = max(len(evidence.events) - EVENTS, 0)
    if left_out:
        evidence = replace(evidence, events=evidence.events[:EVENTS])
    given = _advised(classification, check) if check else decided(classification, occurrence)
    texts = _texts(evidence, given)
    redacted: tuple[str, ...] = ()
    # quoted messages are searched once, unless a rule depends on where a line starts or ends
    if redactor.finds(texts.joined if redactor.minds_lines else texts.once):
        evidence, given, redacted = redact(evidence, given, redactor)
        texts = _texts(evidence, given)
    failure = _failure(evidence, given, occurrence=occurrence, submitted=submitted)
    if left_out or redacted:
        failure = replace(failure, events_left_out=left_out, redacted=marks(redacted))
    if check is not None:
        failure = replace(failure, check=check)
    if occurrence is Occurrence.STUCK_TERMINATING and given.category != INTERNAL_CATEGORY:
        return overrule(failure, STUCK_TERMINATING, occurrence=occurrence)
    return failure if surely_fits(failure, texts) else bound(failure)


def _advised(given: Classification, check: CheckFinding) -> Classification:
    if given.advice is not None:
        return given
    if check.action is CheckAction.FAIL:
        return replace(given, advice=Advice.NEVER)
    return replace(given, advice=Advice.SAME if check.cause is CheckCause.NO_NODE_ASSIGNED else Advice.ELSEWHERE)


def _texts(evidence: Evidence, given: Classification) -> Texts:
    words = [given.category, given.subcategory, given.revision, *given.categories, *given.timed_out]
    messages = [given.hint] if given.hint else []
    for match in given.matches:
        words += (match.category, match.subcategory, match.matcher, match.where, match.container)
        messages.append(match.text)
    return collect(evidence).also(words=words, messages=messages)


def _failure(evidence: Evidence, given: Classification, *, occurrence: Occurrence, submitted: Submission) -> Failure:
    containers = evidence.pod.containers
    failed = next(_failed(containers), None)
    culprit = _culprit(containers, given)
    name, ended = (culprit.name, culprit.ended) if culprit else ("", None)
    return Failure(
        occurrence=occurrence,
        classification=given,
        exit_code=failed[1].exit_code if failed else None,
        termination_message=failed[1].message if failed else "",
        container_name=failed[0].name if failed else "",
        culprit_container=name,
        termination_reason=ended.reason if ended else "",
        signal=ending_signal(ended) if ended else None,
        user_code=judge_user_code(evidence.pod, name, submitted),
        pod=evidence.pod,
        pod_error=evidence.pod_error,
        node=evidence.node,
        events=evidence.events,
        stack_trace=_stack_trace(evidence, failed[1] if failed else None, ended, name),
        log_tails=evidence.log_tails,
        sanitized=evidence.sanitized,
        missing=evidence.missing,
    )


def _failed(containers: tuple[Container, ...]) -> Iterator[tuple[Container, ContainerState]]:
    """The containers that ended with a code other than 0, app before init (the order they stand in)."""
    for container in containers:
        ended = container.ended
        if ended is not None and ended.exit_code and container.kind is not ContainerKind.EPHEMERAL:
            yield container, ended


def _culprit(containers: tuple[Container, ...], given: Classification) -> Container | None:
    """The container that the primary rule matched, else the first to finish of those that failed."""
    named = given.matches[0].container if given.matches else ""
    if named:
        return next((container for container in containers if container.name == named), None)
    failed = [container for container, _ in _failed(containers)]
    return min(failed, key=_finished, default=None)


def _finished(container: Container) -> float:
    ended = container.ended
    return ended.finished_at.timestamp() if ended and ended.finished_at else float("inf")


def _stack_trace(
    evidence: Evidence, failed: ContainerState | None, culprit: ContainerState | None, name: str
) -> StackTrace | None:
    """Of the first long text among: termination message, the culprit's, the end of the culprit's log."""
    for state in (failed, None if culprit is failed else culprit):
        if state is not None and (trace := summarise_trace(state.message)):
            return trace
    logs = (tail.text for tail in evidence.log_tails if tail.container == name)
    return next((trace for text in logs if (trace := summarise_trace(text))), None)


def is_worth_amending(now: Classification, *, reported: Classification) -> bool:
    """Whether a rule gives the failure another category than was reported."""
    return now.matched and (now.category, now.subcategory) != (reported.category, reported.subcategory)
