"""Why each rule did or did not match, in plain words; made when somebody asks."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import assert_never

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.description import describe
from agent.core.classify.program import Atom, Program, TextMatcher
from agent.core.classify.rules import (
    MATCHER_NAMES,
    AllOf,
    Conditions,
    ExitCodes,
    LogTail,
    NodeConditions,
    NodeLog,
    PodError,
    PodEvents,
    Signals,
    TerminationMessage,
)
from agent.core.classify.scan import Scan, texts
from agent.core.classify.signs import Scope, failed
from agent.core.evidence import Container, Evidence
from agent.core.exit_status import ending_signal
from agent.core.failure import Match


class RuleOutcome(StrEnum):
    """What came of looking at one rule."""

    MATCHED = "matched"
    NOT_MATCHED = "not matched"
    TIMED_OUT = "timed out"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consideration:
    """One rule that was looked at: what came of it, and why.

    ``rule_index`` counts from 0 within the category; ``match`` is there where the rule matched.
    """

    category: str
    subcategory: str = ""
    rule_index: int
    matcher: str
    outcome: RuleOutcome
    why: str
    match: Match | None = None


def consider(program: Program, number: int, scan: Scan, evidence: Evidence) -> Consideration:
    """Say what came of the rule of this number in a scan of the evidence, and why."""
    entry = program.rules[number]
    match = describe(program, number, scan, evidence) if scan.matched >> number & 1 else None
    outcome, why = (RuleOutcome.MATCHED, _found(match)) if match else _miss(program, number, scan, evidence)
    return Consideration(
        category=entry.category.name,
        subcategory=entry.rule.subcategory,
        rule_index=entry.index,
        matcher=MATCHER_NAMES[type(entry.rule.matcher)],
        outcome=outcome,
        why=why,
        match=match,
    )


def _found(match: Match) -> str:
    return f'{match.where}: "{match.text}"'


def _miss(program: Program, number: int, scan: Scan, evidence: Evidence) -> tuple[RuleOutcome, str]:
    parts = program.parts[number]
    late = [scan.timed_out[1 << bit] for bit in parts if 1 << bit in scan.timed_out]
    if late:
        return RuleOutcome.TIMED_OUT, late[0]
    if not isinstance(program.rules[number].rule.matcher, AllOf):
        atom = program.atoms[number]
        return RuleOutcome.NOT_MATCHED, "" if atom is None else _why_not(atom, evidence)
    return RuleOutcome.NOT_MATCHED, _why_not_all(program, parts, scan, evidence)


def _why_not_all(program: Program, parts: tuple[int, ...], scan: Scan, evidence: Evidence) -> str:
    if not parts:
        return "an allOf without matchers never matches"
    seen = 0
    for sighting in scan.sightings:
        seen |= sighting.mask
    absent = [bit for bit in parts if not seen >> bit & 1]
    if not absent:
        return f"all {len(parts)} matchers hold, but not for one and the same container"
    reasons = [
        f"{MATCHER_NAMES[type(atom.matcher)]}: {_why_not(atom, evidence)}"
        for bit in absent
        if (atom := program.atoms[bit]) is not None
    ]
    return f"{len(parts) - len(absent)} of {len(parts)} matchers hold; {'; '.join(reasons)}"


def _why_not(atom: Atom, evidence: Evidence) -> str:
    matcher = atom.matcher
    match matcher:
        case ExitCodes() | Signals():
            return _why_not_end(matcher, atom.container, evidence)
        case Conditions():
            return _why_not_condition(matcher, atom.container, evidence)
        case NodeConditions():
            return _why_not_node_condition(matcher, evidence)
        case TerminationMessage() | PodError() | PodEvents() | NodeLog() | LogTail():
            searched = sum(1 for _ in texts(matcher, atom.container, evidence))
            return _why_not_text(matcher, atom.container, evidence, searched=searched)
        case _:
            assert_never(matcher)


def _ended(container: str | None, evidence: Evidence) -> tuple[list[Container], str]:
    """The containers a rule may look at, or why there are none."""
    ended = [one for one in evidence.pod.containers if failed(one) is not None]
    if not ended:
        return [], "no container ended with a code other than 0"
    wanted = [one for one in ended if container in (None, one.name)]
    if not wanted:
        return [], f"container {container} did not end with a code other than 0, only {_names(ended)} did"
    return wanted, ""


def _why_not_end(matcher: ExitCodes | Signals, container: str | None, evidence: Evidence) -> str:
    ended, why = _ended(container, evidence)
    if why:
        return why
    ends = [(one.name, state) for one in ended if (state := failed(one)) is not None]
    if isinstance(matcher, Signals):
        by = ((name, ending_signal(state)) for name, state in ends)
        got = (f"{name} by {'no signal' if signal is None else f'signal {signal}'}" for name, signal in by)
        return f"no container was ended by signal {_listed(matcher.values)}: {', '.join(got)}"
    codes = ((name, state.exit_code) for name, state in ends)
    got = (f"{name} with {'an unknown code' if code is None else code}" for name, code in codes)
    return f"no exit code is {matcher.operator} {_listed(matcher.values)}: {', '.join(got)}"


def _why_not_condition(matcher: Conditions, container: str | None, evidence: Evidence) -> str:
    pod = evidence.pod
    facts = [f"the pod's reason is {pod.reason}" if pod.reason else "the pod has no reason"]
    for one in pod.containers:
        state = one.ended or one.state
        facts.append(f"container {one.name} is {state.kind}{f' ({state.reason})' if state.reason else ''}")
    limited = container is not None and any(CONDITIONS[name].scope is Scope.CONTAINER for name in matcher.names)
    where = f" for container {container}" if limited else ""
    return f"{' or '.join(matcher.names)} does not hold{where}: {', '.join(facts)}"


def _why_not_node_condition(matcher: NodeConditions, evidence: Evidence) -> str:
    if evidence.node is None:
        return "nothing is known of the node"
    wanted = (f"{one.type} {one.status}{f' ({one.reason})' if one.reason else ''}" for one in matcher.any_of)
    kinds = {one.type for one in matcher.any_of}
    same = [one for one in evidence.node.conditions if one.type in kinds]
    got = (f"{one.type} is {one.status}{f' ({one.reason})' if one.reason else ''}" for one in same)
    return f"the node has no condition {' or '.join(wanted)}: {', '.join(got) if same else 'it has none of that type'}"


def _why_not_text(matcher: TextMatcher, container: str | None, evidence: Evidence, *, searched: int) -> str:
    found = "the pattern is not in"
    match matcher:
        case TerminationMessage():
            ended, why = _ended(container, evidence)
            empty = f"{_names(ended)} left no termination message"
            return why or (f"{found} the termination message of {_names(ended)}" if searched else empty)
        case PodError():
            return f"{found} the pod's error" if searched else "the platform gave no error for the pod"
        case PodEvents(type=kind, reason=reason):
            of = f"{kind} event" + (f" with reason {reason}" if reason is not None else "")
            return f"{found} any of {searched} {of}s" if searched else f"no {of} has a message"
        case NodeLog():
            return (
                f"{found} any of {searched} lines of the node's log"
                if searched
                else "no line of the node's log is known"
            )
        case LogTail():
            whose = f"container {container}" if container is not None else "any container"
            return f"{found} the log of {whose}" if searched else f"no log of {whose} was read"
        case _:
            assert_never(matcher)


def _names(containers: Iterable[Container]) -> str:
    return ", ".join(container.name for container in containers)


def _listed(values: frozenset[int]) -> str:
    return ", ".join(str(value) for value in sorted(values))
