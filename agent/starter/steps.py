"""What to run next, in commands that work where the user is."""

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from agent.console.program_paths import ProgramPaths
from agent.starter.files import Part

_AGENT: Final = "failure-agent"
_CTL: Final = "failctl"


def next_steps(parts: Sequence[Part], files: Sequence[str], *, folder: Path, paths: ProgramPaths) -> Iterator[str]:
    """Lines that say what to run, once the files are in the folder."""
    agent, ctl = (paths.spell(program, folder=folder) for program in (_AGENT, _CTL))
    if folder != paths.here:
        yield "Go there, because file names in settings are relative to the folder a process is started in:"
        yield f"  cd {shlex.quote(os.path.relpath(folder, paths.here))}"
    yield "Check the files, also after you change them:"
    yield f"  {ctl} lint --strict {' '.join(files)}"
    yield "Start each process in a terminal of its own:" if len(parts) > 1 else "Start the process:"
    for part in parts:
        yield f"  {agent} {part.value} --settings {part.value}.yaml"
    if Part.SCHEDULER in parts:
        yield "When a pod has failed, ask why:"
        yield f"  {ctl} get jobs --settings scheduler.yaml"
        yield f"  {ctl} explain JOB --settings scheduler.yaml"
