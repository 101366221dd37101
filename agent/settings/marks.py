"""A YAML file as plain values with their positions, as ``agent.documents`` reads it."""

from dataclasses import dataclass
from typing import cast

from agent.documents.checked import not_one
from agent.documents.compose import read
from agent.documents.node import Mapping, Node, Span, find, plain
from agent.documents.problem import Problem
from agent.settings.fault import ConfigError, SettingFault

Plain = None | bool | int | float | str | list["Plain"] | dict[str, "Plain"]
"""What JSON can say."""

Path = tuple[str | int, ...]
"""Keys and positions from the top of a document down to a value."""

_TOP = Span(line=1, column=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Marked:
    """A document, the positions of its values, and what is wrong with it as YAML; without a file all are empty."""

    file: str
    value: Plain
    root: Node | None = None
    faults: tuple[SettingFault, ...] = ()

    def place(self, path: Path) -> str:
        """``file:line:column`` of a value, or of the nearest thing around it that is there."""
        if self.root is None:
            return _place(self.file, _TOP) if self.file else ""
        node = next(node for length in range(len(path), -1, -1) if (node := find(self.root, path[:length])))
        return _place(self.file, node.span)

    def key_place(self, path: Path) -> str:
        """``file:line:column`` of the key of a value, else of the value."""
        owner = find(self.root, path[:-1]) if self.root is not None and path else None
        entry = owner.entry(str(path[-1])) if isinstance(owner, Mapping) else None
        return _place(self.file, entry.span) if entry else self.place(path)


def read_marked(text: str | bytes, *, file: str) -> Marked:
    """Read one YAML document. Raises ConfigError for what is not YAML and for several documents."""
    documents = read(text, file=file)
    faults = tuple(_fault(problem) for problem in documents.problems)
    if len(documents.roots) > 1:
        raise ConfigError(*faults, _fault(not_one(documents)))
    if not documents.roots:
        if faults:
            raise ConfigError(*faults)
        return Marked(file=file, value={})
    root = documents.roots[0]
    return Marked(file=file, value=cast("Plain", plain(root)), root=root, faults=faults)


def read_scalar(text: str) -> Plain:
    """Read a scalar, list or mapping, such as the text of a variable whose setting is not text.

    ``None`` is a text that is not YAML, or says nothing. Raises ConfigError for one that means several things.
    """
    if not text.strip():
        return text
    try:
        marked = read_marked(text, file="value")
    except ConfigError:
        return None
    if marked.faults:
        raise ConfigError(*marked.faults)
    return marked.value if marked.root is not None else None


def _fault(problem: Problem) -> SettingFault:
    # Without the text of the line: it may contain a password, and the fault is logged.
    message = "; ".join(part for part in (problem.message, problem.hint) if part)
    return SettingFault(
        place=_place(problem.file, Span(line=problem.line, column=problem.column)), path=problem.path, message=message
    )


def _place(file: str, span: Span) -> str:
    return f"{file}:{span.line}:{span.column}"
