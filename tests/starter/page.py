"""A page whose commands can be run: its blocks, and whether an output is the one that it shows."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

_BLOCK: Final = re.compile(r"(?:<!-- (?P<mark>[^>]+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```", re.DOTALL)
_COMMAND: Final = re.compile(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", re.MULTILINE)
_NOT_RUN: Final = "not run by the test"
_ELLIPSIS: Final = "..."
_VARYING: Final = tuple(
    (re.compile(pattern), name)
    for pattern, name in (
        (r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "ID"),
        (r"\b(?=[0-9a-f]*\d)[0-9a-f]{8}\b", "ID"),
        (r"\b01[0-9a-hjkmnp-tv-z]{24}\b", "ID"),
        (r"(?<=127\.0\.0\.1:)\d+", "PORT"),
        (r"/\S*(?=/my-cluster)", "FOLDER"),
        (r"\d\d:\d\d(?: [A-Z]{3,4})?\b", "TIME"),
        (r"\b\d+ ?(?:ms|s|min|m|h)\b(?: ?\d+ ?(?:s|m|min))?", "AGE"),
    )
)
"""What differs from run to run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """A command of the page, and what the page says that it prints."""

    command: str
    output: str

    def shows(self, output: str) -> bool:
        """Whether this is the output; lines may be broken elsewhere, and an ellipsis stands for anything."""
        parts = [" ".join(_words(part)) for part in re.split(r"(?m)^\.\.\.$", self.output)]
        return re.fullmatch(".*".join(map(re.escape, parts)), " ".join(_words(output)), re.DOTALL) is not None


def _words(text: str) -> list[str]:
    for pattern, name in _VARYING:
        text = pattern.sub(name, text)
    return text.split()


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """``files`` by name, and the steps, in the order of the page."""

    files: Mapping[str, str]
    steps: Sequence[Step]


def read_page(text: str) -> Page:
    blocks = [(found["mark"] or "", found["kind"], found["text"]) for found in _BLOCK.finditer(text)]
    files = {mark.removeprefix("file: "): content for mark, kind, content in blocks if kind in ("yaml", "json")}
    consoles = [content for mark, kind, content in blocks if kind == "console" and mark != _NOT_RUN]
    return Page(files=files, steps=[step for content in consoles for step in _steps(content)])


def _steps(console: str) -> Iterator[Step]:
    for command, output in _COMMAND.findall(console):
        yield Step(command=command, output=output)
