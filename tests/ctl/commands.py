"""The commands of ``failctl`` by what is typed, such as ``get jobs``, each with its parser."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from typer.main import get_command

from agent.ctl.main import app


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, Any]]:  # noqa: ANN401 - typer does not export its type
    inner = getattr(command, "commands", {})
    if path and (not inner or command.invoke_without_command):
        yield " ".join(path), command
    for name, below in inner.items():
        yield from _commands(below, (*path, name))


COMMANDS: Final[Mapping[str, Any]] = dict(_commands(get_command(app), ()))
