"""Scales: how good the evidence of each match is, from where it was seen (design 6)."""

from collections.abc import Iterator
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
from agent.core.classify.mechanism import names_pod
from agent.core.classify.pattern import compile_pattern, find
from agent.core.classify.program import Program
from agent.core.classify.region import final_region, first_report, is_short, region_before
from agent.core.classify.scan import Scan, Sighting, satisfying
from agent.core.classify.search import Found
from agent.core.classify.survived import survived, without
from agent.core.classify.weakness import is_weak
from agent.core.evidence import Container, Evidence
from agent.core.failure import Trust

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


class Scales:
    """Finds the standing of each match of one scan."""

    def __init__(self, program: Program, found: Scan, evidence: Evidence) -> None:
        self._program = program
        self._sightings = found.sightings
        self._evidence = evidence
        self._regions: dict[str, int] = {}
        self._survived: dict[str, frozenset[int]] = {}

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

    def raised(self, number: int) -> bool:
        """Whether the rule is found in the traceback that a final region starts with."""
        return any(
            self._finds(bit, matcher, first_report(self._region(text, extended=False)))
            for bit, container in self._parts(number)
            if isinstance(matcher := self._matcher(bit), (LogTail, PodError, TerminationMessage))
            for sighting in self._seen(bit, container)
            for text in self._texts(matcher, sighting)
        )

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
        texts = list(self._texts(matcher, sighting))
        if not any(map(self._survived_in, texts)):
            return False
        return not any(self._finds(bit, matcher, self._end(text, len(text))) for text in texts)

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
            return self._end(text, len(text))
        length = self._regions.get(text)
        if length is None:
            length = self._regions[text] = final_region(text)
        if extended:
            length = region_before(text, length)
        return self._end(text, length)

    def _end(self, text: str, length: int) -> str:
        """The last characters of a text, without the lines after which the program went on."""
        return without(text, self._survived_in(text), end=length)

    def _survived_in(self, text: str) -> frozenset[int]:
        lines = self._survived.get(text)
        if lines is None:
            lines = self._survived[text] = survived(text)
        return lines

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
