"""Puts each match into a group by how good its evidence is, from where it was seen (docs/evidence.md, The steps).

Everything is computed on masks of bits: a text that several rules were found in is searched a second time, with the
set of their patterns, and only where its final region is not all of it.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from agent.core.classify.matchers.log_tail import LogTail
from agent.core.classify.matchers.matcher import WORDS, Basis
from agent.core.classify.matchers.pod_error import trust_in_pod_error
from agent.core.classify.matchers.sight import container_of
from agent.core.classify.matchers.termination_message import trust_in_message
from agent.core.classify.mechanism import names_pod
from agent.core.classify.pattern import PatternSet
from agent.core.classify.program import Program
from agent.core.classify.region import final_region, first_report, is_short, region_before
from agent.core.classify.scan import Ending, Scan, Sighting, satisfying
from agent.core.classify.search import Found
from agent.core.classify.survived import survived, without
from agent.core.evidence import Container, Evidence
from agent.core.evidence import LogTail as Tail
from agent.core.failure import Trust


class EvidenceGroup(IntEnum):
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
    """What a program wrote about an error after which it went on. It explains nothing."""


# every match is asked for some of these, and an enumeration takes 50 ns to give a member
_SIGN, _FINAL, _ABOVE = EvidenceGroup.SIGN, EvidenceGroup.FINAL, EvidenceGroup.ABOVE
_BARE, _NODE, _SURVIVED = EvidenceGroup.BARE, EvidenceGroup.NODE, EvidenceGroup.SURVIVED
_WORDS: Final = (_SURVIVED, _ABOVE, _FINAL)
_SIGNS: Final = (_SIGN, _BARE, _NODE)
_GROUPS: Final = tuple(EvidenceGroup)
Levels = list[int]
"""The bits seen in each group, by its number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignalMasks:
    """The bits of a program by what they look at. ``alone`` are the rules that have one matcher, which is no guard."""

    words: int
    node: int
    node_log: int
    bare: int
    guards: int
    alone: int
    messages: PatternSet | None
    errors: PatternSet | None
    tails: PatternSet | None
    searched: int
    """The bits of patterns for the backtracking engine, which no set has."""

    @classmethod
    def of(cls, program: Program) -> "SignalMasks":
        """The masks of a program, computed once."""
        matchers = {bit: atom.matcher for bit, atom in enumerate(program.atoms) if atom is not None}

        def mask(bases: Collection[Basis]) -> int:
            return sum(1 << bit for bit, matcher in matchers.items() if matcher.BASIS in bases)

        guards = sum(1 << bit for bit, matcher in matchers.items() if matcher.is_guard)
        single = sum(1 << number for number, parts in enumerate(program.parts) if parts == (number,))
        messages, errors = program.containers.messages, program.pod.errors
        return cls(
            words=mask(WORDS) | program.going_on | program.marked,
            node=mask({Basis.NODE}),
            node_log=mask({Basis.NODE_LOG}),
            bare=sum(1 << bit for bit, matcher in matchers.items() if matcher.is_weak),
            guards=guards,
            alone=single & ~guards,
            messages=messages.every if messages is not None else None,
            errors=errors.patterns if errors is not None else None,
            tails=dict(program.pod.texts).get(LogTail),
            searched=sum(deferred.bit for deferred in program.deferred),
        )


class Grouping:
    """Finds the group of each match of one scan."""

    def __init__(self, program: Program, masks: SignalMasks, found: Scan, evidence: Evidence) -> None:
        self._program = program
        self._masks = masks
        self._sightings = found.sightings
        self._evidence = evidence
        self._all, self.sightings = self._levels(found.sightings)
        self._of_container: dict[str, Levels] = {}

    def group(self, number: int) -> EvidenceGroup:
        """The group of a rule: of its best sighting; for an ``allOf`` of its parts together.

        What a program wrote is never better for a sign with it. Of signs, the best counts: an event that names the
        cause is not weaker for the bare reason next to it. Signs of the node count only where nothing else does.
        """
        if self._masks.alone >> number & 1:
            return _best(self._all, number)
        parts = self._groups_of(number)
        return next((group for group in (*_WORDS, *_SIGNS) if group in parts), _BARE)

    def has_own_sign(self, number: int) -> bool:
        """Whether a sign of the system or of the node, and not only a code or reason, is a part of the rule."""
        return not {_SIGN, _NODE}.isdisjoint(self._groups_of(number))

    def further_up(self, number: int, group: EvidenceGroup) -> EvidenceGroup:
        """The group for a final region that is extended by the report of an error before it."""
        above = self._all[_ABOVE] & self._bits(number)
        if group is not _ABOVE or not above:
            return group
        return _FINAL if self._search(above, _extended) else group

    def raised(self, number: int) -> bool:
        """Whether the rule is found in the traceback that a final region starts with."""
        return bool(self._search(self._bits(number), _raised))

    def has_sign(self, mask: int) -> bool:
        """Whether any of the bits, but for those of guards, was seen in what no program wrote."""
        seen = self._all[_SIGN] | self._all[_BARE] | self._all[_NODE]
        return bool(seen & mask & ~self._masks.guards)

    def _groups_of(self, number: int) -> set[EvidenceGroup]:
        """The groups of the parts of a rule, each of its best sighting."""
        parts = self._program.parts[number]
        levels = self._all
        if len(parts) > 1:
            _, container = satisfying(sum(1 << bit for bit in parts), self._sightings)
            levels = self._all if container is None else self._levels_of(container)
        return {_best(levels, bit) for bit in parts if not self._masks.guards >> bit & 1}

    def _bits(self, number: int) -> int:
        return sum(1 << bit for bit in self._program.parts[number])

    def _levels_of(self, container: str) -> Levels:
        """The bits of what was seen of this container, or of none."""
        levels = self._of_container.get(container)
        if levels is None:
            own = [sighting for sighting in self._sightings if container_of(sighting.subject) in (None, container)]
            levels, _ = self._levels(own)
            self._of_container[container] = levels
        return levels

    def _levels(self, sightings: Iterable[Sighting]) -> tuple[Levels, list[Sighting]]:
        """The bits by group, and the sightings with their endings."""
        masks = self._masks
        levels = [0] * len(_GROUPS)
        seen: list[Sighting] = []
        for sighting in sightings:
            mask = sighting.mask
            words = mask & masks.words
            ending = self._add_words(words, sighting, levels) if words else None
            seen.append(sighting if ending is None else Sighting(mask, sighting.subject, sighting.text, ending))
            signs = mask & ~masks.words
            if not signs:
                continue
            if node_log := signs & masks.node_log:
                named = isinstance(sighting.subject, str) and names_pod(sighting.subject, self._evidence)
                levels[_SIGN if named else _NODE] |= node_log
            levels[_NODE] |= signs & masks.node
            levels[_BARE] |= signs & masks.bare
            levels[_SIGN] |= signs & ~(masks.node | masks.node_log | masks.bare)
        return levels, seen

    def _add_words(self, words: int, sighting: Sighting, levels: Levels) -> Ending | None:
        """Add the bits of patterns for texts. Whether a program wrote one depends on the place, not on the matcher.

        Returns the last of the endings in which a bit is found.
        """
        if not self._is_users(sighting):
            levels[_SIGN] |= words
            return None
        texts = self._texts(sighting)
        goes_on = bool(words & self._program.going_on)
        has_marker = bool(words & self._program.marked)
        found, ending = 0, None
        for text in texts:
            seen = words if len(texts) == 1 else self._found(words, sighting, text)
            whole = is_short(text) and not goes_on
            last = text if whole else _final(text, goes_on=goes_on, has_marker=has_marker)
            final = seen if whole else self._found(seen, sighting, last)
            ending = Ending(final, last) if final else ending
            above = seen & ~final
            kept = self._found(above, sighting, _kept(text)) if above and goes_on else above
            levels[_FINAL] |= final
            levels[_ABOVE] |= kept
            levels[_SURVIVED] |= above & ~kept
            found |= seen
        levels[_ABOVE] |= words & ~found  # in what the pod's error says around the messages that it quotes
        return ending

    def _is_users(self, sighting: Sighting) -> bool:
        subject = sighting.subject
        if isinstance(subject, Tail):
            return True
        if isinstance(subject, Container):
            return subject.ended is None or trust_in_message(subject.ended) is Trust.USER_TEXT
        return trust_in_pod_error(self._evidence) is Trust.USER_TEXT

    def _texts(self, sighting: Sighting) -> Sequence[str]:
        """The text of a sighting; a message that the pod's error quotes has a final region of its own."""
        subject = sighting.subject
        if isinstance(subject, Tail):
            return (subject.text,)
        if isinstance(subject, Container):
            return (subject.ended.message,) if subject.ended is not None else ()
        error = self._evidence.pod_error
        messages = [
            container.ended.message for container in self._evidence.pod.containers if container.ended is not None
        ]
        return [message for message in messages if message and message in error] or (error,)

    def _search(self, mask: int, part: Callable[[str], str]) -> int:
        """The bits that are found in this part of the texts where they were seen."""
        found = 0
        for sighting in self._sightings:
            if (words := sighting.mask & mask & self._masks.words) and self._is_users(sighting):
                for text in self._texts(sighting):
                    found |= self._found(words, sighting, part(text)) if text else 0
        return found

    def _found(self, mask: int, sighting: Sighting, text: str) -> int:
        """The bits of patterns that are found in a part of a sighting's text."""
        patterns = self._patterns(sighting)
        found = patterns.match(text) & mask if patterns is not None else 0
        if slow := mask & self._masks.searched:
            for deferred in self._program.deferred:
                if deferred.bit & slow and isinstance(deferred.search.search(text), Found):
                    found |= deferred.bit
        return found

    def _patterns(self, sighting: Sighting) -> PatternSet | None:
        if isinstance(sighting.subject, Tail):
            return self._masks.tails
        return self._masks.messages if isinstance(sighting.subject, Container) else self._masks.errors


def _best(levels: Levels, bit: int) -> EvidenceGroup:
    mask = 1 << bit
    for group, seen in enumerate(levels):
        if seen & mask:
            return _GROUPS[group]
    raise ValueError(f"bit {bit} was not seen")


def _final(text: str, *, goes_on: bool, has_marker: bool) -> str:
    """The final region of a text, without the lines after which the program went on, if it has any."""
    if goes_on:
        length = len(text) if is_short(text) else final_region(text, has_marker=has_marker)
        return without(text, survived(text), end=length)
    return text[len(text) - final_region(text, has_marker=has_marker) :]


def _kept(text: str) -> str:
    return without(text, survived(text), end=len(text))


def _extended(text: str) -> str:
    """The final region with the report before it."""
    length = region_before(text, final_region(text))
    return without(text, survived(text), end=length)


def _raised(text: str) -> str:
    return first_report(text if is_short(text) else text[len(text) - final_region(text) :])
