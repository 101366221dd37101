"""Weighing: chooses the primary rule among those that matched, under ``order: evidence`` (docs/evidence.md).

A match is first measured against the mechanism: after an eviction, what a program wrote explains nothing. A match that
may follow the mechanism is a candidate in one of the groups of ``EvidenceGroup``. The primary rule is the first in file
order of the first group that is not empty. A match that may not follow is refused, with the reason.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from agent.core.classify.followers import Followers, container_named
from agent.core.classify.grade import UNMATCHED, Footing, Known, known, needs_confirmation, needs_sign
from agent.core.classify.grouping import EvidenceGroup, Grouping, SignalMasks
from agent.core.classify.matchers.sight import container_of
from agent.core.classify.mechanism import mechanism
from agent.core.classify.program import Program
from agent.core.classify.rules import Reach, Role
from agent.core.classify.scan import Scan, bits
from agent.core.evidence import Event, Evidence
from agent.core.failure import Mechanism

AFTER_WORDS: Final = frozenset(
    {Mechanism.NOT_STARTED, Mechanism.PROBE_KILLED, Mechanism.SIGNALLED, Mechanism.EXITED, Mechanism.UNKNOWN}
)
"""The mechanisms that what a program wrote may explain, unless its rule says otherwise."""

# every match is asked for some of these, and an enumeration takes 50 ns to give a member
_ABOVE, _WRAPPER, _PASSES_ON = EvidenceGroup.ABOVE, EvidenceGroup.WRAPPER, Role.WRAPPER
_ALWAYS_DOUBTFUL: Final = frozenset({EvidenceGroup.NODE, EvidenceGroup.SURVIVED})
_DOUBTFUL: Final = _ALWAYS_DOUBTFUL | {EvidenceGroup.FINAL, EvidenceGroup.ABOVE}
"""Groups of matches that may have to be refused: after some mechanisms, and after those that no words explain."""


class Weighed(NamedTuple):
    """The numbers of the candidates, the primary one first; the others by group, then in file order.

    ``refused`` has the reason for each other match, by number. ``group`` and ``known`` are about the primary rule.
    ``found`` is the scan with the endings of texts.
    """

    mechanism: Mechanism
    candidates: tuple[int, ...]
    refused: dict[int, str]
    group: EvidenceGroup | None
    known: Known
    found: Scan


def weigh(program: Program, masks: SignalMasks, found: Scan, evidence: Evidence) -> Weighed:
    """Weigh what matched against the mechanism and by its evidence."""
    grouping = Grouping(program, masks, found, evidence)
    ended = mechanism(evidence)
    groups = {number: grouping.group(number) for number in bits(found.matched)}
    refused = _refused(program, groups, ended, is_known=_is_known(ended, evidence))
    allowed = {number: group for number, group in groups.items() if number not in refused} if refused else groups
    if _wrappers_are_final(program, allowed, grouping):
        allowed = {number: grouping.further_up(number, group) for number, group in allowed.items()}
    ranked: list[tuple[EvidenceGroup, int]] = []
    for number, group in allowed.items():
        rule = program.rules[number].rule
        if group is _ABOVE and rule.region is Reach.FINAL:
            refused[number] = "it is not near the end of what the program wrote"
        else:  # a wrapper comes after all causes
            ranked.append((max(group, _WRAPPER) if rule.role is _PASSES_ON else group, number))
    ranked.sort()
    candidates = tuple([number for _, number in ranked])
    best, given = None, UNMATCHED
    if ranked:
        best, number = ranked[0]
        footing = _footing(program, number, best, ended, groups=groups, grouping=grouping)
        given = known(program.rules[number], footing, evidence)
    placed = Scan(sightings=grouping.sightings, matched=found.matched, timed_out=found.timed_out)
    return Weighed(ended, candidates, refused, best, given, placed)


def refused_as_followers(program: Program, followers: Followers, *, every: Scan, deciding: Scan) -> dict[int, str]:
    """Why rules do not count that match only what is known of followers, by number.

    ``every`` is the scan of all evidence, ``deciding`` that of the part without followers.
    """
    return {
        number: _why_follower(program, number, followers, every) for number in bits(every.matched & ~deciding.matched)
    }


def _why_follower(program: Program, number: int, followers: Followers, every: Scan) -> str:
    """The reason of the follower that the rule matches; that of the first if a text of the pod quotes followers."""
    mask = sum(1 << bit for bit in program.parts[number])
    subjects = [sighting.subject for sighting in every.sightings if sighting.mask & mask]
    seen = {container_named(subject) if isinstance(subject, Event) else container_of(subject) for subject in subjects}
    name = next((name for name in followers if name in seen), next(iter(followers)))
    return f"container {name} does not count: {followers[name]}"


def _is_known(ended: Mechanism, evidence: Evidence) -> bool:
    """Whether anything is known of the pod's end; a pod that is deleted on a silent node may never report one."""
    if ended is Mechanism.DELETED:
        return any(container.ended is not None for container in evidence.pod.containers)
    return ended is not Mechanism.UNKNOWN


def _refused(
    program: Program, groups: Mapping[int, EvidenceGroup], ended: Mechanism, *, is_known: bool
) -> dict[int, str]:
    """Why rules may not explain the mechanism, by number."""
    doubtful = _ALWAYS_DOUBTFUL if ended in AFTER_WORDS else _DOUBTFUL
    refused = {}
    for number, group in groups.items():
        after = program.rules[number].rule.after
        if (after is not None or group in doubtful) and (why := _refusal(after, group, ended, is_known=is_known)):
            refused[number] = why
    return refused


def _refusal(after: frozenset[Mechanism] | None, group: EvidenceGroup, ended: Mechanism, *, is_known: bool) -> str:
    """Why a rule may not explain the mechanism; empty if it may."""
    if group is EvidenceGroup.SURVIVED:
        return "the program went on after what this saw"
    if group is EvidenceGroup.NODE:
        return f"a sign of the node does not explain how this pod ended ({ended})" if is_known else ""
    if after is not None:
        return "" if ended in after else f"the rule does not apply to a pod that ended like this ({ended})"
    if group in (EvidenceGroup.FINAL, EvidenceGroup.ABOVE) and ended not in AFTER_WORDS:
        return f"what a program wrote does not explain how this pod ended ({ended})"
    return ""


def _wrappers_are_final(program: Program, groups: dict[int, EvidenceGroup], grouping: Grouping) -> bool:
    """Whether the final region has nothing but wrappers, or starts with the traceback of one."""
    if not program.wrappers:
        return False
    final = [number for number, group in groups.items() if group is EvidenceGroup.FINAL]
    wrappers = [number for number in final if program.wrappers >> number & 1]
    return bool(wrappers) and (len(wrappers) == len(final) or any(map(grouping.raised, wrappers)))


def _footing(
    program: Program,
    number: int,
    group: EvidenceGroup,
    ended: Mechanism,
    *,
    groups: Mapping[int, EvidenceGroup],
    grouping: Grouping,
) -> Footing:
    """What the primary rule rests on; signs are looked for where they matter."""
    rule = program.rules[number]
    has_sign = needs_sign(rule, group) and grouping.has_own_sign(number)
    is_confirmed = has_sign or (needs_confirmation(rule, group) and _others_confirm(program, number, groups, grouping))
    return Footing(group, ended, has_sign, is_confirmed)


def _others_confirm(program: Program, number: int, groups: Mapping[int, EvidenceGroup], grouping: Grouping) -> bool:
    """Whether a sign confirms what a program wrote: one that the rule lists, else any of its category."""
    if confirming := program.corroborating.get(number, 0):
        return grouping.has_sign(confirming)
    signs = (other for other, its in groups.items() if its in (EvidenceGroup.SIGN, EvidenceGroup.NODE))
    category = program.rules[number].category.name
    return any(program.rules[other].category.name == category for other in signs)
