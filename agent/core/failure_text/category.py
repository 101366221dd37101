"""Describes a failure's category."""

from typing import Final

from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.signals import Signals
from agent.core.failure import Classification, Failure
from agent.core.failure_text.ending import signal_name
from agent.core.failure_text.place import words_for
from agent.core.failure_text.signs import OCCURRENCES, condition
from agent.core.summary.internal import INTERNAL_CATEGORY, was_refused

_ABBREVIATIONS: Final = frozenset(
    {
        *("api", "cni", "cpu", "cuda", "dcgm", "dns", "ecc", "efa", "gpu", "gsp", "hdfs", "http", "imex", "io", "mig"),
        *("mps", "nccl", "nfs", "oom", "pid", "rccl", "shm", "sql", "tcp", "tls", "ucx", "vm"),
    }
)
"""Words of the names of categories that people write in capitals."""


def leaf(category: str, subcategory: str) -> str:
    """``category/subcategory``, or the category alone."""
    return f"{category}/{subcategory}" if subcategory else category


def in_words(failure: Failure) -> str:
    """``out of memory (memory/limit)``: the description, then the category as in the rule file."""
    found = failure.classification
    named = leaf(found.category, found.subcategory) if found.matched else "no rule matched"
    words = _words(failure)
    return words if not named else named if words.lower() == named else f"{words} ({named})"


def _words(failure: Failure) -> str:
    found = failure.classification
    if not found.matched:
        return _from_status(failure)
    if found.category == INTERNAL_CATEGORY:
        return "refused before it had a pod" if was_refused(failure) else OCCURRENCES[failure.occurrence].name
    return _from_match(found) or _humanised(found) or OCCURRENCES[failure.occurrence].name


def _from_match(found: Classification) -> str:
    if not found.matches:
        return ""
    first = found.matches[0]
    words = words_for(first)
    if words is not None:
        return words.name
    if first.matcher == ExitCodes.NAME:
        return f"exit code {first.text}"
    if first.matcher == Signals.NAME and first.text.isdecimal():
        return f"ended by {signal_name(int(first.text))}"
    return ""


def _from_status(failure: Failure) -> str:
    """The most specific part of the status, for a failure that no rule matched."""
    waiting = (container.state.reason for container in failure.pod.containers if container.ended is None)
    for reason in (failure.pod.reason, failure.termination_reason, *waiting):
        if (words := condition(reason)) is not None:
            return words.name
    return f"exit code {failure.exit_code}" if failure.exit_code else OCCURRENCES[failure.occurrence].name


def _humanised(found: Classification) -> str:
    named = f"{found.category} {found.subcategory}" if found.subcategory else found.category
    words = named.replace("_", " ").replace("-", " ").split()
    return " ".join(word.upper() if word in _ABBREVIATIONS else word for word in words)
