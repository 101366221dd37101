"""What matched, where, and who wrote it: a sighting in words, made for rules that matched only."""

from typing import NamedTuple, assert_never

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.pattern import compile_pattern, find
from agent.core.classify.program import Program, TextMatcher
from agent.core.classify.rules import MATCHER_NAMES, Conditions, ExitCodes, Signals, SingleMatcher
from agent.core.classify.scan import Scan, Sighting, container_of, satisfying
from agent.core.classify.signs import Seen, failed
from agent.core.evidence import Condition, Container, ContainerState, Event, Evidence
from agent.core.evidence import LogTail as Tail
from agent.core.exit_status import ending_signal
from agent.core.failure import Match, Trust

RUNTIME_REASONS = frozenset({"StartError", "ContainerCannotRun", "ContainerStatusUnknown"})
"""Termination reasons whose message the runtime or the kubelet wrote, not the process in the container.

Such a message may quote the pod's spec, as the command that could not be run.
"""

_QUOTING_WAITS = frozenset({"PostStartHookError"})
"""Reasons of waiting containers whose message holds what the container's own hook said."""


class _Part(NamedTuple):
    """What one matcher saw."""

    where: str
    text: str
    trust: Trust = Trust.SYSTEM
    container: str = ""


def describe(program: Program, number: int, scan: Scan, evidence: Evidence) -> Match:
    """Say what made the rule of this number match; of several places, the first. The rule must have matched."""
    entry = program.rules[number]
    where, text, trust, container = _seen_by(program, number, scan, evidence)
    return Match(
        category=entry.category.name,
        subcategory=entry.rule.subcategory,
        rule_index=entry.index,
        matcher=MATCHER_NAMES[type(entry.rule.matcher)],
        where=where,
        text=text,
        trust=trust,
        container=container,
    )


def trust_in_message(ended: ContainerState) -> Trust:
    """Who wrote a termination message: what ran in the container, unless the runtime says it never ran."""
    return Trust.SYSTEM if ended.reason in RUNTIME_REASONS else Trust.USER_TEXT


def trust_in_pod_error(evidence: Evidence) -> Trust:
    """Who wrote the pod's error: the platform, where it is the pod's own message or quotes no container's text.

    Where no container failed it is what conditions and waiting containers say; of a bare message nobody knows.
    """
    pod = evidence.pod
    if pod.message:
        return Trust.SYSTEM
    ends = [ended for container in pod.containers if (ended := failed(container)) is not None]
    known = bool(ends or pod.conditions or pod.containers)
    quotes = any(ended.message and trust_in_message(ended) is not Trust.SYSTEM for ended in ends) or any(
        container.state.reason in _QUOTING_WAITS for container in pod.containers
    )
    return Trust.SYSTEM if known and not quotes else Trust.USER_TEXT


def _seen_by(program: Program, number: int, scan: Scan, evidence: Evidence) -> _Part:
    """What the rule's matcher saw; what each one saw, together, if it is an ``allOf``."""
    atom = program.atoms[number]
    if atom is not None:
        return _part(atom.matcher, _first(scan.sightings, bit=1 << number, container=None), evidence)
    numbers = program.parts[number]
    _, container = satisfying(sum(1 << bit for bit in numbers), scan.sightings)
    parts = [
        _part(atom.matcher, _first(scan.sightings, bit=1 << bit, container=container), evidence)
        for bit in numbers
        if (atom := program.atoms[bit]) is not None
    ]
    trusted = all(part.trust is Trust.SYSTEM for part in parts)
    return _Part(
        where="; ".join(part.where for part in parts),
        text="; ".join(part.text for part in parts),
        trust=Trust.SYSTEM if trusted else Trust.USER_TEXT,
        container=container or "",
    )


def _first(sightings: list[Sighting], *, bit: int, container: str | None) -> Sighting:
    """The first sighting of the bit in the pod, or in the one container if one is given."""
    for sighting in sightings:
        if sighting.mask & bit and (container is None or container_of(sighting.subject) in (None, container)):
            return sighting
    raise ValueError("a rule that matched was not seen anywhere")


def _part(matcher: SingleMatcher, sighting: Sighting, evidence: Evidence) -> _Part:
    match sighting.subject:
        case Container() as container:
            return _on_container(matcher, container, sighting)
        case Tail(container=name, text=text):
            found = _text(matcher, sighting, text)
            return _Part(where=f"container {name}: log", text=found, trust=Trust.USER_TEXT, container=name)
        case Condition(type=kind, status=status, reason=reason):
            because = f", reason {reason}" if reason else ""
            return _Part(where=f"node: condition {kind} is {status}{because}", text=reason or kind)
        case Event(type=kind, reason=reason, message=message):
            return _Part(where=f"event {reason or 'without reason'} ({kind})", text=_text(matcher, sighting, message))
        case str() as line:
            return _Part(where="node: log", text=_text(matcher, sighting, line))
        case None:
            return _on_pod(matcher, sighting, evidence)
        case _:
            assert_never(sighting.subject)


def _on_pod(matcher: SingleMatcher, sighting: Sighting, evidence: Evidence) -> _Part:
    if isinstance(matcher, Conditions):
        conditions = (CONDITIONS[name] for name in matcher.names)
        return _seen(next((seen for one in conditions if (seen := one.see_in_pod(evidence))), None))
    text = _text(matcher, sighting, evidence.pod_error)
    return _Part(where="pod: error", text=text, trust=trust_in_pod_error(evidence))


def _on_container(matcher: SingleMatcher, container: Container, sighting: Sighting) -> _Part:
    ended = container.ended
    if isinstance(matcher, Conditions):
        conditions = (CONDITIONS[name] for name in matcher.names)
        seen = next((seen for one in conditions if (seen := one.see_in_container(container))), None)
        return _seen(seen, container=container.name)
    if ended is None:
        raise ValueError(f"{MATCHER_NAMES[type(matcher)]} cannot match container {container.name}: it has not ended")
    where = f"container {container.name}:"
    if isinstance(matcher, ExitCodes):
        return _Part(where=f"{where} exit code {ended.exit_code}", text=str(ended.exit_code), container=container.name)
    if isinstance(matcher, Signals):
        signal = ending_signal(ended)
        return _Part(where=f"{where} signal {signal}", text=str(signal), container=container.name)
    return _Part(
        where=f"{where} termination message",
        text=_text(matcher, sighting, ended.message),
        trust=trust_in_message(ended),
        container=container.name,
    )


def _seen(seen: Seen | None, *, container: str = "") -> _Part:
    if seen is None:
        raise ValueError("a condition whose bit is set is not to be seen")
    return _Part(where=seen.where, text=seen.text, container=container)


def _text(matcher: SingleMatcher, sighting: Sighting, searched: str) -> str:
    """What matched: as the search said, else found again by the rule's own pattern."""
    if sighting.text is not None:
        return sighting.text
    if not isinstance(matcher, TextMatcher):
        raise TypeError(f"{MATCHER_NAMES[type(matcher)]} searches no text")
    return find(compile_pattern(matcher.pattern.text), searched) or ""
