"""How the user calls our programs from where the user is, so that a command we print works as it is pasted."""

import os
import shlex
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

_PROGRAMS: Final = ("failctl", "failure-agent")


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """Where the user is: in the folder ``here``; ours are in the folder ``programs``, perhaps on ``search_path``."""

    here: Path
    programs: Path
    search_path: str

    @classmethod
    def current(cls) -> Self:
        """That of whoever started this process: by a program in the folder of the other one, else by Python."""
        started = Path(sys.argv[0]).absolute()
        complete = started.name in _PROGRAMS and all(started.with_name(name).exists() for name in _PROGRAMS)
        program = started if complete else Path(sys.executable).absolute()
        return cls(here=Path.cwd(), programs=program.parent, search_path=os.environ.get("PATH", os.defpath))

    def find(self, program: str, *, folder: Path | None = None) -> str:
        """What calls a program from ``folder``, or ``here``: its name if the PATH leads to it, else a path."""
        folder = folder or self.here
        path = self.programs / program
        found = shutil.which(program, path=self.search_path)
        if found is not None and os.path.realpath(found) == os.path.realpath(path):
            return program
        relative = os.path.relpath(path, folder)
        if "/" not in relative:
            relative = f"./{relative}"
        # Behind a symlink `..` is another folder.
        leads_there = os.path.realpath(folder / relative) == os.path.realpath(path)
        return relative if leads_there and len(relative) < len(str(path)) else str(path)

    def spell(self, program: str, *, folder: Path | None = None) -> str:
        """The same, quoted for a shell."""
        return shlex.quote(self.find(program, folder=folder))
