r"""Details of a failure, such as which resource was short, from the named groups of the primary rule's patterns.

``Insufficient (?P<resource>[\w./-]+)`` says of which resource there was too little. The names of groups are those of
``DetailKey``; groups of other names say nothing.
"""

from collections.abc import Iterator

from agent.core.classify.matchers.sight import bounded
from agent.core.classify.matchers.text import AnyText, TextMatcher
from agent.core.classify.pattern import compile_pattern
from agent.core.classify.program import Program
from agent.core.classify.scan import Scan, deciding_text
from agent.core.evidence import Evidence
from agent.core.failure import Detail, DetailKey

IN_LOWER_CASE = frozenset({DetailKey.RESOURCE, DetailKey.PROBE, DetailKey.LIMIT})
"""Keys whose values start with a capital at the start of a sentence only."""


def details(program: Program, number: int, found: Scan, evidence: Evidence) -> tuple[Detail, ...]:
    """The details of a rule that matched, in the order of ``DetailKey``.

    Of several values of a key the smallest is taken, so that the order of events or containers does not matter.
    """
    values: dict[DetailKey, str] = {}
    for key, value in _values(program, number, found, evidence):
        values[key] = min(values.get(key, value), value)
    return tuple(Detail(key=key, value=values[key]) for key in DetailKey if key in values)


def _values(program: Program, number: int, found: Scan, evidence: Evidence) -> Iterator[tuple[DetailKey, str]]:
    for bit in program.parts[number]:
        atom = program.atoms[bit]
        if bit in program.named and atom is not None and isinstance(atom.matcher, TextMatcher):
            for sighting in found.sightings:
                if sighting.mask >> bit & 1:
                    text = deciding_text(atom.matcher, sighting, evidence, bit=1 << bit)
                    yield from _values_in(atom.matcher, text)


def _values_in(matcher: AnyText, text: str) -> Iterator[tuple[DetailKey, str]]:
    found = compile_pattern(matcher.pattern.text).search(text.encode("utf-8", "replace"))
    if found is not None:
        for key in matcher.details:
            if value := found.group(key):
                name = bounded(value.decode("utf-8", "replace"))
                yield key, name.lower() if key in IN_LOWER_CASE else name
