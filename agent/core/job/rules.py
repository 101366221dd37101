"""Additional rules for ``podFailurePolicy``: by category, origin, grade, signal, reason and message of a failure."""

from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.classify.followers import deciding_evidence
from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.evidence import Container, Evidence
from agent.core.failure import Failure
from agent.core.job.pod import PolicyMatch
from agent.core.job.words import FAIL_JOB, IGNORE


@dataclass(frozen=True, slots=True, kw_only=True)
class OurRule:
    """One rule. Fields that are ``None`` are ignored; all others must match.

    ``reason`` is that of a pod or a container (``Evicted``, ``OOMKilled``), ``signal`` that of a container, as a
    number; ``message`` is a text in the pod's error or a termination message. ``min_grade`` is the least grade.
    """

    name: str
    action: str
    category: str | None = None
    origin: str | None = None
    min_grade: MinGrade | None = None
    signal: int | None = None
    reason: str | None = None
    message: str | None = None


def match_ours(rules: Sequence[OurRule], failure: Failure) -> PolicyMatch | None:
    """Return the result of the first matching rule for a failure, ``None`` if none matches."""
    for place, rule in enumerate(rules):
        if holds(rule, failure):
            message = f"Failure of category {failure.classification.category} matching FailJob rule {rule.name}"
            return PolicyMatch(
                counts=rule.action != IGNORE,
                action=rule.action,
                message=message if rule.action == FAIL_JOB else None,
                rule=place,
            )
    return None


def holds(rule: OurRule, failure: Failure) -> bool:
    """Return whether all conditions of a rule hold."""
    classified, evidence = failure.classification, deciding_evidence(failure)
    ended = [container for container in evidence.pod.containers if container.ended is not None]
    asked = (
        (rule.category, lambda wanted: wanted in (classified.category, *classified.categories)),
        (rule.origin, lambda wanted: wanted == classified.origin.value),
        (rule.min_grade, lambda wanted: classified.grade in wanted.grades),
        (rule.signal, lambda wanted: any(_signal(container) == wanted for container in ended)),
        (rule.reason, lambda wanted: wanted in _reasons(failure, ended)),
        (rule.message, lambda wanted: any(wanted in text for text in _messages(evidence, ended))),
    )
    return all(is_so(wanted) for wanted, is_so in asked if wanted is not None)


def _signal(container: Container) -> int | None:
    """The signal that ended a container: as reported, else by its exit code above 128."""
    ended = container.ended
    if ended is None or ended.signal:
        return None if ended is None else ended.signal
    code = ended.exit_code or 0
    return code - 128 if 128 < code <= 128 + 64 else None  # noqa: PLR2004 - how shells report signals


def _reasons(failure: Failure, ended: Sequence[Container]) -> set[str]:
    reasons = {container.ended.reason for container in ended if container.ended is not None}
    return {*reasons, failure.pod.reason}


def _messages(evidence: Evidence, ended: Sequence[Container]) -> list[str]:
    return [evidence.pod_error, *(container.ended.message for container in ended if container.ended is not None)]
