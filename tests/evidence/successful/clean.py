"""Removes from logs what names the machine that made them, package registries and people."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from agent.observe.text import strip
from tests.ground.addresses import REGISTRIES

PLACE: Final = "/srv/build"
HOST: Final = "packages.example.com"
LONGEST: Final = 4096
"""Characters of the longest line that is kept."""

_SHORTEST_NAME: Final = 6
"""Characters of a variable's name: shorter ones are also words, ``PATH`` and ``HOME`` name places."""

_ESCAPES: Final = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\^_])")
_PERSON: Final = re.compile(r"\b[A-Za-z0-9][\w.+-]*@(?!example\.)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}\b")


class Cleaner:
    """Cleans lines; ``places`` are folders of this machine, the longest replaced first, ``hosts`` its registries.

    Lines that name one of the ``variables`` of its environment are left out.
    """

    def __init__(self, *, places: Iterable[Path], hosts: Iterable[str], variables: Iterable[str] = ()) -> None:
        ordered = sorted({str(place) for place in places} - {"/"}, key=len, reverse=True)
        self._places = re.compile("|".join(rf"{re.escape(place)}(?![\w.-])" for place in ordered) or r"(?!)")
        shown = "|".join(re.escape(name) for name in variables if len(name) >= _SHORTEST_NAME) or r"(?!)"
        self._variables = re.compile(rf"(?<!\w)(?:{shown})(?!\w)")
        names = "|".join([*(re.escape(host) for host in hosts), *REGISTRIES])
        self._names = re.compile(names, re.IGNORECASE)
        self._hosts = re.compile(rf"(?<![\w-])(?:[\w-]+\.)*(?:{names})(?!\w)", re.IGNORECASE)

    def lines(self, text: str) -> Iterator[str]:
        """Yield the lines of a log that are kept, clean; a line that was drawn over is a line."""
        for line in re.split(r"[\r\n]+", _ESCAPES.sub("", text)):
            clean = strip(line).rstrip()
            if clean and len(clean) <= LONGEST and not self._variables.search(clean):
                yield self._neutral(clean)

    def _neutral(self, line: str) -> str:
        line = self._places.sub(PLACE, line)
        if self._names.search(line):  # much faster where nothing is found
            line = self._hosts.sub(HOST, line)
        return _PERSON.sub("someone@example.com", line) if "@" in line else line
