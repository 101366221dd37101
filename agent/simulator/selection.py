"""Label and field selectors (apimachinery: pkg/labels, pkg/fields)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from agent.simulator.kinds import Json, Kind, Path, at
from agent.simulator.status import bad_request

_NAME: Final = r"[A-Za-z0-9_./-]+"
_SET: Final = re.compile(rf"({_NAME})\s+(in|notin)\s*\(([^()]*)\)")
_EQUALITY: Final = re.compile(rf"({_NAME})\s*(==|=|!=)\s*([A-Za-z0-9_.-]*)")
_EXISTENCE: Final = re.compile(rf"(!?)\s*({_NAME})")
_OUTER_COMMA: Final = re.compile(r",(?![^(]*\))")
_FIELD: Final = re.compile(r"([^=!,]+)(==|=|!=)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelRequirement:
    """``negated`` also fits an object without the label; ``values`` of ``None`` ask for the label only."""

    label: str
    values: frozenset[str] | None
    negated: bool

    def fits(self, labels: Mapping[str, object]) -> bool:
        """Whether an object with these labels matches."""
        value = labels.get(self.label)
        found = value is not None and (self.values is None or value in self.values)
        return found is not self.negated


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldRequirement:
    """A field must, or must not, have this text; absence is the empty text."""

    path: Path
    value: str
    negated: bool

    def fits(self, thing: Json) -> bool:
        """Whether the object is wanted."""
        return (_as_text(at(thing, self.path)) == self.value) is not self.negated


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """The objects that a request selects; ``namespace`` ``""`` is all."""

    namespace: str = ""
    labels: tuple[LabelRequirement, ...] = ()
    fields: tuple[FieldRequirement, ...] = ()

    @property
    def everything(self) -> bool:
        return not (self.namespace or self.selective)

    @property
    def selective(self) -> bool:
        """Whether labels or fields leave something out."""
        return bool(self.labels or self.fields)

    def fits(self, thing: Json) -> bool:
        """Whether the object is wanted."""
        meta = thing["metadata"]
        if self.namespace and meta.get("namespace") != self.namespace:
            return False
        labels = meta.get("labels") or {}
        return all(wanted.fits(labels) for wanted in self.labels) and all(wanted.fits(thing) for wanted in self.fields)


def select(kind: Kind, *, namespace: str, labels: str, fields: str) -> Selection:
    """Read the selectors of a request. Raises StatusError (400) as the server does."""
    return Selection(namespace=namespace, labels=read_labels(labels), fields=read_fields(kind, fields))


def read_labels(text: str) -> tuple[LabelRequirement, ...]:
    """Read a label selector. Raises StatusError (400)."""
    return tuple(_label(part.strip(), text) for part in _OUTER_COMMA.split(text)) if text.strip() else ()


def _label(part: str, whole: str) -> LabelRequirement:
    if match := _SET.fullmatch(part):
        values = frozenset(value.strip() for value in match[3].split(","))
        return LabelRequirement(label=match[1], values=values, negated=match[2] == "notin")
    if match := _EQUALITY.fullmatch(part):
        return LabelRequirement(label=match[1], values=frozenset({match[3]}), negated=match[2] == "!=")
    if match := _EXISTENCE.fullmatch(part):
        return LabelRequirement(label=match[2], values=None, negated=match[1] == "!")
    if (match := _EQUALITY.match(part)) and part[match.end() :].startswith("="):
        raise bad_request("found '=', expected: ',' or 'end of string'")
    raise bad_request(f"unable to parse requirement: {part!r} of {whole!r}")


def read_fields(kind: Kind, text: str) -> tuple[FieldRequirement, ...]:
    """Read a field selector. Raises StatusError (400)."""
    return tuple(_field(kind, part, text) for part in text.split(",") if part)


def _field(kind: Kind, part: str, whole: str) -> FieldRequirement:
    match = _FIELD.fullmatch(part)
    if match is None:
        raise bad_request(f"invalid selector: '{whole}'; can't understand '{part}'")
    path = kind.fields.get(match[1])
    if path is None:
        raise bad_request(f"field label not supported: {match[1]}")
    return FieldRequirement(path=path, value=match[3], negated=match[2] == "!=")


def _as_text(value: object) -> str:
    match value:
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case _:
            return str(value)
