"""What a job says itself of its retries."""

from collections.abc import Mapping

ANNOTATIONS = (
    "armadaproject.io/retry-policy",
    "armadaproject.io/retry-policies",
    "armadaproject.io/retryPolicies",
)
"""Annotations in which a job names additional policies, separated by commas."""

FAIL_FAST = "armadaproject.io/failFast"
"""Annotation: ``"true"`` if the job must never be retried."""


def annotated(annotations: Mapping[str, str | None]) -> tuple[str, ...]:
    """The policies that a job's annotations name, in order, each once."""
    given = [text for key in ANNOTATIONS if (text := annotations.get(key))]
    return named(",".join(given)) if given else ()


def fails_fast(annotations: Mapping[str, str | None]) -> bool:
    """Whether a job asks never to be retried."""
    return annotations.get(FAIL_FAST) == "true"


def named(text: str) -> tuple[str, ...]:
    """The policies that a text names, separated by commas, in order, each once."""
    written = (name.strip() for name in text.split(","))
    return tuple(dict.fromkeys(name for name in written if name))
