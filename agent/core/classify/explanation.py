"""Explains why each rule did or did not match; computed on demand."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from agent.core.classify.description import describe
from agent.core.classify.matchers.matcher import ANOTHER_VALUE
from agent.core.classify.matchers.registry import AllOf
from agent.core.classify.nearness import nearness, together, weight
from agent.core.classify.program import Program
from agent.core.classify.scan import Scan
from agent.core.evidence import Evidence
from agent.core.failure import Match


class RuleOutcome(StrEnum):
    """The result of one rule."""

    MATCHED = "matched"
    REFUSED = "refused"
    NOT_MATCHED = "not matched"
    TIMED_OUT = "timed out"


_FOUND = frozenset({RuleOutcome.MATCHED, RuleOutcome.REFUSED})


@dataclass(frozen=True, slots=True, kw_only=True)
class Consideration:
    """The result of one rule, and the reason.

    ``pack``, ``rule`` and ``rule_index`` identify the rule as in a ``Match``; ``match`` is set if the rule matched,
    refused or not. ``nearness`` says how close it came, from 0 to 1 for a match.
    """

    category: str
    subcategory: str = ""
    rule_index: int
    matcher: str
    outcome: RuleOutcome
    why: str
    pack: str = ""
    rule: str = ""
    nearness: float = 0.0
    match: Match | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RelevantRules:
    """The rules most relevant to a failure: those that matched, and the nearest that did not.

    ``left_out`` counts the remaining matches; ``refused`` are all that matched and do not count.
    """

    matched: tuple[Consideration, ...]
    refused: tuple[Consideration, ...]
    nearest: tuple[Consideration, ...]
    left_out: int


def relevant_rules(considerations: Sequence[Consideration], *, matched: int, nearest: int) -> RelevantRules:
    """Choose up to this number of each: the nearest first, then in file order, at most one per subcategory.

    A rule that matches most failures anyway does not count as near.
    """
    held = [rule for rule in considerations if rule.outcome is RuleOutcome.MATCHED]
    found = {(rule.category, rule.subcategory) for rule in held}
    near: dict[tuple[str, str], Consideration] = {}
    for rule in sorted(considerations, key=lambda rule: -rule.nearness):
        if rule.outcome not in _FOUND and rule.nearness >= ANOTHER_VALUE:
            near.setdefault((rule.category, rule.subcategory), rule)
    return RelevantRules(
        matched=tuple(held[:matched]),
        refused=tuple(rule for rule in considerations if rule.outcome is RuleOutcome.REFUSED),
        nearest=tuple(rule for leaf, rule in near.items() if leaf not in found)[:nearest],
        left_out=max(0, len(held) - matched),
    )


def consider(program: Program, number: int, scan: Scan, evidence: Evidence, *, refused: str = "") -> Consideration:
    """The result of the rule with this number in a scan of the evidence, and the reason.

    ``refused`` is why a match does not count, if so.
    """
    entry = program.rules[number]
    match = describe(program, number, scan, evidence) if scan.matched >> number & 1 else None
    outcome, why = _hit(match, refused) if match else _miss(program, number, scan, evidence)
    return Consideration(
        category=entry.category.name,
        subcategory=entry.rule.subcategory,
        rule_index=entry.index,
        matcher=entry.rule.matcher.NAME,
        outcome=outcome,
        why=why,
        pack=entry.category.pack,
        rule=entry.rule.name,
        nearness=_nearness(program, number, scan, evidence),
        match=match,
    )


def _nearness(program: Program, number: int, scan: Scan, evidence: Evidence) -> float:
    """How close the rule came; one that timed out might have matched."""
    parts = program.parts[number]
    if scan.matched >> number & 1 or any(1 << bit in scan.timed_out for bit in parts):
        return 1.0
    seen = _seen(scan)
    atoms = ((bit, program.atoms[bit]) for bit in parts)
    return together(
        [
            weight(atom.matcher) if seen >> bit & 1 else nearness(atom, evidence)
            for bit, atom in atoms
            if atom is not None
        ]
    )


def _hit(match: Match, refused: str) -> tuple[RuleOutcome, str]:
    found = f'{match.where}: "{match.text}"'
    return (RuleOutcome.REFUSED, f"{found}; {refused}") if refused else (RuleOutcome.MATCHED, found)


def _miss(program: Program, number: int, scan: Scan, evidence: Evidence) -> tuple[RuleOutcome, str]:
    parts = program.parts[number]
    late = [scan.timed_out[1 << bit] for bit in parts if 1 << bit in scan.timed_out]
    if late:
        return RuleOutcome.TIMED_OUT, late[0]
    if not isinstance(program.rules[number].rule.matcher, AllOf):
        atom = program.atoms[number]
        return RuleOutcome.NOT_MATCHED, "" if atom is None else atom.matcher.why_not(atom.container, evidence)
    return RuleOutcome.NOT_MATCHED, _why_not_all(program, parts, scan, evidence)


def _why_not_all(program: Program, parts: tuple[int, ...], scan: Scan, evidence: Evidence) -> str:
    if not parts:
        return "an allOf without matchers never matches"
    seen = _seen(scan)
    absent = [bit for bit in parts if not seen >> bit & 1]
    if not absent:
        return f"all {len(parts)} matchers hold, but not for one and the same container"
    reasons = [
        f"{atom.matcher.NAME}: {atom.matcher.why_not(atom.container, evidence)}"
        for bit in absent
        if (atom := program.atoms[bit]) is not None
    ]
    return f"{len(parts) - len(absent)} of {len(parts)} matchers hold; {'; '.join(reasons)}"


def _seen(scan: Scan) -> int:
    seen = 0
    for sighting in scan.sightings:
        seen |= sighting.mask
    return seen
