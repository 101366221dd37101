r"""Loose patterns: those that are found where nobody meant them, each with a line that shows it.

Two mistakes are common. ``port error`` is found in ``import error``, because it can begin inside a word. And
``OFI[^\n]*error`` is found in every line that has three characters somewhere and a common word somewhere after them.
"""

import re
from collections.abc import Iterator
from typing import Final

from agent.core.classify.pattern import compile_pattern, find
from agent.manifests.matchers.sample import samples

_WORDS: Final = """\
accept account address affect allocate already application argument assert attempt author available average back
batch because before begin binary bool branch broker browser buffer build bundle business cache cancel capture
category change channel character check checkpoint class clean client cluster collect command comment commit
common compile complete component compress condition config configuration connection consider console container
content context continue control convert correct counter coverage create credential current custom database
dataset debug declare default define delete deliver dependency deploy deprecated describe detail develop device
dictionary different directory disable display distribution document domain download driver duration dynamic
early effect element enable encode endpoint engine entry environment epoch equal evaluate event example
exception execute exist expect export express extension external extract factory feature fetch field file filter
final finish float folder follow force format forward frame function generate global gradient graph group handle
handler header health helper history host identifier ignore image implement import include index information
inherit initial input insert install instance integer interface internal invoke iterator journal kernel keyword
label language latest launch layer layout leader learning length level library license limit listen loader local
location logger logging loss machine manager manifest mapping master matching matrix maximum measure member
memory merge message metadata method metric migration minimum mirror missing mode model module monitor mount
multiple native network node noprofile notebook notice number object offset operator option order origin output
overlay package parallel parameter parent parse partition password patch path pattern performance permission
pipefail pipeline platform plugin point policy pool port position predict prefix prepare preparing present
preview previous print priority process produce profile program progress project property protocol provide
provider publish purpose python quality query queue random range rank reader ready reason receive record recover
redirect reduce refer reference refresh region register registry relation release reload remote remove render
repair replace replica report repository represent request require reserve reset resolve resource response
restart restore result resume retention retrieve return review role rollback route routine runtime sample
scheduler schema scope score script search section select sender sensor sequence serial server service session
setting setup shard share shell signature similar simulate single size snapshot source special split stage
standard start state statement static station status stderr step storage store strategy stream string structure
submit subscribe success summary supply support surface suspend switch symbol system table target task template
tensor terminal test text thread token topic trace track train transfer transform transport trigger tutorial
type undefined unique unit update upgrade upload usage user using utility valid value variable vector verify
version virtual volume wait warning watch weight window worker workflow wrapper write
""".split()  # noqa: SIM905 - a long list of words reads better as a text
"""Words that stand in many logs."""

_COMMON: Final = (
    "error",
    "fail",
    "failed",
    "failure",
    "timeout",
    "timed out",
    "fatal",
    "down",
    "invalid",
    "warn",
    "abort",
)
_SHORT: Final = 4
_TOKEN_AT_START: Final = re.compile(r"[A-Za-z]+")
_FILLING: Final = " starts; there was no "


def loose_line(pattern: str) -> str | None:
    """A line that a valid RE2 pattern finds although it means something else; ``None`` if none is known."""
    regex = compile_pattern(pattern)
    lines = (line for sample in samples(pattern, gap=_FILLING) for line in (*_inside_words(sample), *_spans(sample)))
    return next((line for line in lines if find(regex, line) is not None), None)


def _inside_words(sample: str) -> Iterator[str]:
    """The sample with its first word inside a longer one, and with its last."""
    first = _TOKEN_AT_START.match(sample)
    if first is not None and len(first.group()) > 1 and not sample.isalpha():
        for word in _WORDS:
            if word.endswith(first.group().lower()) and word != first.group().lower():
                yield word + sample[first.end() :]
    if sample.isalpha() and 1 < len(sample) <= _SHORT:
        yield from (word for word in _WORDS if sample.lower() in word and word != sample.lower())


def _spans(sample: str) -> Iterator[str]:
    """The sample, if a gap of any length joins a short token and a common word."""
    before, gap, after = sample.partition(_FILLING)
    if gap and before.isalpha() and len(before) <= _SHORT and after.lower().startswith(_COMMON):
        yield from (word + gap + after for word in _WORDS if before.lower() in word and word != before.lower())
        yield before + gap + after
