"""The command line of a process: the options that all have, and the way from them to its exit code."""

import argparse
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, Generic

from agent.process.configuration import ConfigurationFiles, ConfiguredT, SettingsT
from agent.process.exits import Exit, Expected, exit_of
from agent.process.reloading import Reading
from agent.telemetry.logs import configure


@dataclass(frozen=True, slots=True, kw_only=True)
class Override:
    """An option that goes before the same setting in the file and the environment."""

    option: str
    metavar: str
    setting: str
    help: str

    def add_to(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument(self.option, dest=self.setting, metavar=self.metavar, help=self.help)


BROKER: Final = Override(
    option="--broker", metavar="URL", setting="broker.url", help="the broker; overrides broker.url"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessCommand(Generic[SettingsT, ConfiguredT]):
    """The command of one process.

    ``files`` are those of its configuration, for a settings file, the environment and what overrides both; ``run``
    runs it by what they say. ``expected`` are the errors of either; what is wrong with files is wrong usage.
    """

    name: str
    description: str
    overrides: Sequence[Override]
    files: Callable[
        [Path | None, Mapping[str, str], Mapping[str, str | None]], ConfigurationFiles[SettingsT, ConfiguredT]
    ]
    run: Callable[[Reading[ConfiguredT], ConfigurationFiles[SettingsT, ConfiguredT]], Exit]
    expected: Expected

    def main(self, argv: Sequence[str]) -> Exit:
        """Run the process; gives the exit code."""
        given = vars(self._parser().parse_args(argv))
        overrides = {one.setting: given[one.setting] for one in self.overrides}
        return exit_of(partial(self._run, self.files(given["settings"], os.environ, overrides)), self.expected)

    def _run(self, files: ConfigurationFiles[SettingsT, ConfiguredT]) -> Exit:
        reading = files.read()
        log = reading.value.settings.log
        configure(log.level, log.format)
        return self.run(reading, files)

    def _parser(self) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(prog=f"failure-agent {self.name}", description=self.description)
        parser.add_argument("--settings", type=Path, metavar="FILE", help="settings in YAML")
        for override in self.overrides:
            override.add_to(parser)
        return parser
