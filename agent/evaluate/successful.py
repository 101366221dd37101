"""Logs of runs that succeeded, and the rules that match in them: nothing failed, so whatever they blame is wrong.

``config/successful-runs.xz`` has their lines, in order, by tool and run. ``tests/evidence/successful`` makes them.
"""

import lzma
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.core.classify.classifier import Classifier
from agent.core.classify.rules import RuleSet
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, LogTail, Pod, StateKind
from agent.core.failure import Match, Origin
from agent.shipped import SUCCESSFUL_RUNS, shipped

WINDOWS: Final = (4 << 10, 64 << 10)
"""The sizes, in bytes, of the pieces into which a log is cut; each piece is classified as the tail of a log."""

_HEADING: Final = "\x1e"
"""Starts the line that names a log; no log has this character, since control characters are removed."""
_BLAMED: Final = frozenset({Origin.INFRA, Origin.PLATFORM})


@dataclass(frozen=True, slots=True, kw_only=True)
class Log:
    """The lines of one run of a tool, without lines that repeat an earlier one except for numbers, paths and ids."""

    tool: str
    name: str
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "".join(f"{line}\n" for line in self.lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class FalseName:
    """A rule that blames infrastructure or the platform in a window of a log, the text that it found, and its line.

    ``refused``: why the match did not count, empty where it did. ``number`` is that of the window in its log.
    """

    rule: str
    tool: str
    log: str
    window: int
    number: int
    primary: bool
    refused: str
    text: str
    line: str


def successful_logs(path: Path | None = None) -> Iterator[Log]:
    """Yield the logs of a file, by default the shipped one. Raises OSError or LZMAError if it cannot be read."""
    with lzma.open(path or shipped(SUCCESSFUL_RUNS), "rt", encoding="utf-8", newline="\n") as file:
        for part in file.read().split(_HEADING)[1:]:
            heading, *lines = part.removesuffix("\n").split("\n")
            tool, _, name = heading.partition("/")
            yield Log(tool=tool, name=name, lines=tuple(lines))


def packed(logs: Iterable[Log]) -> str:
    """Return the text that ``successful_logs`` reads."""
    return "".join(f"{_HEADING}{log.tool}/{log.name}\n{log.text}" for log in logs)


class Blame:
    """Finds the false names of a rule file in logs of runs that succeeded."""

    def __init__(self, classifier: Classifier, rules: RuleSet) -> None:
        self._classifier = classifier
        self._origins = {
            (category.pack, category.name, number): rule.origin or category.origin or Origin.UNKNOWN
            for category in rules.categories
            for number, rule in enumerate(category.rules)
        }

    def false_names(self, log: Log, *, size: int) -> Iterator[FalseName]:
        """Yield every false name in the windows of this size, in bytes, refused ones too."""
        for number, lines in enumerate(windows(log.lines, size)):
            result = self._classifier.classify(exited("\n".join(lines)))
            found = [(match, "") for match in result.matches]
            found += [(hypothesis.match, hypothesis.refused) for hypothesis in result.hypotheses]
            for place, (match, refused) in enumerate(found):
                if self._origins[match.pack, match.category, match.rule_index] in _BLAMED:
                    yield FalseName(
                        rule=_named(match),
                        tool=log.tool,
                        log=log.name,
                        window=size,
                        number=number,
                        primary=place == 0 and not refused,
                        refused=refused,
                        text=match.text,
                        line=_line_of(match, lines),
                    )


def _named(match: Match) -> str:
    pack = f" of {match.pack}" if match.pack else ""
    return f"{match.category}/{match.subcategory} rule {match.rule_index + 1}{pack}"


def windows(lines: Sequence[str], size: int) -> Iterator[list[str]]:
    """Yield the lines in pieces of at most ``size`` bytes each, newlines counted; a longer line is a piece."""
    piece: list[str] = []
    used = 0
    for line in lines:
        length = len(line.encode()) + 1
        if piece and used + length > size:
            yield piece
            piece, used = [], 0
        piece.append(line)
        used += length
    if piece:
        yield piece


def exited(text: str) -> Evidence:
    """Return what is known of a pod whose container exited with code 1 after it logged this."""
    state = ContainerState(kind=StateKind.TERMINATED, reason="Error", exit_code=1)
    container = Container(name="main", kind=ContainerKind.APP, state=state, ended=state)
    pod = Pod(phase="Failed", containers=(container,))
    return Evidence(pod=pod, log_tails=(LogTail(container="main", text=text),))


def _line_of(match: Match, lines: Sequence[str]) -> str:
    """Return the line that contains the match; the match itself if it has several lines."""
    return next((line for line in lines if match.text in line), match.text).strip()
