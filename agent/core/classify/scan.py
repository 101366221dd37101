"""The scan: one pass over a pod's evidence that finds the bits of all rules at once (performance.md 3e)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from agent.core.classify.disruption import came_late
from agent.core.classify.pod_facts import is_fact
from agent.core.classify.program import ContainerTables, Deferred, Gate, PodTables, Program, TextMatcher
from agent.core.classify.rules import LogTail, NodeLog, PodError, PodEvents, TerminationMessage
from agent.core.classify.search import Found, NotFound, TimedOut
from agent.core.classify.signs import failed
from agent.core.evidence import Condition, Container, ContainerKind, Event, Evidence, Node, StateKind
from agent.core.evidence import LogTail as Tail
from agent.core.exit_status import ending_signal

_EPHEMERAL = ContainerKind.EPHEMERAL

Subject = Container | Condition | Event | Tail | str | None
"""What a bit was seen on: a container, a node's condition, an event, a log tail, a line of the node's log; ``None``
is the pod itself."""


class Sighting(NamedTuple):
    """Bits that were seen on one subject, and the text a backtracking search found there."""

    mask: int
    subject: Subject
    text: str | None = None


@dataclass(slots=True, kw_only=True)
class Scan:
    """All sightings, in the order a rule reports them, the bits of the rules that match, and why others timed out.

    ``timed_out`` is keyed by bit.
    """

    sightings: list[Sighting]
    matched: int
    timed_out: dict[int, str]


def scan(program: Program, evidence: Evidence) -> Scan:
    """Find the bits of all rules in one pass over the evidence."""
    sightings: list[Sighting] = []
    errors = program.pod.errors
    in_error = errors.patterns.match(evidence.pod_error) if errors is not None else 0
    seen = 0
    if evidence.pod.containers:
        seen |= _scan_containers(program.containers, evidence, in_error, sightings)
    seen |= _scan_pod(program.pod, evidence, in_error, sightings)
    if evidence.events:
        seen |= _scan_events(program.pod, evidence.events, sightings)
    if evidence.node is not None:
        seen |= _scan_node(program.pod, evidence.node, sightings)
    if evidence.log_tails:
        seen |= _scan_tails(program, evidence.log_tails, sightings)
    timed_out: dict[int, str] = {}
    for deferred in program.deferred:  # the slow engine: only where the cheap matchers beside it hold already
        if deferred.needs & ~seen == 0:
            seen |= _search(deferred, evidence, sightings, timed_out)
    matched = seen & program.rule_mask
    if triggered := seen & program.triggers:
        matched |= _conjoin(program, triggered, sightings)
    return Scan(sightings=sightings, matched=matched, timed_out=timed_out)


def bits(mask: int) -> Iterator[int]:
    """The numbers of the bits set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def container_of(subject: Subject) -> str | None:
    """The name of the container a subject belongs to."""
    if isinstance(subject, Container):
        return subject.name
    return subject.container if isinstance(subject, Tail) else None


def satisfying(required: int, sightings: list[Sighting]) -> tuple[bool, str | None]:
    """Whether all required bits are there, those seen on containers on one and the same; and on which."""
    in_pod = 0
    by_name: dict[str, int] = {}
    for mask, subject, _ in sightings:
        if (name := container_of(subject)) is None:
            in_pod |= mask
        else:
            by_name[name] = by_name.get(name, 0) | mask
    missing = required & ~in_pod
    if not missing:
        return True, None
    name = next((name for name, mask in by_name.items() if missing & ~mask == 0), None)
    return name is not None, name


def texts(matcher: TextMatcher, container: str | None, evidence: Evidence) -> Iterator[tuple[Subject, str]]:
    """Every text the matcher searches, with what it belongs to; empty ones are left out."""
    return ((subject, text) for subject, text in _all_texts(matcher, container, evidence) if text)


def _all_texts(matcher: TextMatcher, container: str | None, evidence: Evidence) -> Iterable[tuple[Subject, str]]:
    match matcher:
        case TerminationMessage():
            ends = ((one, failed(one)) for one in evidence.pod.containers if container in (None, one.name))
            return ((one, ended.message) for one, ended in ends if ended is not None)
        case PodError():
            return ((None, evidence.pod_error),)
        case PodEvents(type=kind, reason=reason):
            wanted = (one for one in evidence.events if one.type == kind and reason in (None, one.reason))
            return ((event, event.message) for event in wanted)
        case NodeLog():
            return ((line, line) for line in (evidence.node.log_lines if evidence.node else ()))
        case LogTail():
            return ((tail, tail.text) for tail in evidence.log_tails if container in (None, tail.container))
        case _:
            assert_never(matcher)


def _scan_containers(tables: ContainerTables, evidence: Evidence, in_error: int, sightings: list[Sighting]) -> int:
    seen = 0
    for container in evidence.pod.containers:
        hit = _ended_bits(tables, container)
        if tables.messages is not None and (ended := failed(container)) is not None and ended.message:
            hit |= tables.messages.match(ended.message, error=evidence.pod_error, in_error=in_error)
        if tables.waiting and container.state.kind is StateKind.WAITING and container.kind is not _EPHEMERAL:
            hit |= tables.waiting.get(container.state.reason, 0)
        if hit and (hit := hit & tables.scope(container.name)):
            sightings.append(Sighting(hit, container))
            seen |= hit
    return seen


def _ended_bits(tables: ContainerTables, container: Container) -> int:
    ended = container.ended
    if ended is None:
        return 0
    code = ended.exit_code
    if code == 0:
        return tables.ended_cleanly.get(ended.reason, 0)
    hit = tables.ended.get(ended.reason, 0) | tables.kinds.get(container.kind, 0)
    if not ended.message:
        hit |= tables.ended_silently
    if code is not None:
        hit |= tables.exits.mask(code)
    if tables.signals and (signal := ending_signal(ended)) is not None:
        hit |= tables.signals.get(signal, 0)
    return hit


def _scan_pod(tables: PodTables, evidence: Evidence, in_error: int, sightings: list[Sighting]) -> int:
    pod = evidence.pod
    hit = _reason_bits(tables, pod.reason) if pod.reason else 0
    if tables.conditions:
        for condition in pod.conditions:
            # set after the pod had ended by itself, a disruption is no cause
            bits = tables.conditions.mask((condition.type, condition.status), condition.reason)
            if bits and not came_late(condition, pod):
                hit |= bits
    for fact, mask in tables.facts:
        if is_fact(fact, evidence):
            hit |= mask
    if tables.event_reasons:
        for event in evidence.events:
            hit |= tables.event_reasons.get(event.reason, 0)
    if in_error and tables.errors is not None:
        hit |= in_error & tables.errors.own
    if hit:
        sightings.append(Sighting(hit, None))
    return hit


def _reason_bits(tables: PodTables, reason: str) -> int:
    hit = tables.reasons.get(reason, 0)
    for prefix, mask in tables.reason_prefixes:
        if reason.startswith(prefix) and reason != prefix:
            hit |= mask
    return hit


def _scan_events(tables: PodTables, events: tuple[Event, ...], sightings: list[Sighting]) -> int:
    patterns, gate, seen = tables.events, tables.event_gate, 0
    if patterns is None:
        return 0
    for event in events:
        if (open_for := gate.mask(event.type, event.reason)) and (hit := patterns.match(event.message) & open_for):
            sightings.append(Sighting(hit, event))
            seen |= hit
    return seen


def _scan_node(tables: PodTables, node: Node, sightings: list[Sighting]) -> int:
    seen = _scan_conditions(tables.node_conditions, node, sightings) if tables.node_conditions else 0
    if tables.node_lines is not None:
        for line in node.log_lines:
            if hit := tables.node_lines.match(line):
                sightings.append(Sighting(hit, line))
                seen |= hit
    return seen


def _scan_conditions(gate: Gate[tuple[str, str]], node: Node, sightings: list[Sighting]) -> int:
    seen = 0
    for condition in node.conditions:
        if hit := gate.mask((condition.type, condition.status), condition.reason):
            sightings.append(Sighting(hit, condition))
            seen |= hit
    return seen


def _scan_tails(program: Program, tails: tuple[Tail, ...], sightings: list[Sighting]) -> int:
    patterns, seen = program.pod.tails, 0
    if patterns is None:
        return 0
    for tail in tails:
        if hit := patterns.match(tail.text) & program.containers.scope(tail.container):
            sightings.append(Sighting(hit, tail))
            seen |= hit
    return seen


def _search(deferred: Deferred, evidence: Evidence, sightings: list[Sighting], timed_out: dict[int, str]) -> int:
    seen = 0
    for subject, text in texts(deferred.matcher, deferred.atom.container, evidence):
        answer = deferred.search.search(text)
        match answer:
            case Found(start=start, end=end):
                sightings.append(Sighting(deferred.bit, subject, text[start:end]))
                seen = deferred.bit
                if not deferred.every:
                    break
            case TimedOut(why=why):
                timed_out[deferred.bit] = why
            case NotFound():
                continue
            case _:
                assert_never(answer)
    return seen


def _conjoin(program: Program, triggered: int, sightings: list[Sighting]) -> int:
    matched = 0
    for bit in bits(triggered):
        conjunction = program.conjunctions[bit]
        if satisfying(conjunction.required, sightings)[0]:
            matched |= conjunction.rule
    return matched
