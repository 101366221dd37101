"""What decided a failure's category, as a sentence, and who wrote the quoted text."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from agent.core.classify.followers import followers
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError, trust_in_pod_error
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.termination_message import TerminationMessage, trust_in_message
from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerState, Evidence, StateKind
from agent.core.failure import Failure, Match, Origin, Trust
from agent.core.failure_text.ending import in_brackets, named
from agent.core.failure_text.place import Reason, parts, reason_at
from agent.core.failure_text.quoting import last_line, line_below, line_with, quote
from agent.core.failure_text.signs import OCCURRENCES, condition
from agent.core.summary.internal import INTERNAL_CATEGORY, was_refused

_OVER_LIMIT = "OOMKilled"
_SAID = "said"

_SAYS_NOTHING = ": reason Error"
"""Ends a place that says no more than an exit code does."""

_OF_ENDS = frozenset({ExitCodes.NAME, Signals.NAME})


@dataclass(frozen=True, slots=True)
class Deciding:
    """The sentence; ``trust`` says who wrote the text in it."""

    sentence: str
    trust: Trust

    @property
    def marked(self) -> str:
        """The sentence and its mark, as ``...  [system]``."""
        return f"{self.sentence}  [{self.trust}]"


def deciding(failure: Failure) -> Deciding:
    """What the primary category rests on; if no rule matched, the most specific part of the status."""
    found = failure.classification
    if found.matched and found.matches:
        first = found.matches[0]
        return Deciding(_matched(first, failure).strip() or first.matcher, first.trust)
    if found.category == INTERNAL_CATEGORY:
        return _of_agent(failure)
    return _unmatched(failure)


def others(failure: Failure) -> str:
    """The containers that failed apart from the culprit: ``container b (exit 1) failed too``; empty if none did.

    Followers are named with the reason why they do not count.
    """
    following = followers(failure.pod.containers, failure.log_tails)
    said = {
        container.name: f"{named(container)}{in_brackets(state)}"
        for container in failure.pod.containers
        if container.name != failure.culprit_container
        and (state := failed(container)) is not None
        and state.exit_code is not None
    }
    too = ", ".join(text for name, text in said.items() if name not in following)
    uncounted = [f"{text} does not count: {following[name]}" for name, text in said.items() if name in following]
    return "; ".join([f"{too} failed too", *uncounted] if too else uncounted)


def last_words(failure: Failure) -> str:
    """The culprit's last output, unless the sentence has it; user text, or empty."""
    culprit = next(
        (container for container in failure.pod.containers if container.name == failure.culprit_container), None
    )
    if culprit is None or culprit.ended is None or trust_in_message(culprit.ended) is Trust.SYSTEM:
        return ""
    said = "" if failure.stack_trace is None else quote(failure.stack_trace.key_line)
    said = said or last_line(culprit.ended.message)
    return "" if said in deciding(failure).sentence else said


def _matched(match: Match, failure: Failure) -> str:
    places = parts(match)
    if len(places) > 1:
        said = _several(places, match, failure)
        return said if match.trust is Trust.SYSTEM else f"{said}: {quote(match.text)}"
    container = _container(match, failure)
    if container is not None and match.matcher in _OF_ENDS:
        return f"{named(container)} ended{_ending(container)}"
    texts = _texts(match, failure)
    if texts is None:
        return _place(match.where, match, failure)
    said = line_with(match.text, texts)
    if said.endswith(":"):
        # A heading, like that of a traceback, says less than the line below it.
        traced = "" if failure.stack_trace is None else quote(failure.stack_trace.key_line)
        said = traced or line_below(match.text, texts) or said
    return f"{_speaker(match, container)}: {said}{_ending(container)}"


def _several(places: Sequence[str], match: Match, failure: Failure) -> str:
    """What is at several places. A container is named once, and how it ended is said once."""
    significant = [place for place in dict.fromkeys(places) if not place.endswith(_SAYS_NOTHING)]
    texts = list(dict.fromkeys(_place(place, match, failure) for place in significant or places))
    container = _container(match, failure)
    subject = "" if container is None else f"{named(container)} "
    own = [text.removeprefix(subject) for text in texts if subject and text.startswith(subject)]
    if container is None or not own:
        return " and ".join(texts)
    at = next(at for at, text in enumerate(texts) if text.startswith(subject))
    others = [text for text in texts if not text.startswith(subject)]
    clauses = _clauses(own, _ending(container), is_quoted=match.trust is not Trust.SYSTEM)
    return ", and ".join([*others[:at], f"{subject}{' and '.join(clauses)}", *others[at:]])


def _clauses(own: Sequence[str], ending: str, *, is_quoted: bool) -> list[str]:
    """What follows the name of a container. That it said something is last, because the quotation follows."""
    clauses = [clause for clause in own if clause != _SAID]
    once = [*clauses[:1], *(clause.removesuffix(ending) for clause in clauses[1:])]
    return [*once, *([_SAID] if _SAID in own and (is_quoted or not once) else [])]


def _speaker(match: Match, container: Container | None) -> str:
    match match.matcher:
        case TerminationMessage.NAME | Output.NAME if container is not None and not _is_in_log(match):
            return (
                f"{named(container)} said"
                if match.trust is Trust.USER_TEXT
                else f"the runtime said of {named(container)}"
            )
        case LogTail.NAME | Output.NAME if container is not None:
            return f"the log of {named(container)} says"
        case PodError.NAME:
            return "the pod's status says"
        case NodeLog.NAME:
            return "the node's log says"
        case _:
            return match.where


def _place(place: str, match: Match, failure: Failure) -> str:
    """Describes one place: the meaning of a reason, else the rule's description of the place."""
    found = reason_at(place)
    container = _container(match, failure) if place.startswith("container ") else None
    if found is None and container is not None:
        return _of_container(place, container)
    if found is None:
        return _of_pod(place)
    return _by_container(found, container, failure) if container is not None else _by_pod(found, failure)


def _of_pod(place: str) -> str:
    """What is at a place of the pod or the node; facts about the pod begin with ``it`` or ``its``."""
    said = place.removeprefix("pod: ").replace("node: condition", "node condition")
    return re.sub(r"^it(s?) ", lambda found: "the pod's " if found[1] else "the pod ", said)


def _of_container(place: str, container: Container) -> str:
    if place.endswith((": termination message", ": log")):
        return f"{named(container)} {_SAID}"
    if ": exit code " in place or ": signal " in place:
        return f"{named(container)} ended{_ending(container)}"
    if place.endswith(": no termination message"):
        return f"{named(container)} left no message{_ending(container)}"
    return f"{place}{_ending(container)}"


def _by_container(found: Reason, container: Container, failure: Failure) -> str:
    passed = found.reason == _OVER_LIMIT and failure.classification.origin is Origin.USER
    said = "passed its memory limit" if passed else found.words.said
    if container.ended is not None:
        by_runtime = trust_in_message(container.ended) is Trust.SYSTEM
        message = _quoted(container.ended.message) if by_runtime else ""
        return f"{named(container)} {said}{in_brackets(container.ended)}{message}"
    return f"{named(container)} {said} ({found.reason}){_quoted(container.state.message)}"


def _by_pod(found: Reason, failure: Failure) -> str:
    pod = failure.pod
    of_condition = next((condition.message for condition in pod.conditions if condition.reason == found.reason), "")
    return f"the pod {found.words.said} ({found.reason}){_quoted(pod.message or of_condition)}"


def _quoted(message: str) -> str:
    return f": {quote(message)}" if message.strip() else ""


def _texts(match: Match, failure: Failure) -> list[str] | None:
    """The texts that the matcher searched; ``None`` if it does not search texts."""
    match match.matcher:
        case LogTail.NAME | Output.NAME if _is_in_log(match):
            return [tail.text for tail in failure.log_tails if tail.container == match.container]
        case TerminationMessage.NAME | Output.NAME:
            ends = [container.ended for container in failure.pod.containers if container.name == match.container]
            return [ended.message for ended in ends if ended is not None]
        case PodError.NAME:
            return [failure.pod_error]
        case PodEvents.NAME:
            return [event.message for event in failure.events]
        case NodeLog.NAME:
            return [] if failure.node is None else list(failure.node.log_lines)
        case _:
            return None


def _is_in_log(match: Match) -> bool:
    return match.where.endswith(": log")


def _container(match: Match, failure: Failure) -> Container | None:
    return next((container for container in failure.pod.containers if container.name == match.container), None)


def _ending(container: Container | None) -> str:
    return "" if container is None or container.ended is None else in_brackets(container.ended)


def _of_agent(failure: Failure) -> Deciding:
    """The agent's own finding (``internal/...``), which stands above what any rule said."""
    if was_refused(failure):
        reason = f" ({failure.pod.reason})" if failure.pod.reason else ""
        return Deciding(f"the run was refused{reason}{_quoted(failure.pod_error)}", Trust.SYSTEM)
    return Deciding(f"the pod {OCCURRENCES[failure.occurrence].said}{_waiting(failure)}", Trust.SYSTEM)


def _waiting(failure: Failure) -> str:
    for container in failure.pod.containers:
        if container.ended is None and container.state.kind is StateKind.WAITING and container.state.reason:
            return f": {named(container)} waits ({container.state.reason})"
    return ""


def _unmatched(failure: Failure) -> Deciding:
    culprit = next(
        (container for container in failure.pod.containers if container.name == failure.culprit_container), None
    )
    if culprit is not None and culprit.ended is not None:
        return _ended(culprit, culprit.ended)
    if failure.pod_error.strip():
        return Deciding(f"the pod's status says: {quote(failure.pod_error)}", trust_in_pod_error(_evidence(failure)))
    return Deciding(f"the pod {OCCURRENCES[failure.occurrence].said}{_waiting(failure)}", Trust.SYSTEM)


def _ended(container: Container, ended: ContainerState) -> Deciding:
    """How a container ended, and what it said last; if it never ran, what the runtime said of it."""
    known = condition(ended.reason)
    words = last_line(ended.message)
    if words and trust_in_message(ended) is Trust.SYSTEM:
        how = "ended" if known is None else known.said
        return Deciding(f"{named(container)} {how}{in_brackets(ended)}{_quoted(ended.message)}", Trust.SYSTEM)
    said = f" and said: {words}" if words else ""
    return Deciding(f"{named(container)} ended{in_brackets(ended)}{said}", Trust.USER_TEXT if words else Trust.SYSTEM)


def _evidence(failure: Failure) -> Evidence:
    return Evidence(pod=failure.pod, pod_error=failure.pod_error)
