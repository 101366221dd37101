"""Words for pydantic's errors: what is wrong with a value, and the fix."""

import json
from collections.abc import Iterator

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from agent.core.units import in_bytes
from agent.documents.node import kind_of, write_path
from agent.documents.problem import escape, nearest
from agent.documents.wording import expected, limit, members, refusal, unknown_word
from agent.settings.base import SIZE
from agent.settings.environment import variable
from agent.settings.marks import Path
from agent.settings.shape import FoundField, fields, resolve, submodel

_HINTS = {
    "text": "if it is text, quote it: {value}",
    "true or false": "write one of these two words",
    "a list": "write it in brackets, as [a, b]",
}


def wording(model: type[BaseModel], path: Path, detail: ErrorDetails) -> str:
    """What is wrong with the value at this path; after ``; `` how to fix it."""
    match detail["type"]:
        case "extra_forbidden":
            return _with("no such setting", did_you_mean(model, path))
        case "missing":
            return _missing(model, path)
    if known := members(detail):
        return _with(*unknown_word(escape(str(detail["input"])), known))
    if wanted := expected(detail):
        return _with(f"expected {wanted}, found {_kind(detail)}", _hint(wanted, model, path, detail))
    return limit(detail, _context(model, path, detail)) or refusal(detail)


def did_you_mean(model: type[BaseModel], path: Path) -> str:
    """``did you mean ...?`` with the most similar setting of the same section; empty if none is similar."""
    *above, last = [str(part) for part in path]
    owner = submodel(model, tuple(above))
    known = [] if owner is None else [found.alias or name for name, found in owner.model_fields.items()]
    # Without underscores, which the names of the fields have only in code.
    return nearest(last.replace("_", ""), known)


def _with(message: str, hint: str) -> str:
    return f"{message}; {hint}" if hint else message


def _kind(detail: ErrorDetails) -> str:
    return kind_of(detail["input"], text=json.dumps(detail["input"]))


def _hint(wanted: str, model: type[BaseModel], path: Path, detail: ErrorDetails) -> str:
    value = detail["input"]
    if wanted == "a mapping":
        owner = submodel(model, tuple(map(str, path)))
        known = [] if owner is None else [info.alias or name for name, info in owner.model_fields.items()]
        return f"its settings are {', '.join(known)}" if known else ""
    if wanted == "a whole number" and isinstance(value, str) and value.isdecimal():
        return "remove the quotes"
    if wanted == "text" and not isinstance(value, bool | int | float):
        return ""
    return _HINTS.get(wanted, "").format(value=json.dumps(json.dumps(value)))


def _context(model: type[BaseModel], path: Path, detail: ErrorDetails) -> dict[str, object]:
    """The limits of an error, those of a size as Kubernetes writes them."""
    context = dict(detail.get("ctx", {}))
    found = resolve(model, tuple(part for part in path if isinstance(part, str)))
    if found is not None and SIZE in found.info.metadata:
        return {name: in_bytes(value) if isinstance(value, int) else value for name, value in context.items()}
    return context


def _missing(model: type[BaseModel], path: Path) -> str:
    if any(isinstance(part, int) for part in path):
        return f"required; add {write_path(path)}"
    lacking = list(_lacking(model, tuple(map(str, path))))
    names = " and ".join(write_path(field.path) for field in lacking)
    variables = " and ".join(variable(field.names) for field in lacking)
    return f"required; add {names} to the settings, or set {variables}"


def _lacking(model: type[BaseModel], path: tuple[str, ...]) -> Iterator[FoundField]:
    """The required settings at or below a path, without those that are only sections."""
    below = [field for field in fields(model) if field.path[: len(path)] == path]
    groups = {field.path for field in below if any(other.path[:-1] == field.path for other in below)}
    for field in below:
        above = [field.path[:length] for length in range(len(path), len(field.path))]
        required = all(other.info.is_required() for other in below if other.path in above)
        if field.path not in groups and field.info.is_required() and required:
            yield field
