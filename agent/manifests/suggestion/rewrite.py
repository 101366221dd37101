"""Texts with suggested changes: comments and the order of fields stay.

Whatever is given here, our own reader has read before: ruamel has no bounds.
"""

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from io import StringIO
from typing import Any, Final

from ruamel.yaml import YAML  # noqa: TID251 - as above
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import YAMLError
from ruamel.yaml.scalarstring import DoubleQuotedScalarString

from agent.core.suggestion.change import Change, Insert, Put, apply
from agent.documents.compose import read
from agent.documents.grammar import MANIFEST
from agent.documents.node import plain

_NEXT: Final = "template"
"""New fields of a spec are written before this one, which is long."""

_GAP: Final = r"[^\n]*:[ ]*(?:#[^\n]*)?\n(?:[ ]*(?:#[^\n]*)?\n)*"
_KEY: Final = r"[^\s#\[\]{}-]"
_LIST: Final = re.compile(rf"^(?P<key> *(?:- +)*){_KEY}{_GAP}(?P<item> *)- ", re.MULTILINE)
_MAPPING: Final = re.compile(rf"^(?P<key> *(?:- +)*){_KEY}{_GAP}(?P<item> +){_KEY}", re.MULTILINE)


class NotRewritableError(ValueError):
    """A text cannot be changed without changing what else it says."""

    def __init__(self) -> None:
        super().__init__(
            "this YAML cannot be changed without changing what else it says; write its aliases, merges and tags out"
        )


def rewritten(text: str, documents: Sequence[object], changes: Mapping[int, Sequence[Change]]) -> str:
    """Return the text with the changes of each document, by its number among those that are not empty.

    ``documents`` are the contents of the text. Without changes the text stays as it is. Raises ``NotRewritableError``.
    """
    if not any(changes.values()):
        return text
    try:
        result = _changed(text, changes)
    except (YAMLError, LookupError, TypeError, ValueError) as error:  # ruamel reads it otherwise than our own reader
        raise NotRewritableError from error
    if _contents(result) != _expected(documents, changes):
        raise NotRewritableError
    return result


def _changed(text: str, changes: Mapping[int, Sequence[Change]]) -> str:
    yaml = _yaml(text)
    trees = list(yaml.load_all(text))
    numbered = enumerate(tree for tree in trees if tree is not None)
    for number, tree in numbered:
        for change in changes.get(number, ()):
            _change(change, tree)
    out = StringIO()
    yaml.dump_all(trees, out)
    return out.getvalue()


def _expected(documents: Sequence[object], changes: Mapping[int, Sequence[Change]]) -> list[object]:
    expected = [deepcopy(document) for document in documents]
    for number, document in enumerate(expected):
        for change in changes.get(number, ()):
            apply(change, document)
    return expected


def _contents(text: str) -> list[object]:
    documents = read(text, file="", grammar=MANIFEST)
    return [plain(root) for root in documents.roots] if not documents.problems else []


def _change(change: Change, tree: Any) -> None:  # noqa: ANN401 - ruamel's tree has the types of what was written
    match change:
        case Put(at=(*above, last), value=value):
            parent = _parent(tree, above)
            if last in parent or _NEXT not in parent:
                parent[last] = _written(value)
            else:
                parent.insert(_place(parent), last, _written(value))
        case Insert(at=(*above, place), value=value, why=why):
            listed = _parent(tree, above)
            comments = _comments_above(_parent(tree, above[:-1]), above[-1]) if place == 0 else None
            apply(Insert(at=(place,), value=_written(value), why=why), listed)
            if comments:
                listed.ca.comment = None
                listed.ca.items[1] = [None, comments, None, None]
        case _:
            apply(change, tree)


def _parent(tree: Any, steps: Sequence[str | int]) -> Any:  # noqa: ANN401 - as above
    for step in steps:
        tree = tree[step]
    return tree


def _place(parent: CommentedMap) -> int:
    """The last place before the template that does not separate a field from the comment above it.

    ruamel keeps such a comment with the value before it, after the end of that line.
    """
    keys = list(parent)
    for place in range(keys.index(_NEXT), 0, -1):
        before = keys[place - 1]
        follows = parent.ca.items.get(before)
        lines = follows[2].value.splitlines() if follows and follows[2] else []
        if not isinstance(parent[before], CommentedMap | CommentedSeq) and len(lines) <= 1:
            return place
    return keys.index(_NEXT)


def _comments_above(parent: CommentedMap, key: str | int) -> Any:  # noqa: ANN401 - as above
    """Take the comments between a key and the first item of its list, which belong to the item."""
    follows = parent.ca.items.get(key)
    if not follows or not follows[3]:
        return None
    comments, follows[3] = follows[3], None
    return comments


def _written(value: object) -> object:
    """A value as people write it: texts that look like something else in quotes."""
    match value:
        case dict():
            return CommentedMap({key: _written(below) for key, below in value.items()})
        case list():
            return CommentedSeq(_written(item) for item in value)
        case "True":
            return DoubleQuotedScalarString(value)
        case _:
            return value


def _yaml(text: str) -> YAML:
    """A reader and writer that indents as the text does, where it first does."""
    offset = _indent(_LIST, text, default=0)
    yaml = YAML(typ="rt")
    yaml.preserve_quotes = True
    yaml.width = 1_000_000
    yaml.explicit_start = text.startswith("---")
    yaml.indent(mapping=_indent(_MAPPING, text, default=2), sequence=offset + 2, offset=offset)
    return yaml


def _indent(pattern: re.Pattern[str], text: str, *, default: int) -> int:
    found = pattern.search(text)
    return max(0, len(found["item"]) - len(found["key"])) if found else default
