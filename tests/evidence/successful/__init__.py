"""Logs of runs that succeeded: builds, installs, tests, and servers that were disturbed and stopped.

A rule that finds an infrastructure failure in one of them is wrong. ``lines.xz`` has what differs between their lines
(``mask.py``), in order, by tool and log, and ``manifest.yaml`` says which command made each. ``make.py`` makes them
(``make successful``), ``check.py`` classifies them.

They ship with the wheel once ``failctl`` checks people's own rules against them; ``lines.xz``, ``manifest.yaml`` and
this module then move to ``agent/ctl/classify/successful``, and what makes the logs stays here. So this module imports
nothing from ``tests``.
"""

import lzma
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LINES: Final = Path(__file__).with_name("lines.xz")
_HEADING: Final = "\x1e"
"""Starts the line that names a log; no log has this character, since control characters are removed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """One run: the tool, the name of the run, and its lines, each as the tool wrote it."""

    tool: str
    name: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


def logs(path: Path = LINES) -> Iterator[Log]:
    """Yield the logs of a file, by tool and name. Raises OSError or LZMAError where it cannot be read."""
    with lzma.open(path, "rt", encoding="utf-8", newline="\n") as file:
        for part in file.read().split(_HEADING)[1:]:
            heading, *lines = part.removesuffix("\n").split("\n")
            tool, _, name = heading.partition("/")
            yield Log(tool=tool, name=name, lines=tuple(lines))


def write(found: Iterable[Log], path: Path) -> None:
    """Write logs for ``logs``."""
    text = "".join(f"{_HEADING}{log.tool}/{log.name}\n{log.text}" for log in found)
    # a filter of its own for text: words repeat at a distance, and all of it fits in one dictionary
    text_filter = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": 1 << 26, "lc": 4, "pb": 0}
    path.write_bytes(lzma.compress(text.encode(), format=lzma.FORMAT_XZ, filters=[text_filter]))
