"""The shape of a document: strict pydantic models, and their errors as faults of the text."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails, PydanticCustomError

from agent.documents.node import List, Mapping, MappingEntry, Node, PathStep, Scalar, Span, kind, plain, write_path
from agent.documents.problem import nearest_or_all, quote
from agent.documents.source import Fault
from agent.documents.wording import expected, limit, refusal, unknown_word

_OUT_OF_RANGE = frozenset({"greater_than", "greater_than_equal", "less_than", "less_than_equal", "finite_number"})


class Shape(BaseModel):
    """A mapping that people write. Unknown fields are errors; nothing is converted."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


Shaped = TypeVar("Shaped", bound=Shape)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit(Generic[Shaped]):
    """The result of comparing a mapping with its shape: the value if it fits, else every fault."""

    value: Shaped | None
    faults: tuple[Fault, ...]


def check(model: type[Shaped], root: Node, *, at: Sequence[PathStep] = ()) -> Fit[Shaped]:
    """Compare a node with a shape. ``at`` is the node's own path in its document."""
    try:
        return Fit(value=model.model_validate(plain(root)), faults=())
    except ValidationError as error:
        details = error.errors(include_url=False, include_input=False)
        return Fit(value=None, faults=tuple(_fault(model, root, detail, at) for detail in details))


def refuse(code: str, message: str, *, hint: str = "") -> PydanticCustomError:
    """Return the error that a validator of a field raises; code, message and hint reach the problem as they are."""
    return PydanticCustomError(code, "{text}", {"text": message, "hint": hint})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """The node at the location of an error; ``entry`` is set if the last step is a key."""

    steps: tuple[PathStep, ...]
    node: Node
    entry: MappingEntry | None

    @property
    def value_span(self) -> Span:
        # A value that was left out has no position of its own; its key has.
        written_empty = isinstance(self.node, Scalar) and not self.node.text and self.node.plain
        return self.entry.span if self.entry and written_empty else self.node.span


def _fault(model: type[Shape], root: Node, detail: ErrorDetails, at: Sequence[PathStep]) -> Fault:
    location = detail["loc"]
    place = _place(root, location)
    path = write_path([*at, *place.steps])
    known = _known(model, location, kind=detail["type"])
    code, message, hint = _words(detail, place, known)
    span = place.entry.span if place.entry and detail["type"] == "extra_forbidden" else place.value_span
    return Fault(code=code, span=span, path=path, message=message, hint=hint)


def _words(detail: ErrorDetails, place: _Place, known: Sequence[str]) -> tuple[str, str, str]:
    """Return the code, message and hint of one error."""
    sort, context = detail["type"], detail.get("ctx", {})
    if "text" in context:
        return sort, context["text"], context["hint"]
    if wanted := expected(detail):
        return _wrong_type(wanted, place.node, known)
    if sort in ("enum", "literal_error"):
        return _unknown_value(place.node, known)
    return _field_words(detail, known)


def _field_words(detail: ErrorDetails, known: Sequence[str]) -> tuple[str, str, str]:
    name = str(detail["loc"][-1]) if detail["loc"] else ""
    match detail["type"]:
        case "extra_forbidden":
            return "unknown-field", f"unknown field {quote(name)}", nearest_or_all(name, known)
        case "missing":
            return "missing-field", f"{quote(name)} is required", ""
        case "too_short":
            return "empty", f"{quote(name)} needs at least one value", ""
        case sort:
            code = "out-of-range" if sort in _OUT_OF_RANGE else "invalid-value"
            return code, limit(detail) or refusal(detail), ""


def _wrong_type(wanted: str, node: Node, known: Sequence[str]) -> tuple[str, str, str]:
    return "wrong-type", f"expected {wanted}, found {kind(node)}", _wrong_type_hint(wanted, node, known)


def _wrong_type_hint(wanted: str, node: Node, known: Sequence[str]) -> str:
    if wanted == "a mapping" and known:
        return f"its fields are: {', '.join(known)}"
    if not isinstance(node, Scalar) or node.value is None:
        return ""
    if wanted == "text":
        return f'if it is text, quote it: "{node.text}"'
    if wanted == "a list":
        return f"write it as a list: [{quote(node.text).strip('`')}]"
    if wanted == "true or false":
        return "YAML 1.2 has only these two words"
    return ""


def _unknown_value(node: Node, known: Sequence[str]) -> tuple[str, str, str]:
    written = node.text if isinstance(node, Scalar) else kind(node)
    return "unknown-value", *unknown_word(written, known)


def _place(root: Node, location: Sequence[PathStep]) -> _Place:
    """Follow a location as far as the text goes; a step that only the model has (a one-item list) is left out."""
    node, entry, steps = root, None, []
    for step in location:
        if isinstance(step, int) and not isinstance(node, List):
            continue
        steps.append(step)
        if isinstance(step, int) and isinstance(node, List) and step < len(node.items):
            node, entry = node.items[step], None
        elif isinstance(step, str) and isinstance(node, Mapping) and (found := node.entry(step)):
            node, entry = found.value, found
        else:
            break
    return _Place(steps=tuple(steps), node=node, entry=entry)


def _known(model: type[Shape], location: Sequence[PathStep], *, kind: str) -> tuple[str, ...]:
    """Return the fields, or the words, that the model knows at this location."""
    steps = location[:-1] if kind == "extra_forbidden" else location
    annotation: Any = model
    for step in steps:
        annotation = _step_into(_unwrap(annotation), step)
    bare = _unwrap(annotation)
    if get_origin(bare) is Literal:
        return tuple(str(word) for word in get_args(bare))
    if isinstance(bare, type) and issubclass(bare, Enum):
        return tuple(str(member.value) for member in bare)
    if isinstance(bare, type) and issubclass(bare, Shape):
        return tuple(bare.model_fields)
    return ()


def _step_into(annotation: Any, step: PathStep) -> Any:  # noqa: ANN401 - annotations are any objects
    if isinstance(step, int):
        return get_args(annotation)[0] if get_origin(annotation) is list else None
    if isinstance(annotation, type) and issubclass(annotation, Shape) and step in annotation.model_fields:
        return annotation.model_fields[step].annotation
    return None


def _unwrap(annotation: Any) -> Any:  # noqa: ANN401 - as above
    """Return the annotation without Annotated and without None."""
    if get_origin(annotation) is Annotated:
        return _unwrap(get_args(annotation)[0])
    if get_origin(annotation) in (Union, UnionType):
        return _unwrap(next(part for part in get_args(annotation) if part is not NoneType))
    return annotation
