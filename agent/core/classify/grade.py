"""Grades: how well the advice of the primary rule is known (docs/evidence.md, Grades)."""

from typing import Final

from agent.core.classify.grouping import EvidenceGroup
from agent.core.classify.program import NumberedRule
from agent.core.classify.proof import IN_TEXT, IN_WRAPPERS
from agent.core.evidence import Evidence
from agent.core.failure import Grade, Mechanism, Origin, Proof

_WORDS: Final = frozenset({EvidenceGroup.FINAL, EvidenceGroup.ABOVE})
_UNKNOWN: Final = frozenset({EvidenceGroup.BARE, EvidenceGroup.WRAPPER})


def grade(rule: NumberedRule, group: EvidenceGroup, ended: Mechanism, evidence: Evidence, *, confirmed: bool) -> Grade:
    """The grade of a rule that was found in this group of evidence of a pod that ended like this.

    ``confirmed``: a sign of the system confirms what a program wrote. A rule that knows no origin knows no better what
    to do.
    """
    proof = rule.rule.proof
    if proof is not None and _proves(proof, group, ended, evidence, confirmed=confirmed):
        return Grade.PROVEN
    return Grade.UNKNOWN if group in _UNKNOWN or rule.origin is Origin.UNKNOWN else Grade.LIKELY


def _proves(proof: Proof, group: EvidenceGroup, ended: Mechanism, evidence: Evidence, *, confirmed: bool) -> bool:
    """Whether the rule's proof holds where it was found.

    A sign of the node proves something of the node only if nothing else was asked: no pod is known.
    """
    if group in _WORDS:
        return confirmed or (group is EvidenceGroup.FINAL and ended in IN_TEXT.get(proof, ()))
    if group is EvidenceGroup.NODE:
        return not _knows_pod(evidence)
    return group is not EvidenceGroup.WRAPPER or proof in IN_WRAPPERS


def _knows_pod(evidence: Evidence) -> bool:
    pod = evidence.pod
    return bool(pod.phase or pod.reason or pod.conditions or pod.containers)
