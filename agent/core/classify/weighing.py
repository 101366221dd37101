"""Weighing: chooses the primary rule among those that matched, under ``order: evidence`` (design 6).

A match is first measured against the mechanism: after an eviction, what a program wrote explains nothing. What may
follow the mechanism is a candidate, and stands in one of the groups of ``Standing``. The primary rule is the first in
file order of the first group that is not empty. What may not is refused, with the reason.
"""

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from agent.core.classify.followers import Followers, container_named
from agent.core.classify.matchers.sight import container_of
from agent.core.classify.mechanism import mechanism
from agent.core.classify.program import Program
from agent.core.classify.rules import Reach, Role
from agent.core.classify.scales import Scales, Standing, Weights
from agent.core.classify.scan import Scan, bits
from agent.core.evidence import Event, Evidence
from agent.core.failure import Mechanism, Origin

AFTER_WORDS: Final = frozenset(
    {Mechanism.NOT_STARTED, Mechanism.PROBE_KILLED, Mechanism.SIGNALLED, Mechanism.EXITED, Mechanism.UNKNOWN}
)
"""The mechanisms that what a program wrote may explain, unless its rule says otherwise."""

BLAMED: Final = frozenset({Origin.INFRA, Origin.PLATFORM})
"""Origins that need a sign of the system to be corroborated."""


_ALWAYS_DOUBTFUL: Final = frozenset({Standing.NODE, Standing.SURVIVED})
_DOUBTFUL: Final = _ALWAYS_DOUBTFUL | {Standing.FINAL, Standing.ABOVE}
"""Standings of matches that may have to be refused: after some mechanisms, and after those that no words explain."""


class Weighed(NamedTuple):
    """The numbers of the candidates, the primary one first; the others by standing, then in file order.

    ``refused`` has the reason for each other match, by number. ``corroborated`` is about the primary rule. ``found`` is
    the scan with the endings of texts.
    """

    mechanism: Mechanism
    candidates: tuple[int, ...]
    refused: dict[int, str]
    corroborated: bool | None
    found: Scan


def weigh(program: Program, weights: Weights, found: Scan, evidence: Evidence) -> Weighed:
    """Weigh what matched against the mechanism and by its evidence."""
    scales = Scales(program, weights, found, evidence)
    ended = mechanism(evidence)
    standings = {number: scales.standing(number) for number in bits(found.matched)}
    refused = _refused(program, standings, ended, is_known=_is_known(ended, evidence))
    allowed = {number: one for number, one in standings.items() if number not in refused} if refused else standings
    if _wrappers_are_final(program, allowed, scales):
        allowed = {number: scales.further_up(number, standing) for number, standing in allowed.items()}
    ranked: list[tuple[Standing, int]] = []
    for number, standing in allowed.items():
        rule = program.rules[number].rule
        if standing is Standing.ABOVE and rule.region is Reach.FINAL:
            refused[number] = "it is not near the end of what the program wrote"
        else:  # a wrapper stands behind all causes
            ranked.append((max(standing, Standing.WRAPPER) if rule.role is Role.WRAPPER else standing, number))
    candidates = tuple([number for _, number in sorted(ranked)])
    corroborated = _corroborated(program, candidates, standings, scales) if candidates else None
    placed = Scan(sightings=scales.sightings, matched=found.matched, timed_out=found.timed_out)
    return Weighed(ended, candidates, refused, corroborated, placed)


def refused_as_followers(program: Program, followers: Followers, *, every: Scan, deciding: Scan) -> dict[int, str]:
    """Why rules do not count that match only what is known of followers, by number.

    ``every`` is the scan of all evidence, ``deciding`` that of the part without followers.
    """
    return {
        number: _why_follower(program, number, followers, every) for number in bits(every.matched & ~deciding.matched)
    }


def _why_follower(program: Program, number: int, followers: Followers, every: Scan) -> str:
    """Of the follower that the rule matches; of the first where a text of the pod quotes followers."""
    mask = sum(1 << bit for bit in program.parts[number])
    subjects = [sighting.subject for sighting in every.sightings if sighting.mask & mask]
    seen = {container_named(one) if isinstance(one, Event) else container_of(one) for one in subjects}
    name = next((name for name in followers if name in seen), next(iter(followers)))
    return f"container {name} does not count: {followers[name]}"


def _is_known(ended: Mechanism, evidence: Evidence) -> bool:
    """Whether anything is known of the pod's end; a pod that is deleted on a silent node may never report one."""
    if ended is Mechanism.DELETED:
        return any(container.ended is not None for container in evidence.pod.containers)
    return ended is not Mechanism.UNKNOWN


def _refused(
    program: Program, standings: Mapping[int, Standing], ended: Mechanism, *, is_known: bool
) -> dict[int, str]:
    """Why rules may not explain the mechanism, by number."""
    doubtful = _ALWAYS_DOUBTFUL if ended in AFTER_WORDS else _DOUBTFUL
    refused = {}
    for number, standing in standings.items():
        after = program.rules[number].rule.after
        if (after is not None or standing in doubtful) and (why := _refusal(after, standing, ended, is_known=is_known)):
            refused[number] = why
    return refused


def _refusal(after: frozenset[Mechanism] | None, standing: Standing, ended: Mechanism, *, is_known: bool) -> str:
    """Why a rule may not explain the mechanism; empty if it may."""
    if standing is Standing.SURVIVED:
        return "the program went on after what this saw"
    if standing is Standing.NODE:
        return f"a sign of the node does not explain how this pod ended ({ended})" if is_known else ""
    if after is not None:
        return "" if ended in after else f"the rule does not apply to a pod that ended like this ({ended})"
    if standing in (Standing.FINAL, Standing.ABOVE) and ended not in AFTER_WORDS:
        return f"what a program wrote does not explain how this pod ended ({ended})"
    return ""


def _wrappers_are_final(program: Program, standings: dict[int, Standing], scales: Scales) -> bool:
    """Whether the final region has nothing but wrappers, or starts with the traceback of one."""
    if not program.wrappers:
        return False
    final = [number for number, standing in standings.items() if standing is Standing.FINAL]
    wrappers = [number for number in final if program.wrappers >> number & 1]
    return bool(wrappers) and (len(wrappers) == len(final) or any(map(scales.raised, wrappers)))


def _corroborated(
    program: Program, ranked: Sequence[int], standings: Mapping[int, Standing], scales: Scales
) -> bool | None:
    """Whether a sign of the system confirms the blame; ``None`` for a rule that blames the job, or nobody."""
    number = ranked[0]
    entry = program.rules[number]
    if entry.origin not in BLAMED:
        return None
    if standings[number] not in (Standing.FINAL, Standing.ABOVE) or scales.confirms_itself(number):
        return True
    if confirming := program.corroborating.get(number, 0):
        return scales.has_sign(confirming)
    signs = (other for other, its in standings.items() if its in (Standing.SIGN, Standing.NODE))
    return any(program.rules[other].category.name == entry.category.name for other in signs)
