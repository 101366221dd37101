"""Finds the field of a settings model by its name, and reads text as its value."""

import json
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError
from pydantic.fields import FieldInfo

from agent.settings.marks import Plain, read_scalar


@dataclass(frozen=True, slots=True)
class FoundField:
    """A field: its path as files spell it, the same as names in code, and itself."""

    path: tuple[str, ...]
    names: tuple[str, ...]
    info: FieldInfo

    def read(self, text: str) -> Plain:
        """The text itself where the field takes text, else what YAML reads in it. Raises ConfigError."""
        return text if _accepts_text(self.info, text) else read_scalar(text)


def resolve(model: type[BaseModel], names: tuple[str, ...]) -> FoundField | None:
    """The field that names lead to, in any case, with or without underscores; ``None`` where there is none."""
    reached: FoundField | None = None
    owner: type[BaseModel] | None = model
    for name in names:
        found = None if owner is None else _field(owner, name)
        if found is None:
            return None
        reached = _below(reached, *found)
        owner = _model_of(reached.info.annotation)
    return reached


def fields(model: type[BaseModel], within: FoundField | None = None) -> Iterator[FoundField]:
    """All fields of a model that a name can mean; each section is followed by its own fields."""
    for name, info in model.model_fields.items():
        found = _below(within, name, info)
        yield found
        inner = _model_of(info.annotation)
        if inner is not None and not _is_list(info.annotation):
            yield from fields(inner, found)


def submodel(model: type[BaseModel], names: tuple[str, ...]) -> type[BaseModel] | None:
    """The section that names lead to; positions in lists are skipped. ``None`` if they lead to none."""
    owner: type[BaseModel] | None = model
    for name in names:
        if owner is None:
            return None
        if not name.isdigit():
            found = _field(owner, name)
            owner = None if found is None else _model_of(found[1].annotation)
    return owner


def _field(model: type[BaseModel], name: str) -> tuple[str, FieldInfo] | None:
    wanted = name.replace("_", "").lower()
    for field_name, info in model.model_fields.items():
        alias = info.alias or field_name
        if alias.replace("_", "").lower() == wanted:
            return field_name, info
    return None


def _below(above: FoundField | None, name: str, info: FieldInfo) -> FoundField:
    path, names = ((), ()) if above is None else (above.path, above.names)
    return FoundField((*path, info.alias or name), (*names, name), info)


def _is_list(annotation: Any) -> bool:  # noqa: ANN401 - annotations have no common type
    return typing.get_origin(annotation) is tuple or any(map(_is_list, typing.get_args(annotation)))


def _model_of(annotation: Any) -> type[BaseModel] | None:  # noqa: ANN401 - annotations have no common type
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    inner = (_model_of(argument) for argument in typing.get_args(annotation))
    return next((model for model in inner if model is not None), None)


def _accepts_text(info: FieldInfo, text: str) -> bool:
    if _model_of(info.annotation) is not None:
        return False
    kind: Any = Annotated[(info.annotation, *info.metadata, info.description)]
    adapter = TypeAdapter[object](kind, config=ConfigDict(strict=True))
    try:
        adapter.validate_json(json.dumps(text))
    except ValidationError:
        return False
    return True
