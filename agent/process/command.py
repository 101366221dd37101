"""Runs a process, from its command line to its exit code, with the options that all processes share."""

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Generic

import typer

from agent.process.configuration import ConfigurationFiles, ConfiguredT, SettingsT
from agent.process.exits import Exit, Expected, exit_of
from agent.process.log import log_by
from agent.process.reloading import Reading

SettingsFile = Annotated[Path | None, typer.Option("--settings", help="Settings in YAML.", metavar="FILE")]
Broker = Annotated[str | None, typer.Option("--broker", help="The broker; overrides broker.url.", metavar="URL")]
Kubeconfig = Annotated[str | None, typer.Option("--kubeconfig", help="Overrides kube.kubeconfig.", metavar="FILE")]
KubeContext = Annotated[str | None, typer.Option("--context", help="Overrides kube.context.", metavar="NAME")]
KubeUrl = Annotated[
    str | None, typer.Option("--url", help="An API server without credentials; overrides kube.url.", metavar="URL")
]


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCommand(Generic[SettingsT, ConfiguredT]):
    """The command of one process.

    ``files`` are those of its configuration, for a settings file, the environment and what overrides both; ``run``
    runs it by what they say. ``expected`` are the errors of either; what is wrong with files is wrong usage.
    """

    files: Callable[
        [Path | None, Mapping[str, str], Mapping[str, str | None]], ConfigurationFiles[SettingsT, ConfiguredT]
    ]
    run: Callable[[Reading[ConfiguredT], ConfigurationFiles[SettingsT, ConfiguredT]], Exit]
    expected: Expected

    def main(self, settings: Path | None, overrides: Mapping[str, str | None]) -> None:
        """Run the process, and exit with its code. ``overrides`` take precedence over file and environment."""
        files = self.files(settings, os.environ, overrides)
        raise typer.Exit(exit_of(partial(self._run, files), self.expected))

    def _run(self, files: ConfigurationFiles[SettingsT, ConfiguredT]) -> Exit:
        reading = files.read()
        log_by(reading.value.settings.log)
        return self.run(reading, files)
