"""Grades: how well the advice of the primary rule is known, and what follows from that (docs/evidence.md, Grades)."""

from typing import Final, NamedTuple

from agent.core.classify.grouping import EvidenceGroup
from agent.core.classify.program import NumberedRule
from agent.core.classify.proof import IN_TEXT, IN_WRAPPERS
from agent.core.evidence import Evidence
from agent.core.failure import Grade, Mechanism, Origin, Proof

BLAMED: Final = frozenset({Origin.INFRA, Origin.PLATFORM})
"""Origins that need a sign of the system to be corroborated."""

_REPORTS: Final = frozenset({EvidenceGroup.FINAL, EvidenceGroup.ABOVE, EvidenceGroup.WRAPPER})
"""Groups of what programs write. A wrapper is in its group also if the system wrote it: then it is a sign."""
_UNKNOWN: Final = frozenset({EvidenceGroup.BARE, EvidenceGroup.WRAPPER})


class Footing(NamedTuple):
    """What the primary rule rests on: its group of evidence, how the pod ended, and whether signs confirm it.

    ``has_sign``: a sign of the system or of the node is a part of the rule, too. ``is_confirmed``: that, or such a sign
    was seen next to what a program wrote. Both matter only where ``needs_sign`` and ``needs_confirmation`` say so.
    """

    group: EvidenceGroup
    ended: Mechanism
    has_sign: bool
    is_confirmed: bool


class Known(NamedTuple):
    """How well an answer is known. ``corroborated`` and ``weak`` mean the same as in ``Classification``."""

    grade: Grade
    corroborated: bool | None = None
    weak: bool = False


UNMATCHED: Final = Known(Grade.UNKNOWN)
"""What is known if no rule matched."""


def needs_sign(rule: NumberedRule, group: EvidenceGroup) -> bool:
    """Whether it matters to what is known if a sign is a part of the rule."""
    return (
        group is EvidenceGroup.BARE
        or needs_confirmation(rule, group)
        or (rule.rule.proof is not None and group in _REPORTS)
    )


def needs_confirmation(rule: NumberedRule, group: EvidenceGroup) -> bool:
    """Whether the blame is in doubt unless a sign of the system confirms it."""
    return rule.origin in BLAMED and group in _REPORTS


def known(rule: NumberedRule, footing: Footing, evidence: Evidence) -> Known:
    """The grade of the primary rule, and what follows from it.

    What is proven is neither weak nor in doubt. Else a program's word for the blame of others needs a sign, and what
    only says that something happened may wait for evidence that says why.
    """
    graded = grade(rule, footing, evidence)
    corroborated = None
    if rule.origin in BLAMED:
        corroborated = graded is Grade.PROVEN or footing.is_confirmed or footing.group not in _REPORTS
    is_bare = footing.group is EvidenceGroup.BARE and not footing.has_sign
    return Known(graded, corroborated, weak=corroborated is False or (graded is Grade.UNKNOWN and is_bare))


def grade(rule: NumberedRule, footing: Footing, evidence: Evidence) -> Grade:
    """The grade of a rule. One that knows no origin knows no better what to do."""
    proof = rule.rule.proof
    if proof is not None and _proves(proof, footing, evidence):
        return Grade.PROVEN
    return Grade.UNKNOWN if footing.group in _UNKNOWN or rule.origin is Origin.UNKNOWN else Grade.LIKELY


def _proves(proof: Proof, footing: Footing, evidence: Evidence) -> bool:
    """Whether the rule's proof holds where it was found.

    A sign of the node proves something of the node only if nothing else was asked: no pod is known. Next to a bare code
    it proves no more.
    """
    match footing.group:
        case EvidenceGroup.FINAL:
            return footing.has_sign or footing.ended in IN_TEXT.get(proof, ())
        case EvidenceGroup.ABOVE:
            return footing.has_sign
        case EvidenceGroup.WRAPPER:
            return footing.has_sign and proof in IN_WRAPPERS
        case EvidenceGroup.NODE:
            return not _knows_pod(evidence)
        case EvidenceGroup.BARE:
            return not footing.has_sign
        case _:
            return True


def _knows_pod(evidence: Evidence) -> bool:
    pod = evidence.pod
    return bool(pod.phase or pod.reason or pod.conditions or pod.containers)
