"""The scan: finds the bits of all rules in one pass over a pod's evidence."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, assert_never

from agent.core.classify.disruption import came_late
from agent.core.classify.matchers.sight import Subject, container_of
from agent.core.classify.matchers.text import AnyText
from agent.core.classify.pod_facts import is_fact
from agent.core.classify.program import NEAR, ContainerTables, Deferred, PodTables, Program
from agent.core.classify.search import Found, NotFound, TimedOut
from agent.core.evidence import Container, ContainerKind, ContainerState, Event, Evidence, Node, StateKind

_EPHEMERAL = ContainerKind.EPHEMERAL


class Ending(NamedTuple):
    """The final region of the text of a sighting, and the bits that are found in it."""

    mask: int
    text: str


class Sighting(NamedTuple):
    """Bits that were seen on one subject, and the text a backtracking search found there.

    ``ending`` is known once the sighting is weighed, where a program wrote the text.
    """

    mask: int
    subject: Subject
    text: str | None = None
    ending: Ending | None = None

    def ends_with(self, bit: int) -> bool:
        """Whether the bit is found in the final region of the text."""
        return self.ending is not None and bool(self.ending.mask & bit)


@dataclass(slots=True, kw_only=True)
class Scan:
    """All sightings in the order in which a rule reports them, the bits of matching rules, and the timeouts.

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
    if evidence.node is not None and (program.pod.node_conditions or program.pod.node_patterns):
        seen |= _scan_conditions(program.pod, evidence.node, sightings)
    if program.pod.texts:
        seen |= _scan_texts(program, evidence, sightings)
    timed_out: dict[int, str] = {}
    for deferred in program.deferred:  # the slow engine: only if the cheap matchers of the rule already match
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


def deciding_text(matcher: AnyText, sighting: Sighting, evidence: Evidence, *, bit: int) -> str:
    """The final region of a sighting's text if the bit is found in it, else the whole text."""
    if (ending := sighting.ending) is not None and ending.mask & bit:
        return ending.text
    return matcher.text_of(sighting.subject, evidence)


def satisfying(required: int, sightings: list[Sighting]) -> tuple[bool, str | None]:
    """Whether all required bits are set, container bits on the same container, and on which container."""
    in_pod = 0
    by_name: dict[str, int] = {}
    for mask, subject, *_ in sightings:
        if (name := container_of(subject)) is None:
            in_pod |= mask
        else:
            by_name[name] = by_name.get(name, 0) | mask
    missing = required & ~in_pod
    if not missing:
        return True, None
    name = next((name for name, mask in by_name.items() if missing & ~mask == 0), None)
    return name is not None, name


def _scan_containers(tables: ContainerTables, evidence: Evidence, in_error: int, sightings: list[Sighting]) -> int:
    seen = 0
    for container in evidence.pod.containers:
        hit, ended = 0, container.ended
        for numbers in tables.numbers:
            if (number := numbers.number_of(container)) is not None:
                hit |= numbers.near[number] if 0 <= number < NEAR else numbers.far(number)
        if ended is not None and ended.exit_code == 0:
            hit |= tables.ended_cleanly.get(ended.reason, 0)
        elif ended is not None:
            hit |= _failed_bits(tables, container, ended)
            if tables.messages is not None and ended.message:
                hit |= tables.messages.match(ended.message, error=evidence.pod_error, in_error=in_error)
        if tables.waiting and container.state.kind is StateKind.WAITING and container.kind is not _EPHEMERAL:
            hit |= tables.waiting.get(container.state.reason, 0)
        if hit and (hit := hit & tables.scope(container.name)):
            sightings.append(Sighting(hit, container))
            seen |= hit
    return seen


def _failed_bits(tables: ContainerTables, container: Container, ended: ContainerState) -> int:
    hit = tables.ended.get(ended.reason, 0) | tables.kinds.get(container.kind, 0)
    if not ended.message:
        hit |= tables.ended_silently
    return hit


def _scan_pod(tables: PodTables, evidence: Evidence, in_error: int, sightings: list[Sighting]) -> int:
    pod = evidence.pod
    hit = _reason_bits(tables, pod.reason) if pod.reason else 0
    if tables.conditions:
        for condition in pod.conditions:
            # a disruption set after the pod had ended by itself is not the cause
            bits = tables.conditions.mask((condition.type, condition.status), condition.reason)
            if bits and not came_late(condition, pod):
                hit |= bits
    hit |= _fact_bits(tables, evidence)
    if tables.event_reasons:
        for event in evidence.events:
            hit |= tables.event_reasons.get(event.reason, 0)
    if in_error and tables.errors is not None:
        hit |= in_error & tables.errors.own
    if hit:
        sightings.append(Sighting(hit, None))
    return hit


def _fact_bits(tables: PodTables, evidence: Evidence) -> int:
    hit = 0
    for fact, mask in tables.facts:
        if is_fact(fact, evidence):
            hit |= mask
    for matcher, mask in tables.asked:
        if matcher.matches(evidence):
            hit |= mask
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


def _scan_conditions(tables: PodTables, node: Node, sightings: list[Sighting]) -> int:
    seen = 0
    for condition in node.conditions:
        key = condition.type, condition.status
        hit = tables.node_conditions.mask(key, condition.reason)
        for wanted, bit in tables.node_patterns.get(key, ()):
            hit |= bit if wanted.matches(condition) else 0
        if hit:
            sightings.append(Sighting(hit, condition))
            seen |= hit
    return seen


def _scan_texts(program: Program, evidence: Evidence, sightings: list[Sighting]) -> int:
    seen = 0
    for kind, patterns in program.pod.texts:
        for subject, text in kind.texts(evidence):
            hit = patterns.match(text)
            if hit and (name := container_of(subject)) is not None:
                hit &= program.containers.scope(name)
            if hit:
                sightings.append(Sighting(hit, subject))
                seen |= hit
    return seen


def _search(deferred: Deferred, evidence: Evidence, sightings: list[Sighting], timed_out: dict[int, str]) -> int:
    seen = 0
    for subject, text in deferred.matcher.searched(deferred.atom.container, evidence):
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
