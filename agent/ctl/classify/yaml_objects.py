"""YAML documents, composed one object at a time: the items of a ``List`` are given as they are read."""

from collections.abc import Iterator
from typing import Any, BinaryIO

import yaml
from yaml._yaml import CParser
from yaml.composer import Composer
from yaml.constructor import SafeConstructor
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
    StreamStartEvent,
)
from yaml.resolver import Resolver


class YamlError(ValueError):
    """Text that is not YAML; the message names line and column."""


class _Loader(Composer, CParser, SafeConstructor, Resolver):
    """PyYAML's C scanner with its Python composer, which can compose a part of a document."""

    def __init__(self, stream: BinaryIO) -> None:
        CParser.__init__(self, stream)
        Composer.__init__(self)
        SafeConstructor.__init__(self)
        Resolver.__init__(self)


def yaml_objects(stream: BinaryIO) -> Iterator[object]:
    """Every object of every document; items of a List one by one. Raises ``YamlError``."""
    try:
        loader = _Loader(stream)
        _take(loader, StreamStartEvent)
        while not loader.check_event(StreamEndEvent):
            yield from _document(loader)
    except (yaml.YAMLError, ValueError) as error:
        raise YamlError(_one_line(error)) from error


def _document(loader: Any) -> Iterator[object]:  # noqa: ANN401  # CParser has no stubs
    _take(loader, DocumentStartEvent)
    if loader.check_event(MappingStartEvent):
        yield from _mapping(loader)
    else:
        value = _value(loader)
        if value is not None:
            yield value
    _take(loader, DocumentEndEvent)
    loader.anchors = {}


def _mapping(loader: Any) -> Iterator[object]:  # noqa: ANN401  # CParser has no stubs
    """The mapping as one object; but where it has ``items`` as a list, each item."""
    loader.get_event()
    members: dict[object, object] = {}
    opened = False
    while not loader.check_event(MappingEndEvent):
        key = _value(loader) if loader.check_event(ScalarEvent) else str(_value(loader))
        if key == "items" and loader.check_event(SequenceStartEvent):
            opened = True
            yield from _items(loader)
        else:
            members[key] = _value(loader)
    loader.get_event()
    if not opened:
        yield members


def _items(loader: Any) -> Iterator[object]:  # noqa: ANN401  # CParser has no stubs
    loader.get_event()
    while not loader.check_event(SequenceEndEvent):
        yield _value(loader)
    loader.get_event()


def _value(loader: Any) -> object:  # noqa: ANN401  # CParser has no stubs
    return loader.construct_document(loader.compose_node(None, None))


def _take(loader: Any, kind: type) -> None:  # noqa: ANN401  # CParser has no stubs
    event = loader.get_event()
    if not isinstance(event, kind):
        raise YamlError(f"line {event.start_mark.line + 1}: expected {kind.__name__}, found {type(event).__name__}")


def _one_line(error: Exception) -> str:
    mark = getattr(error, "problem_mark", None)
    place = f"line {mark.line + 1}, column {mark.column + 1}: " if mark is not None else ""
    return place + str(getattr(error, "problem", None) or error)
