"""Weighing: chooses the primary rule among those that matched, under ``order: evidence`` (design 6).

A match is first measured against the mechanism: after an eviction, what a program wrote explains nothing. What may
follow the mechanism is a candidate, and stands in one of the groups of ``Standing``. The primary rule is the first in
file order of the first group that is not empty. What may not is refused, with the reason.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.node_conditions import NodeConditions
from agent.core.classify.matchers.node_log import NodeLog
from agent.core.classify.matchers.pod_error import PodError, trust_in_pod_error
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.sight import container_of
from agent.core.classify.matchers.termination_message import TerminationMessage, trust_in_message
from agent.core.classify.matchers.text import AnyText, Engine
from agent.core.classify.mechanism import mechanism, names_pod
from agent.core.classify.pattern import compile_pattern, find
from agent.core.classify.program import Program
from agent.core.classify.region import final_region, is_short, region_before
from agent.core.classify.rules import Role
from agent.core.classify.scan import Scan, Sighting, bits, satisfying
from agent.core.classify.search import Found
from agent.core.classify.survived import without_survived
from agent.core.classify.weakness import is_weak
from agent.core.evidence import Container, Evidence
from agent.core.failure import Mechanism, Origin, Trust

AFTER_WORDS: Final = frozenset(
    {Mechanism.NOT_STARTED, Mechanism.PROBE_KILLED, Mechanism.SIGNALLED, Mechanism.EXITED, Mechanism.UNKNOWN}
)
"""The mechanisms that what a program wrote may explain, unless its rule says otherwise."""

BLAMED: Final = frozenset({Origin.INFRA, Origin.PLATFORM})
"""Origins that need a sign of the system to be corroborated."""


GUARDS: Final = frozenset({"Starting", "WithinMemoryLimit"})
"""Named conditions that only keep the other parts of an ``allOf`` from matching; by themselves they explain nothing."""


class Standing(IntEnum):
    """How good the evidence of a match is, best first."""

    SIGN = 0
    """A sign of the system about this pod."""
    FINAL = 1
    """What a program wrote, in the final region of a text."""
    ABOVE = 2
    """What a program wrote before that."""
    WRAPPER = 3
    """The report of a program that only passes on that something failed."""
    BARE = 4
    """An exit code, a signal or a reason that says what happened but not why."""
    NODE = 5
    """A sign of the node that does not name this pod. It decides only where nothing is known of a pod's end."""
    SURVIVED = 6
    """What a program wrote about an error after which it tried again. It explains nothing."""


WORDS: Final = frozenset({Standing.FINAL, Standing.ABOVE, Standing.SURVIVED})
"""The standings of what a program wrote."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The numbers of the candidates, the primary one first; the others by standing, then in file order.

    ``refused`` has the reason for each other match, by number. ``corroborated`` is about the primary rule.
    """

    mechanism: Mechanism
    candidates: tuple[int, ...]
    refused: dict[int, str]
    corroborated: bool | None


def weigh(program: Program, found: Scan, evidence: Evidence) -> Weighed:
    """Weigh what matched against the mechanism and by its evidence."""
    scales = _Scales(program, found, evidence)
    ended = mechanism(evidence)
    standings = {number: scales.standing(number) for number in bits(found.matched)}
    is_known = _is_known(ended, evidence)
    refused = {
        number: why
        for number, standing in standings.items()
        if (why := _refusal(program, number, standing, ended, is_known=is_known))
    }
    allowed = {number: standing for number, standing in standings.items() if number not in refused}
    if _only_wrappers_are_final(program, allowed):
        allowed = {number: scales.further_up(number, standing) for number, standing in allowed.items()}
    ranked = sorted(allowed, key=lambda number: (_rank(program, number, allowed[number]), number))
    return Weighed(ended, tuple(ranked), refused, _corroborated(program, ranked, standings, scales) if ranked else None)


def _is_known(ended: Mechanism, evidence: Evidence) -> bool:
    """Whether anything is known of the pod's end; a pod that is deleted on a silent node may never report one."""
    if ended is Mechanism.DELETED:
        return any(container.ended is not None for container in evidence.pod.containers)
    return ended is not Mechanism.UNKNOWN


def _rank(program: Program, number: int, standing: Standing) -> Standing:
    """Where a rule stands; a wrapper stands behind all causes."""
    wraps = program.rules[number].rule.role is Role.WRAPPER
    return max(standing, Standing.WRAPPER) if wraps else standing


def _refusal(program: Program, number: int, standing: Standing, ended: Mechanism, *, is_known: bool) -> str:
    """Why the rule may not explain the mechanism; empty if it may."""
    after = program.rules[number].rule.after
    if standing is Standing.SURVIVED:
        return "the program tried again after what this saw"
    if standing is Standing.NODE:
        return f"a sign of the node does not explain how this pod ended ({ended})" if is_known else ""
    if after is not None:
        return "" if ended in after else f"the rule does not apply to a pod that ended like this ({ended})"
    if standing in (Standing.FINAL, Standing.ABOVE) and ended not in AFTER_WORDS:
        return f"what a program wrote does not explain how this pod ended ({ended})"
    return ""


def _only_wrappers_are_final(program: Program, standings: dict[int, Standing]) -> bool:
    final = [number for number, standing in standings.items() if standing is Standing.FINAL]
    return bool(final) and all(program.rules[number].rule.role is Role.WRAPPER for number in final)


def _corroborated(
    program: Program, ranked: Sequence[int], standings: Mapping[int, Standing], scales: "_Scales"
) -> bool | None:
    """Whether a sign of the system confirms the blame; ``None`` for a rule that blames the job, or nobody."""
    number = ranked[0]
    entry = program.rules[number]
    if entry.origin not in BLAMED:
        return None
    if standings[number] not in (Standing.FINAL, Standing.ABOVE) or scales.confirms_itself(number):
        return True
    if confirming := program.corroborating.get(number, 0):
        return scales.has_seen(confirming)
    signs = (other for other, its in standings.items() if its in (Standing.SIGN, Standing.NODE))
    return any(program.rules[other].category.name == entry.category.name for other in signs)


class _Scales:
    """Finds the standing of each match of one scan."""

    def __init__(self, program: Program, found: Scan, evidence: Evidence) -> None:
        self._program = program
        self._sightings = found.sightings
        self._evidence = evidence
        self._regions: dict[str, int] = {}

    def standing(self, number: int) -> Standing:
        """The standing of a rule: of its best sighting; for an ``allOf`` of its parts together.

        What a program wrote is never better for a sign with it. Of signs, the best counts: an event that names the
        cause is not weaker for the bare reason next to it. Signs of the node count only where nothing else does.
        """
        parts = self._standings(number)
        words = [one for one in parts if one in WORDS]
        return max(words) if words else min(parts, default=Standing.BARE)

    def confirms_itself(self, number: int) -> bool:
        """Whether a sign of the system, and not only its code or reason, is a part of the rule."""
        return any(one in (Standing.SIGN, Standing.NODE) for one in self._standings(number))

    def _standings(self, number: int) -> list[Standing]:
        """The standings of the parts of a rule, each of its best sighting."""
        return [
            min(self._of(bit, sighting) for sighting in self._seen(bit, container))
            for bit, container in self._parts(number)
            if not self._guards(bit)
        ]

    def _guards(self, bit: int) -> bool:
        matcher = self._matcher(bit)
        return isinstance(matcher, Conditions) and GUARDS.issuperset(matcher.names)

    def further_up(self, number: int, standing: Standing) -> Standing:
        """The standing if the final region also has the report of an error before it."""
        if standing is not Standing.ABOVE:
            return standing
        for bit, container in self._parts(number):
            for sighting in self._seen(bit, container):
                if self._of(bit, sighting) is Standing.ABOVE and self._is_in(bit, sighting, extended=True):
                    return Standing.FINAL
        return standing

    def has_seen(self, mask: int) -> bool:
        """Whether any of the bits was seen anywhere."""
        return any(one.mask & mask for one in self._sightings)

    def _parts(self, number: int) -> Iterator[tuple[int, str | None]]:
        numbers = self._program.parts[number]
        container = None
        if len(numbers) > 1:
            _, container = satisfying(sum(1 << bit for bit in numbers), self._sightings)
        return ((bit, container) for bit in numbers)

    def _seen(self, bit: int, container: str | None) -> Iterator[Sighting]:
        for sighting in self._sightings:
            if sighting.mask >> bit & 1 and (container is None or container_of(sighting.subject) in (None, container)):
                yield sighting

    def _of(self, bit: int, sighting: Sighting) -> Standing:
        matcher = self._matcher(bit)
        if isinstance(matcher, NodeConditions):
            return Standing.NODE
        if isinstance(matcher, NodeLog):
            named = isinstance(sighting.subject, str) and names_pod(sighting.subject, self._evidence)
            return Standing.SIGN if named else Standing.NODE
        if not self._is_words(matcher, sighting):
            return Standing.BARE if is_weak(matcher) else Standing.SIGN
        if self._is_in(bit, sighting, extended=False):
            return Standing.FINAL
        return Standing.SURVIVED if self._is_survived(bit, sighting) else Standing.ABOVE

    def _is_words(self, matcher: CategoryMatcher, sighting: Sighting) -> bool:
        """Whether a program wrote what was seen. That is a property of the place, not of the matcher."""
        match matcher:
            case LogTail():
                return True
            case PodError():
                return trust_in_pod_error(self._evidence) is Trust.USER_TEXT
            case TerminationMessage():
                subject = sighting.subject
                ended = subject.ended if isinstance(subject, Container) else None
                return ended is None or trust_in_message(ended) is Trust.USER_TEXT
            case _:
                return False

    def _is_in(self, bit: int, sighting: Sighting, *, extended: bool) -> bool:
        """Whether the pattern is found in the final region of a text."""
        matcher = self._matcher(bit)
        if not isinstance(matcher, (LogTail, PodError, TerminationMessage)):
            return False
        texts = self._texts(matcher, sighting)
        return any(self._finds(bit, matcher, self._region(text, extended=extended)) for text in texts)

    def _is_survived(self, bit: int, sighting: Sighting) -> bool:
        """Whether the pattern is found only where the program reports that it tries again."""
        matcher = self._matcher(bit)
        if not isinstance(matcher, (LogTail, PodError, TerminationMessage)):
            return False
        texts = {text: without_survived(text) for text in self._texts(matcher, sighting)}
        if all(text == rest for text, rest in texts.items()):
            return False
        return not any(self._finds(bit, matcher, rest) for rest in texts.values())

    def _texts(self, matcher: AnyText, sighting: Sighting) -> Iterator[str]:
        """The text of a sighting; a message that the pod's error quotes has a final region of its own."""
        text = matcher.text_of(sighting.subject, self._evidence)
        quoted = False
        if isinstance(matcher, PodError):
            for container in self._evidence.pod.containers:
                if container.ended is not None and container.ended.message and container.ended.message in text:
                    quoted = True
                    yield container.ended.message
        if not quoted:
            yield text

    def _region(self, text: str, *, extended: bool) -> str:
        if is_short(text):
            return without_survived(text)
        length = self._regions.get(text)
        if length is None:
            length = self._regions[text] = final_region(text)
        if extended:
            length = region_before(text, length)
        return without_survived(text[len(text) - length :])

    def _finds(self, bit: int, matcher: AnyText, text: str) -> bool:
        if matcher.pattern.engine is Engine.RE2:
            return find(compile_pattern(matcher.pattern.text), text) is not None
        search = next(one.search for one in self._program.deferred if one.bit == 1 << bit)
        return isinstance(search.search(text), Found)

    def _matcher(self, bit: int) -> CategoryMatcher:
        atom = self._program.atoms[bit]
        if atom is None:
            raise TypeError("a rule with several matchers has no matcher of its own")
        return atom.matcher
