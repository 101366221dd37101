"""What matched, where, and who wrote it: describes a sighting, for matching rules only."""

from agent.core.classify.matchers.matcher import AnyFact
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.sight import Sight, container_of, together
from agent.core.classify.matchers.text import AnyText, TextMatcher
from agent.core.classify.pattern import compile_pattern, find
from agent.core.classify.program import Program
from agent.core.classify.scan import Scan, Sighting, deciding_text, satisfying
from agent.core.evidence import Evidence
from agent.core.failure import Match, Trust


def describe(program: Program, number: int, scan: Scan, evidence: Evidence) -> Match:
    """Describe why the rule with this number matched. The rule must have matched.

    Of several places it is the first one that the system wrote, since that one counts, else the first in the final
    region of a text, else the first.
    """
    entry = program.rules[number]
    where, text, trust, container = _seen_by(program, number, scan, evidence)
    return Match(
        category=entry.category.name,
        subcategory=entry.rule.subcategory,
        rule_index=entry.index,
        matcher=entry.rule.matcher.NAME,
        where=where,
        text=text,
        trust=trust,
        container=container,
        pack=entry.category.pack,
        rule=entry.rule.name,
    )


def _seen_by(program: Program, number: int, scan: Scan, evidence: Evidence) -> Sight:
    """What the rule's matcher saw; for an ``allOf`` what all matchers saw."""
    atom = program.atoms[number]
    if atom is not None:
        return _sight_of(atom.matcher, _all(scan.sightings, bit=1 << number, container=None), evidence, bit=1 << number)
    numbers = program.parts[number]
    _, container = satisfying(sum(1 << bit for bit in numbers), scan.sightings)
    sights = [
        _sight_of(atom.matcher, _all(scan.sightings, bit=1 << bit, container=container), evidence, bit=1 << bit)
        for bit in numbers
        if (atom := program.atoms[bit]) is not None
    ]
    return together(sights, container=container or "")


def _all(sightings: list[Sighting], *, bit: int, container: str | None) -> list[Sighting]:
    """The sightings of the bit in the pod, or in the one container if one is given."""
    return [
        sighting
        for sighting in sightings
        if sighting.mask & bit and (container is None or container_of(sighting.subject) in (None, container))
    ]


def _sight_of(matcher: CategoryMatcher, sightings: list[Sighting], evidence: Evidence, *, bit: int) -> Sight:
    """The sighting to show: one that the system wrote, if any. Raises ValueError if there are none."""
    if not sightings:
        raise ValueError("a rule that matched was not seen anywhere")
    if len(sightings) == 1:
        return _sight(matcher, sightings[0], evidence, bit=bit)
    ordered = sorted(sightings, key=lambda sighting: not sighting.ends_with(bit))
    first = _sight(matcher, ordered[0], evidence, bit=bit)
    if first.trust is Trust.SYSTEM:
        return first
    others = (_sight(matcher, other, evidence, bit=bit) for other in ordered[1:])
    return next((other for other in others if other.trust is Trust.SYSTEM), first)


def _sight(matcher: CategoryMatcher, sighting: Sighting, evidence: Evidence, *, bit: int) -> Sight:
    if isinstance(matcher, TextMatcher):
        return _in_text(matcher, sighting, evidence, bit=bit)
    fact: AnyFact = matcher
    return fact.seen(sighting.subject, evidence)


def _in_text(matcher: AnyText, sighting: Sighting, evidence: Evidence, *, bit: int) -> Sight:
    """The matching text: from the search, or else found again with the rule's own pattern."""
    subject, text = sighting.subject, sighting.text
    if text is None:
        text = find(compile_pattern(matcher.pattern.text), deciding_text(matcher, sighting, evidence, bit=bit)) or ""
    return matcher.seen(subject, text, evidence)
