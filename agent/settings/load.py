"""Settings from a YAML file, the environment and the command line: strict, and every fault at once."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agent.documents.node import write_path
from agent.documents.problem import nearest
from agent.documents.source import read_file
from agent.settings import environment
from agent.settings.fault import ConfigError, SettingFault
from agent.settings.marks import Marked, Plain, read_marked
from agent.settings.marks import Path as ValuePath
from agent.settings.shape import FoundField, resolve, submodel

Model = TypeVar("Model", bound=BaseModel)

_CHECK = "check the value, or set it in the file"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merged:
    """All three sources merged; ``origins`` says which one gave a value, where it was not the file."""

    marked: Marked
    origins: Mapping[ValuePath, str] = field(default_factory=dict)

    def place(self, path: ValuePath, *, key: bool = False) -> str:
        for length in range(len(path), 0, -1):
            if (origin := self.origins.get(path[:length])) is not None:
                return origin
        return self.marked.key_place(path) if key else self.marked.place(path)


def load(
    model: type[Model],
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, str | None] | None = None,
) -> Model:
    """Read a process's settings. Later sources override earlier ones: file, environment, ``overrides``.

    ``environ`` is asked for ``FAILURE_AGENT_<FIELD>__<FIELD>`` (``FAILURE_AGENT_KUBE__URL``); ``overrides``
    are options of the command line, by dotted path (``kube.url``); ``None`` is an option that was not given.
    Raises ConfigError with every fault of all three, each with its place.
    """
    return settings_of(model, _read(path), environ, overrides)


def settings_of(
    model: type[Model],
    marked: Marked,
    environ: Mapping[str, str],
    overrides: Mapping[str, str | None] | None = None,
) -> Model:
    """The settings of a document that has been read, and of the other sources. Raises ConfigError as ``load``."""
    source, faults = _gather(model, marked, environ, overrides or {})
    try:
        found = model.model_validate_json(json.dumps(source.marked.value), by_alias=True, by_name=False)
    except ValidationError as error:
        # What could not be read as YAML is no value; a fault of the value at that place is only its echo.
        taken = {fault.place for fault in source.marked.faults}
        more = (_fault(model, source, detail) for detail in error.errors(include_url=False))
        faults.extend(fault for fault in more if fault.place not in taken)
    else:
        if not faults:
            return found
    raise ConfigError(*sorted(faults, key=_file_order))


def _gather(
    model: type[BaseModel], marked: Marked, environ: Mapping[str, str], overrides: Mapping[str, str | None]
) -> tuple[_Merged, list[SettingFault]]:
    origins: dict[ValuePath, str] = {}
    faults = list(marked.faults)
    for entry in (*environment.variables(environ), *_arguments(overrides)):
        field_found = resolve(model, entry.names)
        if field_found is None:
            message = "no such setting" + _did_you_mean(model, entry.names)
            faults.append(SettingFault(place=entry.place, path="", message=message))
        elif (why := _put(marked.value, field_found, entry.text)) is not None:
            message = f"cannot be set by a variable or option: {why}"
            faults.append(SettingFault(place=entry.place, path=write_path(field_found.path), message=message))
        else:
            origins[field_found.path] = entry.place
    return _Merged(marked=marked, origins=origins), faults


def _put(settings: Plain, to: FoundField, text: str) -> str | None:
    """Put the value that a text has into the settings. Return why it cannot be, if it cannot."""
    try:
        value = to.read(text)
    except ConfigError as error:
        return error.faults[0].message
    return None if value is not None and _set(settings, to.path, value) else _CHECK


def _arguments(overrides: Mapping[str, str | None]) -> Iterator[environment.GivenSetting]:
    for name, text in overrides.items():
        if text is not None:
            yield environment.GivenSetting(place="command line", names=tuple(name.split(".")), text=text)


def _read(path: Path | None) -> Marked:
    if path is None:
        return Marked(file="settings", value={})
    try:
        text = read_file(path)
    except OSError as error:
        raise ConfigError(
            SettingFault(place=str(path), path="", message=f"the settings cannot be read: {error}")
        ) from error
    marked = read_marked(text, file=str(path))
    if not isinstance(marked.value, dict):
        raise ConfigError(
            SettingFault(
                place=marked.place(()), path="", message="settings must be a mapping: write `name: value` lines"
            )
        )
    return marked


def _set(value: Plain, path: ValuePath, leaf: Plain) -> bool:
    for part in path[:-1]:
        if not isinstance(value, dict):
            return False
        value = value.setdefault(str(part), {})
    if not isinstance(value, dict):
        return False
    value[str(path[-1])] = leaf
    return True


def _fault(model: type[BaseModel], source: _Merged, detail: ErrorDetails) -> SettingFault:
    unknown, missing = detail["type"] == "extra_forbidden", detail["type"] == "missing"
    path = _existing(source.marked.value, detail["loc"], keep_last=missing)
    message = detail["msg"].removeprefix("Value error, ")
    if unknown:
        message = "no such setting" + _did_you_mean(model, tuple(str(part) for part in path))
    return SettingFault(place=source.place(path, key=unknown), path=write_path(path), message=message)


def _existing(value: Plain, loc: ValuePath, *, keep_last: bool) -> ValuePath:
    """Return the part of pydantic's location that is in the document; unions add names of their members to it."""
    path: list[str | int] = []
    for part in loc:
        if isinstance(value, dict) and part in value:
            value = value[str(part)]
        elif isinstance(value, list) and isinstance(part, int) and part < len(value):
            value = value[part]
        else:
            continue
        path.append(part)
    return (*path, loc[-1]) if keep_last else tuple(path)


def _did_you_mean(model: type[BaseModel], names: tuple[str, ...]) -> str:
    owner = submodel(model, names[:-1])
    known = [] if owner is None else [found.alias or name for name, found in owner.model_fields.items()]
    # Without underscores: that is how the fields are called in code.
    meant = nearest(names[-1].replace("_", ""), known)
    return f"; {meant}" if meant else ""


def _file_order(fault: SettingFault) -> tuple[bool, int, int]:
    *_, line, column = ("", "", *fault.place.split(":"))
    numbered = line.isdigit() and column.isdigit()
    return (not numbered, int(line) if numbered else 0, int(column) if numbered else 0)
