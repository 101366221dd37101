"""Words of the pod's spec in messages of the runtime: whoever writes the spec chooses them.

A runtime that cannot start a container quotes the command, the working directory or a mount. These messages are the
system's for all else, so only a condition that a Job may ignore is asked again without what they quote.
"""

from typing import Final

from msgspec.structs import replace

from agent.core.admission.conditions import withheld
from agent.core.classify.classifier import Classifier
from agent.core.classify.grade import BLAMED
from agent.core.classify.matchers.pod_error import joined_errors
from agent.core.classify.matchers.termination_message import RUNTIME_REASONS
from agent.core.evidence import Container, Evidence
from agent.core.failure import Classification

_QUOTES: Final = ('"', "`")
"""Those of runc and containerd, and those of crun. An apostrophe may be one in a word."""

_LONGEST: Final = 8_192
_MOST: Final = 64
"""A message that is longer, or quotes more, is no usual one, and searching it takes long."""


def blames_by_quotes(classifier: Classifier, evidence: Evidence, given: Classification) -> bool:
    """Whether a proof that infrastructure is to blame is gone without what the runtime quotes."""
    if given.origin not in BLAMED or (rest := without_quotes(evidence)) is evidence:
        return False
    other = classifier.classify_early(rest, logs=()).given
    return withheld(other) is not None or (other.category, other.origin) != (given.category, given.origin)


def without_quotes(evidence: Evidence) -> Evidence:
    """The evidence without what messages of the runtime quote; the same evidence if they quote nothing."""
    before = evidence.pod.containers
    after = tuple(map(_without, before))
    if after == before:
        return evidence
    error = evidence.pod_error
    if error == joined_errors(before):
        error = joined_errors(after)
    return replace(evidence, pod=replace(evidence.pod, containers=after), pod_error=error)


def _without(container: Container) -> Container:
    ended = container.ended
    if ended is None or ended.reason not in RUNTIME_REASONS:
        return container
    return replace(container, ended=replace(ended, message=unquoted(ended.message)))


def unquoted(message: str) -> str:
    """A message without what it quotes, also where the same words stand without quotes.

    Empty where it is not certain what is quoted: a quote has no end, or may be a part of the words (a backslash).
    """
    quoted: set[str] = set()
    for quote in _QUOTES:
        parts = message.split(quote)
        if len(parts) % 2 == 0:
            return ""
        quoted.update(parts[1::2])
    if len(message) > _LONGEST or len(quoted) > _MOST or (quoted and "\\" in message):
        return ""
    for words in sorted(quoted - {""}, key=len, reverse=True):
        message = message.replace(words, "")
    return message
