"""Why each rule did or did not match, in plain words; made when somebody asks."""

from dataclasses import dataclass
from enum import StrEnum

from agent.core.classify.description import describe
from agent.core.classify.matchers.all_of import AllOf
from agent.core.classify.program import Program
from agent.core.classify.scan import Scan
from agent.core.evidence import Evidence
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
        matcher=entry.rule.matcher.NAME,
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
        return RuleOutcome.NOT_MATCHED, "" if atom is None else atom.matcher.why_not(atom.container, evidence)
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
        f"{atom.matcher.NAME}: {atom.matcher.why_not(atom.container, evidence)}"
        for bit in absent
        if (atom := program.atoms[bit]) is not None
    ]
    return f"{len(parts) - len(absent)} of {len(parts)} matchers hold; {'; '.join(reasons)}"
