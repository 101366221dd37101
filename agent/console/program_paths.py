"""How ``failctl`` and ``failure-agent`` are called from the user's folder, so that a printed command can be pasted."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_PROGRAMS: Final = ("failctl", "failure-agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgramPaths:
    """The folders that decide how a program is called.

    ``here`` is the user's working directory, ``programs`` the folder of our two programs, ``search_path`` the PATH.
    """

    here: Path
    programs: Path
    search_path: str

    @classmethod
    def current(cls) -> Self:
        """Those of this process.

        Our programs are next to the one that was started, if both are there; else next to the Python that runs.
        """
        started = Path(sys.argv[0]).absolute()
        complete = started.name in _PROGRAMS and all(started.with_name(name).exists() for name in _PROGRAMS)
        program = started if complete else Path(sys.executable).absolute()
        return cls(here=Path.cwd(), programs=program.parent, search_path=os.environ.get("PATH", os.defpath))

    def find(self, program: str, *, folder: Path | None = None) -> str:
        """The name of a program if the PATH leads to it, else its path, as seen from ``folder`` (default: ``here``)."""
        folder = folder or self.here
        path = self.programs / program
        found = shutil.which(program, path=self.search_path)
        if found is not None and os.path.realpath(found) == os.path.realpath(path):
            return program
        relative = os.path.relpath(path, folder)
        if "/" not in relative:
            relative = f"./{relative}"
        # If a folder on the way is a symlink, `..` leads to another folder: then only the absolute path works.
        leads_there = os.path.realpath(folder / relative) == os.path.realpath(path)
        return relative if leads_there and len(relative) < len(str(path)) else str(path)

    def spell(self, program: str, *, folder: Path | None = None) -> str:
        """What ``find`` returns, quoted for a shell."""
        return shlex.quote(self.find(program, folder=folder))
