"""docs/settings.md, made from the settings models: ``python -m tests.docs.settings_page FILE`` writes it."""

import sys
import types
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import Any, Final, Literal

from annotated_types import Ge, Gt, Le, MaxLen, MinLen
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from agent.core.units import in_bytes, in_words
from agent.settings.base import SIZE, Form
from agent.settings.effect import Applies, Effect, RootSettings
from agent.settings.environment import variable
from agent.settings.processes import PROCESSES as MODELS

INTRODUCTION: Final = """\
<!-- Generated from agent/settings by `make generate`. Do not edit it here. -->

# Settings

Every setting of every process. Each process reads one YAML file (`--settings FILE`), then the environment, then its
command line; the later one overrides the earlier one. Only the settings marked *required* must be given.

- A file spells a setting with the parts of its name on lines of their own: `deadlines.image` is `image` below
  `deadlines`.
- The name of a variable follows from that of its setting: two underscores stand for a dot, one stands before each
  capital, and `FAILURE_AGENT_` comes first. `broker.url` is `FAILURE_AGENT_BROKER__URL`, `spool.maxBytes` is
  `FAILURE_AGENT_SPOOL__MAX_BYTES`.
- A variable may hold YAML where the setting is no text: `FAILURE_AGENT_WATCH__NAMESPACES='[team-a, team-b]'`. An entry
  of a list has no variable; give the whole list.
- An empty variable counts as not set. Write empty text in the file.
- Several processes may run in one environment. Each uses the variables of its own settings and ignores those of
  settings that only others have. A variable that none has is an error. A setting that several have, such as
  `FAILURE_AGENT_HEALTH__PORT`, applies to all of them: give that one in the files.
- A duration is a number with a unit, or several: `500ms`, `30s`, `1h30m`, `2d`. The units are `ns`, `us`, `ms`, `s`,
  `m`, `h` and `d`. `0` needs no unit.
- A size in bytes is a whole number, or a quantity as Kubernetes writes it: `512Ki`, `64Mi`, `10Gi`; `1G` is 1000³.
- A relative path starts at the folder that the process is started in.
- Secrets are never settings: a setting names the file that holds the secret.
- An unknown setting, a value of another type and a value out of range are errors. The process exits with code 2 and
  lists all of them, with line and column or the name of the variable. `failctl lint FILE` reports the same without
  starting the process, also of the variables in its own environment. `failctl lint --settings FILE` checks the files
  that the settings name, too.
- `failctl schema settings` prints a JSON Schema for editors.
"""

_TYPES: Final = {str: "text", int: "whole number", float: "number", bool: "`true` or `false`", Path: "path"}


class Unsaid(Exception):
    """A setting that this page could not describe truthfully: the text says which, and what it lacks."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Process:
    """One process: its command, and its settings."""

    command: str
    model: type[RootSettings]


PROCESSES: Final = tuple(Process(command=command, model=model) for command, model in MODELS.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One setting. ``names`` are those of the fields down to it, empty for a part of a list, which has no variable."""

    path: str
    type: str
    default: str
    meaning: str
    names: tuple[str, ...]

    @property
    def variable(self) -> str:
        return variable(self.names) if self.names else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The settings directly below one name; ``meaning`` is that of the name, empty at the top."""

    path: str
    meaning: str
    rows: tuple[Row, ...]


def groups(model: type[BaseModel]) -> Iterator[Group]:
    """Every group of settings of a process, in the order of the fields. Raises Unsaid."""
    yield from _groups(_Place(model=model))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """A model at its place: where, whether it is optional, and the default that the field holding it has."""

    model: type[BaseModel]
    path: str = ""
    names: tuple[str, ...] | None = ()
    meaning: str = ""
    given: BaseModel | None = None

    def default(self, name: str, info: FieldInfo) -> object:
        return info.default if self.given is None else getattr(self.given, name)


def _groups(place: _Place) -> Iterator[Group]:
    inner: list[_Place] = []
    rows: list[Row] = []
    for name, info in place.model.model_fields.items():
        path = f"{place.path}.{info.alias or name}".removeprefix(".")
        if not info.description:
            raise Unsaid(f"{path} has no description")
        found, listed = model_of(info.annotation)
        if found is None or listed:
            rows.append(_row(place, name, info, path=path))
        if found is not None:
            inner.append(_inside(place, name, info, path=path, model=found, listed=listed))
    yield Group(path=place.path, meaning=place.meaning, rows=tuple(rows))
    for one in inner:
        yield from _groups(one)


def _row(place: _Place, name: str, info: FieldInfo, *, path: str) -> Row:
    return Row(
        path=path,
        type=type_in_words(info.annotation, info.metadata, path=path),
        default=default_in_words(place.default(name, info), is_size=SIZE in info.metadata),
        meaning=f"{info.description}{_whether_at_once(info)}",
        names=() if place.names is None else (*place.names, name),
    )


def _inside(place: _Place, name: str, info: FieldInfo, *, path: str, model: type[BaseModel], listed: bool) -> _Place:
    default = place.default(name, info)
    return _Place(
        model=model,
        path=f"{path}[]" if listed else path,
        names=None if listed or place.names is None else (*place.names, name),
        meaning="An entry of the list."
        if listed
        else f"{info.description}{_whether_at_once(info)}{_whether_given(default)}",
        given=default if isinstance(default, BaseModel) else None,
    )


def _whether_at_once(info: FieldInfo) -> str:
    effect = next((mark for mark in info.metadata if isinstance(mark, Effect)), None)
    return f" {effect.applies}" if effect is not None and effect.applies is Applies.AT_ONCE else ""


def _whether_given(default: object) -> str:
    if default is PydanticUndefined:
        return " *Required.*"
    return " Default: `null`." if default is None else ""


def model_of(annotation: Any) -> tuple[type[BaseModel] | None, bool]:  # noqa: ANN401 - annotations have no common type
    """The settings model that a field holds, if any, and whether it holds a list of them."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    listed = typing.get_origin(annotation) is tuple
    for one in typing.get_args(annotation):
        model, within = model_of(one)
        if model is not None:
            return model, listed or within
    return None, False


def type_in_words(annotation: Any, metadata: Sequence[object], *, path: str) -> str:  # noqa: ANN401 - as above
    """What may be written. Raises Unsaid where a constraint would not be shown."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin is typing.Annotated:
        return type_in_words(arguments[0], [*metadata, *_flat(arguments[1:])], path=path)
    within = range_in_words(metadata, number=in_bytes if SIZE in metadata else str)
    form = next((one.words for one in metadata if isinstance(one, Form)), None)
    unshown = [one for one in metadata if not isinstance(one, Effect | Form | Ge | Gt | Le | MinLen | MaxLen)]
    if unshown and form is None:
        raise Unsaid(f"{path} is constrained by {unshown[0]!r}: give its type a Form that says so")
    return ", ".join(part for part in (form or _plain_type(annotation, origin, arguments, path=path), within) if part)


def _flat(metadata: Sequence[object]) -> Iterator[object]:
    for one in metadata:
        yield from one.metadata if isinstance(one, FieldInfo) else (one,)


def _plain_type(annotation: Any, origin: Any, arguments: tuple[Any, ...], *, path: str) -> str:  # noqa: ANN401, PLR0911 - as above; a return for each kind of type
    if origin in {typing.Union, types.UnionType}:
        some = [type_in_words(one, (), path=path) for one in arguments if one is not types.NoneType]
        return " or ".join([*some, "`null`"])
    if origin is tuple:
        return f"list of {type_in_words(arguments[0], (), path=path)}"
    if origin is dict:
        key, value = (type_in_words(one, (), path=path) for one in arguments)
        return f"mapping of {key} to {value}"
    if origin is Literal:
        return choice(arguments)
    if annotation in _TYPES:
        return _TYPES[annotation]
    if isinstance(annotation, type) and issubclass(annotation, Enum):
        return choice([one.value for one in annotation])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "mappings, below"
    raise Unsaid(f"{path} is of type {annotation!r}, for which there are no words")


def choice(values: Sequence[object]) -> str:
    """Alternatives as people write them: ``a``, ``b`` or ``c``."""
    *most, last = [f"`{value}`" for value in values]
    return f"{', '.join(most)} or {last}" if most else last


def range_in_words(metadata: Sequence[object], *, number: Callable[[Any], str]) -> str:
    """The least and the most of a number or of a length, where there is one."""
    least = next((one.ge for one in metadata if isinstance(one, Ge)), None)
    above = next((one.gt for one in metadata if isinstance(one, Gt)), None)
    most = next((one.le for one in metadata if isinstance(one, Le)), None)
    shortest = next((one.min_length for one in metadata if isinstance(one, MinLen)), None)
    longest = next((one.max_length for one in metadata if isinstance(one, MaxLen)), None)
    if shortest is not None:
        return f"{shortest} to {longest} characters" if longest is not None else "not empty"
    if above is not None:
        return f"more than {above}" + (f", at most {most}" if most is not None else "")
    if least is None:
        return "" if most is None else f"at most {number(most)}"
    return f"at least {number(least)}" if most is None else f"{number(least)} to {number(most)}"


def default_in_words(default: object, *, is_size: bool) -> str:
    """A default as a file spells it, or that there is none."""
    if default is PydanticUndefined:
        return "*required*"
    return f"`{in_bytes(default)}`" if is_size and isinstance(default, int) else f"`{_spelt(default)}`"


def _spelt(value: object) -> str:  # noqa: PLR0911 - one for each kind of value
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float():
            return f"{value:g}"
        case "":
            return '""'
        case timedelta():
            return in_words(value.total_seconds())
        case Enum():
            return str(value.value)
        case tuple():
            return f"[{', '.join(map(_spelt, value))}]"
        case _:
            return str(value)


def page() -> str:
    """The whole page. Raises Unsaid for a setting that it cannot describe."""
    return "".join([INTRODUCTION, *(f"\n{line}\n" for process in PROCESSES for line in _sections(process))])


def _sections(process: Process) -> Iterator[str]:
    yield f"## `failure-agent {process.command}`"
    effects = process.model.effects.items()
    at_once = [name for name, effect in effects if effect.applies is Applies.AT_ONCE]
    yield f"Changes of {enumerated(at_once)} apply within seconds, changes of other settings after a restart."
    for group in groups(process.model):
        if group.path:
            yield f"### `{group.path}`"
            yield group.meaning
        if group.rows:
            yield "\n".join(_table(group))


def enumerated(names: Sequence[str]) -> str:
    *most, last = [f"`{name}`" for name in names]
    return f"{', '.join(most)} and {last}"


def _table(group: Group) -> Iterator[str]:
    listed = group.path.endswith("[]")
    head = ["setting", "type", "default", "meaning", *([] if listed else ["variable"])]
    yield _line(head)
    yield _line(["---"] * len(head))
    for row in group.rows:
        name = row.path if not listed else row.path.removeprefix(f"{group.path}.")
        yield _line([f"`{name}`", row.type, row.default, row.meaning, *([] if listed else [f"`{row.variable}`"])])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
