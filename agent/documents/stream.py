"""Kubernetes objects from a stream of YAML, one at a time, so that memory stays flat: a ``List`` gives item by item."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO

import yaml
from yaml.reader import ReaderError

from agent.bounds import MAX_BYTES, TOO_LARGE, OutOfBoundsError
from agent.documents.compose import Composer, Level, LimitExceeded
from agent.documents.grammar import Grammar
from agent.documents.meaning import meaning
from agent.documents.node import Span, plain
from agent.documents.source import Fault
from agent.documents.written import Written

MAX_ALIASED = 60_000
"""The most nodes that the aliases of an object refer to together."""

MAX_NODES = 200_000
"""The most lists, mappings and texts that are written out in an object: 4 MiB of them would take 500 MB."""

_AROUND_ITEMS = 2
"""The levels around an item: the mapping that has ``items``, and their list."""

_READ_AHEAD = 1 << 16
"""Bytes that libyaml may have read of what follows an object, and more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamedObject:
    """An object, and its faults: do not use an object with faults."""

    value: object
    faults: tuple[Fault, ...]


class BrokenYamlError(ValueError):
    """The stream cannot be read further; the message names line and column."""


def objects(stream: BinaryIO, grammar: Grammar) -> Iterator[StreamedObject]:
    """Yield every object of every document; for a mapping with a list ``items``, each item.

    Raises ``BrokenYamlError`` where YAML ends.
    """
    composer, metered = _ItemComposer(), _Metered(stream)
    try:
        for event in yaml.parse(metered, Loader=yaml.CSafeLoader):
            composer.take(event)
            if composer.faults:
                raise BrokenYamlError(sentence(composer.faults[0]))
            for written in composer.taken():
                metered.begin_object()
                yield from _object(written, grammar)
    except LimitExceeded as stop:
        raise BrokenYamlError(sentence(stop.fault)) from stop
    except OutOfBoundsError as error:
        raise BrokenYamlError(f"line {metered.line}: {error}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BrokenYamlError(f"not YAML: {_one_line(error)}") from error


def sentence(fault: Fault) -> str:
    """Return a fault of a stream as one line, with its place."""
    hint = f"; {fault.hint}" if fault.hint else ""
    return f"line {fault.span.line}, column {fault.span.column}: {fault.message}{hint}"


class _Metered:
    """A stream that ends within an object that is too large: libyaml keeps a text in memory until it is whole."""

    def __init__(self, stream: BinaryIO) -> None:
        self.line = 1
        self._stream = stream
        self._since = 0

    def begin_object(self) -> None:
        """An object is complete: the next one begins."""
        self._since = 0

    def read(self, size: int = -1) -> bytes:
        """Return the next bytes. Raises OutOfBoundsError."""
        if self._since > MAX_BYTES + _READ_AHEAD:
            raise OutOfBoundsError(f"the object is {TOO_LARGE}; split it")
        chunk = self._stream.read(size)
        self._since += len(chunk)
        self.line += chunk.count(b"\n")
        return chunk


class _ItemComposer(Composer):
    """Composes ``items`` at the top of a document as if each item were a document of its own."""

    def __init__(self) -> None:
        super().__init__(_span, max_nodes=MAX_ALIASED, only_aliases=True)
        self._in_list = False
        self._written = 0

    def take(self, event: yaml.Event) -> None:
        """Take the next event. Raises LimitExceeded."""
        self._written += isinstance(event, yaml.NodeEvent)
        if self._written > MAX_NODES:
            message = f"the object has more than {MAX_NODES} lists, mappings and texts"
            raise LimitExceeded(Fault(code="too-many-nodes", span=_span(event), message=message, hint="split it"))
        super().take(event)

    def restart_count(self) -> None:
        super().restart_count()
        self._written = 0

    def level(self, event: yaml.SequenceStartEvent | yaml.MappingStartEvent, span: Span) -> Level:
        level = super().level(event, span)
        if len(self.levels) == 1 and not level.is_mapping and self.levels[0].step() == "items":
            self._in_list = True
            self.around = _AROUND_ITEMS
            level.children = self.roots
        return level

    def taken(self) -> Iterator[Written]:
        """Yield what is complete, and forget it."""
        if not self.levels and self._in_list:
            # The mapping around the items, which it no longer has.
            self.roots.clear()
            self._in_list = False
            self.around = 0
        if self.roots:
            yield from self.roots
            self.roots.clear()
            self.restart_count()


def _object(written: Written, grammar: Grammar) -> Iterator[StreamedObject]:
    node, faults = meaning(written, grammar)
    value = plain(node)
    if value is not None or faults:
        yield StreamedObject(value=value, faults=tuple(faults))


def _span(event: yaml.Event) -> Span:
    mark = event.start_mark
    return Span(line=1, column=1) if mark is None else Span(line=mark.line + 1, column=mark.column + 1)


def _one_line(error: Exception) -> str:
    if isinstance(error, ReaderError):
        return f"position {error.position}: a character that YAML does not allow (#x{error.character:04x})"
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return place + str(getattr(error, "problem", None) or error)
