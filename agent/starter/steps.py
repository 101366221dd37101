"""What to run next, in commands that work where the user is."""

import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from agent.starter.files import Part

_AGENT: Final = "failure-agent"
_CTL: Final = "failctl"


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """Where the user is: in the folder ``here``; ours are in the folder ``programs``, perhaps on ``search_path``."""

    here: Path
    programs: Path
    search_path: str

    def spell(self, program: str, *, folder: Path) -> str:
        """How to call a program from a folder: by its name, if it is found by that, else by the shorter path."""
        path = self.programs / program
        found = shutil.which(program, path=self.search_path)
        if found is not None and os.path.realpath(found) == os.path.realpath(path):
            return program
        relative = os.path.relpath(path, folder)
        if "/" not in relative:
            relative = f"./{relative}"
        # Behind a symlink `..` is another folder.
        leads_there = os.path.realpath(folder / relative) == os.path.realpath(path)
        return shlex.quote(relative if leads_there and len(relative) < len(str(path)) else str(path))


def next_steps(parts: Sequence[Part], files: Sequence[str], *, folder: Path, user: Standpoint) -> Iterator[str]:
    """Lines that say what to run, once the files are in the folder."""
    agent, ctl = (user.spell(program, folder=folder) for program in (_AGENT, _CTL))
    if folder != user.here:
        yield "Go there, because file names in settings are relative to the folder a process is started in:"
        yield f"  cd {shlex.quote(os.path.relpath(folder, user.here))}"
    yield "Check the files, also after you change them:"
    yield f"  {ctl} lint --strict {' '.join(files)}"
    yield "Start each process in a terminal of its own:" if len(parts) > 1 else "Start the process:"
    for part in parts:
        yield f"  {agent} {part.value} --settings {part.value}.yaml"
    if Part.SCHEDULER in parts:
        yield "When a pod has failed, ask why:"
        yield f"  {ctl} get jobs --settings scheduler.yaml"
        yield f"  {ctl} explain JOB --settings scheduler.yaml"
