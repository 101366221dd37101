"""Settings from a YAML file, the environment and the command line: strict, and every fault at once."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from agent.documents.node import find, write_path
from agent.documents.problem import closest
from agent.documents.source import read_file
from agent.settings import environment
from agent.settings.base import Conflict, Settings
from agent.settings.fault import ConfigError, SettingFault
from agent.settings.marks import Marked, Plain, read_marked
from agent.settings.marks import Path as ValuePath
from agent.settings.shape import FoundField, fields, resolve
from agent.settings.wording import did_you_mean, wording

Model = TypeVar("Model", bound=BaseModel)

_CHECK = "check the value, or set it in the file"
_NO_FILE = SettingFault(
    place="",
    path="",
    message="no settings file was given; `failure-agent init` writes one, then give it with --settings FILE",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Merged:
    """The three sources merged; ``origins`` names the source of each value that is not from the file."""

    marked: Marked
    origins: Mapping[ValuePath, str] = field(default_factory=dict)

    def place(self, path: ValuePath, *, key: bool = False) -> str:
        return self._origin(path) or (self.marked.key_place(path) if key else self.marked.place(path))

    def place_missing(self, path: ValuePath) -> str:
        """The variables that gave the rest of a mapping that the file does not have, else the place in the file."""
        above = path[:-1]
        if above and (self.marked.root is None or find(self.marked.root, above) is None):
            given = [origin for given_path, origin in self.origins.items() if given_path[: len(above)] == above]
            return _joined(given) or self.place(path)
        return self.place(path)

    def place_conflict(self, path: ValuePath, among: Iterable[ValuePath]) -> str:
        """The variables that gave some of the settings in conflict, else the place in the file."""
        given = (self._origin((*path, *relative)) for relative in among)
        return _joined(origin for origin in given if origin is not None) or self.place(path)

    def _origin(self, path: ValuePath) -> str | None:
        above = (self.origins.get(path[:length]) for length in range(len(path), 0, -1))
        return next((origin for origin in above if origin is not None), None)


def _joined(places: Iterable[str]) -> str:
    return " and ".join(dict.fromkeys(places))


def load(
    model: type[Model],
    path: Path | None,
    environ: Mapping[str, str],
    overrides: Mapping[str, str | None] | None = None,
) -> Model:
    """Read a process's settings. Later sources override earlier ones: file, environment, ``overrides``.

    ``environ`` is asked for ``FAILURE_AGENT_<FIELD>__<FIELD>`` (``FAILURE_AGENT_KUBE__URL``); ``overrides``
    are options of the command line, by dotted path (``kube.url``); ``None`` is an option that was not given.
    A variable of a setting that only another process has is ignored, so that one environment serves both.
    Raises ConfigError with every fault of all three, each with its place.
    """
    return settings_of(model, _read(path), environ, overrides)


def load_fitting(
    models: Sequence[type[Model]],
    path: Path,
    environ: Mapping[str, str],
    overrides: Mapping[str, str | None] | None = None,
) -> Model:
    """The settings of whichever process the file is for. Raises ConfigError as ``load``."""
    marked = _read(path)
    keys = marked.value if isinstance(marked.value, dict) else {}
    return settings_of(fitting(models, keys), marked, environ, overrides)


def fitting(models: Sequence[type[Model]], keys: Collection[str]) -> type[Model]:
    """The model that has most of these keys at its top; of several the first."""
    return max(models, key=lambda model: shared(model, keys))


def shared(model: type[BaseModel], keys: Collection[str]) -> int:
    """How many of these keys the model has at its top."""
    return sum((info.alias or name) in keys for name, info in model.model_fields.items())


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
        # A value that is not valid YAML is absent, so pydantic reports one more fault at its place: left out.
        taken = {fault.place for fault in source.marked.faults}
        more = (_fault(model, source, detail) for detail in error.errors(include_url=False))
        faults.extend(fault for fault in more if not fault.place or fault.place not in taken)
        if not source.marked.file and any(detail["type"] == "missing" for detail in error.errors()):
            faults.insert(0, _NO_FILE)
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
            if not entry.is_variable or not any(resolve(other, entry.names) for other in _processes()):
                faults.append(SettingFault(place=entry.place, path="", message=_unknown(model, entry)))
        elif (why := _put(marked.value, field_found, entry.text)) is not None:
            message = f"cannot be set by a variable or option: {why}"
            faults.append(SettingFault(place=entry.place, path=write_path(field_found.path), message=message))
        else:
            origins[field_found.path] = entry.place
    return _Merged(marked=marked, origins=origins), faults


def _processes() -> Collection[type[Settings]]:
    """The settings of all processes: imported only if a variable is none of this process's settings."""
    from agent.settings.processes import PROCESSES  # noqa: PLC0415 - see above

    return PROCESSES.values()


def _put(settings: Plain, to: FoundField, text: str) -> str | None:
    """Set a setting to the value of a text. Return the reason if it cannot be set, else nothing."""
    try:
        value = to.read(text)
    except ConfigError as error:
        return error.faults[0].message
    return None if value is not None and _set(settings, to.path, value) else _CHECK


def _arguments(overrides: Mapping[str, str | None]) -> Iterator[environment.GivenSetting]:
    for name, text in overrides.items():
        if text is not None:
            names = tuple(name.split("."))
            yield environment.GivenSetting(place="command line", names=names, text=text, is_variable=False)


def _read(path: Path | None) -> Marked:
    if path is None:
        return Marked(file="", value={})
    try:
        text = read_file(path)
    except OSError as error:
        raise ConfigError(
            SettingFault(place=str(path), path="", message=f"the settings cannot be read: {error.strerror or error}")
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
    match detail.get("ctx", {}).get("error"):
        case Conflict(among=among):
            place = source.place_conflict(path, [tuple(name.split(".")) for name in among])
        case _:
            place = source.place_missing(path) if missing else source.place(path, key=unknown)
    return SettingFault(place=place, path=write_path(path), message=wording(model, path, detail))


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


def _unknown(model: type[BaseModel], entry: environment.GivenSetting) -> str:
    if not entry.is_variable:
        return "; ".join(filter(None, ("no such setting", did_you_mean(model, entry.names))))
    # Without the prefix, which all variables have: it would make every name look similar.
    known = {
        "__".join(found.names).upper(): found
        for settings_model in (model, *_processes())
        for found in fields(settings_model)
    }
    meant = closest("__".join(entry.names), known)
    hint = "two underscores stand for a dot: FAILURE_AGENT_BROKER__URL is broker.url"
    return f"no such setting; did you mean {environment.PREFIX}{meant}?" if meant else f"no such setting; {hint}"


def _file_order(fault: SettingFault) -> tuple[bool, int, int]:
    *_, line, column = ("", "", *fault.place.split(":"))
    numbered = line.isdigit() and column.isdigit()
    return (not numbered, int(line) if numbered else 0, int(column) if numbered else 0)
