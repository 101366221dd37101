"""Where a command finds the broker, the store, the database or the API of a process, by its settings."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Generic, TypeVar

from pydantic import ValidationError

from agent.console.exits import UsageError
from agent.settings.base import Settings
from agent.settings.environment import PREFIX
from agent.settings.fault import ConfigError

Section = TypeVar("Section", bound=Settings)

Whole = TypeVar("Whole", bound=Settings)

DEMO_STORE: Final = Path("demo-data/store.db")
"""Where the demo keeps its store, in the folder that it was started in."""


@dataclass(frozen=True, slots=True)
class Owners(Generic[Whole]):
    """The processes whose settings have an address, and whose they are in words.

    ``models`` imports them when a file is read: that takes longer than to read one.
    """

    words: str
    models: Callable[[], Sequence[type[Whole]]]


def find_address(
    section: type[Section],
    name: str,
    *,
    url: str | None,
    file: Path | None,
    environ: Mapping[str, str],
    owners: Owners[Whole],
    demo: Path | None = None,
) -> Section | Whole:
    """Return the settings with the address: those of one of ``owners`` from ``file``, else only the section ``name``.

    ``section`` is a model with that one field. ``url`` overrides the address. By default it is the file of a
    ``demo``, if it exists. Raises UsageError if no address is found or the settings are invalid.
    """
    prefix = f"{PREFIX}{name.upper()}__"
    # Without a file only the section is read, and any other variable of the scheduler would be an unknown setting.
    given = {variable: text for variable, text in environ.items() if variable.startswith(prefix) and text}
    if url is None and file is None and f"{prefix}URL" not in given:
        if demo is None or not demo.is_file():
            raise UsageError(_nowhere(name, owners.words, f"{prefix}URL", demo))
        url = f"sqlite:///{demo}"
    if file is None and not given and (found := _by_address_alone(section, {name: {"url": url}})) is not None:
        return found
    from agent.settings.load import load, load_fitting  # noqa: PLC0415 - imports YAML, which no address alone needs

    overrides = {f"{name}.url": url}
    try:
        if file is None:
            return load(section, None, given, overrides)
        return load_fitting(owners.models(), file, environ, overrides)
    except ConfigError as error:
        raise UsageError(str(error)) from error


def api_of(file: Path, environ: Mapping[str, str]) -> str:
    """The ``host:port`` where a scheduler with these settings listens. Raises UsageError."""
    from agent.settings.load import load  # noqa: PLC0415 - imports YAML, which no address alone needs
    from agent.settings.scheduler import SchedulerSettings  # noqa: PLC0415 - as Owners says

    try:
        found = load(SchedulerSettings, file, environ).api
    except ConfigError as error:
        raise UsageError(str(error)) from error
    if not found.port:
        raise UsageError(f"{file}: with `api.port: 0` only the scheduler's log says where it listens; give --server")
    return f"[{found.host}]:{found.port}" if ":" in found.host else f"{found.host}:{found.port}"


def _by_address_alone(section: type[Section], given: Mapping[str, object]) -> Section | None:
    """The section; ``None`` if it is not valid, so that ``load`` reports why."""
    try:
        return section.model_validate(given)
    except ValidationError:
        return None


def _nowhere(name: str, whose: str, variable: str, demo: Path | None) -> str:
    looked = f"; no demo has left {demo.absolute()}" if demo is not None else ""
    return f"which {name}? Give --{name} URL or --settings FILE of {whose}, or set {variable}{looked}"
