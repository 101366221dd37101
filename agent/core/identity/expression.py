"""Expressions: where a part of a pod's identity comes from, like ``{namespace}/{label:my/gang}``.

A placeholder is ``uid``, ``name`` or ``namespace`` of the pod; ``label:KEY`` or ``annotation:KEY``; ``owner.uid`` or
``owner.name`` of its controlling owner; ``owner:GROUP/KIND.uid`` or ``.name`` of its owner of that kind. An expression
with an empty placeholder is empty.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import assert_never


class PodField(Enum):
    """A field of the pod's own metadata."""

    UID = "uid"
    NAME = "name"
    NAMESPACE = "namespace"


class OwnerField(Enum):
    """A field of an owner reference."""

    UID = "uid"
    NAME = "name"


@dataclass(frozen=True, slots=True)
class Label:
    key: str


@dataclass(frozen=True, slots=True)
class Annotation:
    key: str


@dataclass(frozen=True, slots=True)
class Owner:
    """An owner of this API group and kind; if ``kind`` is empty, the controlling owner of any kind."""

    field: OwnerField
    kind: str = ""
    group: str = ""


MetadataField = PodField | Label | Annotation | Owner


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """Literal text and placeholders, in order; ``text`` is the source."""

    text: str
    parts: tuple[str | MetadataField, ...]


class ExpressionError(ValueError):
    """An invalid expression; the text says why."""


_KEY = re.compile(r"(?:[a-z0-9](?:[-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9](?:[-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_OWNER = re.compile(r"(?P<group>[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)/(?P<kind>[A-Z][A-Za-z0-9]*)\.(?P<field>uid|name)")
_PART = re.compile(r"\{([^{}]*)\}|([^{}]+)|([{}])")
_PLAIN: Mapping[str, MetadataField] = {
    **{field.value: field for field in PodField},
    **{f"owner.{field.value}": Owner(field) for field in OwnerField},
}
_PLACES = "uid, name, namespace, label:KEY, annotation:KEY, owner.uid, owner.name, owner:GROUP/KIND.uid"


def parse_expression(text: str) -> Expression:
    """Parse an expression. Raises ExpressionError."""
    parts = tuple(_part(found, text) for found in _PART.finditer(text))
    if not any(not isinstance(part, str) for part in parts):
        raise ExpressionError(f"no placeholder in it: write one in braces ({_PLACES})")
    return Expression(text=text, parts=parts)


def _part(found: re.Match[str], text: str) -> str | MetadataField:
    place, literal, stray = found.groups()
    if stray is not None:
        raise ExpressionError(f"a brace at character {found.start() + 1} of {text!r} has no partner")
    return literal if place is None else _place(place)


def _place(text: str) -> MetadataField:
    kind, colon, rest = text.partition(":")
    if text in _PLAIN:
        return _PLAIN[text]
    if colon and kind in ("label", "annotation"):
        return _key(kind, rest)
    if kind == "owner" and (found := _OWNER.fullmatch(rest)):
        return Owner(OwnerField(found["field"]), kind=found["kind"], group=found["group"])
    raise ExpressionError(f"unknown placeholder {text!r}; use one of {_PLACES}")


def _key(kind: str, key: str) -> Label | Annotation:
    if not _KEY.fullmatch(key):
        raise ExpressionError(f"not a key of {kind}s: {key!r}")
    return Label(key) if kind == "label" else Annotation(key)


def in_words(expression: Expression) -> str:
    """The places that an expression reads, as people call them: ``the label team and the annotation my/gang``."""
    return " and ".join(_in_words(part) for part in expression.parts if not isinstance(part, str))


def _in_words(place: MetadataField) -> str:
    match place:
        case Label(key=key):
            return f"the label {key}"
        case Annotation(key=key):
            return f"the annotation {key}"
        case Owner(field=field, kind=kind):
            return f"the {field.value} of its {kind or 'owner'}"
        case PodField() as field:
            return f"the pod's {field.value}"
        case _ as unreachable:
            assert_never(unreachable)
