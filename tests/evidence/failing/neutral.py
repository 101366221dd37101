"""Logs without the machine they were made on: its folders, its name and the registries it uses."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

REGISTRY: Final = "registry.example"
_REGISTRIES: Final = re.compile(
    r"(?:[a-z0-9-]+\.)*(?:pypi\.(?:python\.)?org|pythonhosted\.org|npmjs\.(?:org|com)|yarnpkg\.com|crates\.io"
    r"|maven\.(?:apache\.)?org|debian\.org)|(?:proxy|sum)\.golang\.org",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Renamed:
    """What a text of this machine is called in a log."""

    here: str
    there: str

    @property
    def within(self) -> re.Pattern[str]:
        """Finds the name; a folder also behind an option, as in ``-I/usr``, anything else as a whole word."""
        before = "" if self.here.startswith("/") else r"(?<![A-Za-z0-9_.-])"
        return re.compile(rf"{before}{re.escape(self.here)}(?![A-Za-z0-9_-])")


def neutral(text: str, renamed: Iterable[Renamed]) -> str:
    """The text with each name replaced, the longest first, so that a folder in a folder keeps its own name."""
    for name in sorted(renamed, key=lambda name: len(name.here), reverse=True):
        text = name.within.sub(name.there, text)
    return _REGISTRIES.sub(REGISTRY, text)
