"""What an adapter is: it runs the cases of one file through the project and says what differs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tests.cases.case import Case


class Differs(Exception):
    """The project does not do what the case expects."""


Run = Callable[[Case], None]
"""Runs a case; raises ``Differs`` if the outcome is another than expected."""


def _none_of_them(case: Case) -> str | None:
    del case
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """The runs of a file, by the path of their group.

    ``own`` gives the reason why a case is about something that only its own system has, else ``None``; ``apart`` the
    reason why one of several runs of a case is not compared. Such a case passes or fails by its other runs.
    ``settings`` are paths below which no cases stand, only what several cases share.
    """

    runs: Mapping[str, Run]
    own: Callable[[Case], str | None] = _none_of_them
    apart: Callable[[Case], str | None] = _none_of_them
    settings: frozenset[str] = frozenset()

    def run_for(self, case: Case) -> Run | None:
        """Return what runs a case: by where it stands or a part of that, or by its own group."""
        parts = case.path.split(".")
        paths = [case.group, *(".".join(parts[:length]) for length in range(len(parts), 0, -1))]
        return next((self.runs[path] for path in paths if path in self.runs), None)


def expect(expected: object, got: object, *, of: str) -> None:
    """Raise ``Differs`` unless the two are equal."""
    if got != expected:
        raise Differs(f"{of}: expected {expected!r}, got {got!r}")
