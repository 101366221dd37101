"""What is wrong with a process's settings, and where."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SettingFault:
    """One fault. ``place`` is ``file:line:column``, a variable of the environment, or the command line."""

    place: str
    path: str
    message: str

    def __str__(self) -> str:
        return ": ".join(part for part in (self.place, self.path, self.message) if part)


class ConfigError(Exception):
    """The settings cannot be used. Holds every fault found, in file order, then environment, then command line."""

    def __init__(self, *faults: SettingFault) -> None:
        super().__init__("\n".join(str(fault) for fault in faults))
        self.faults = faults
