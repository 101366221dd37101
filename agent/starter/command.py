"""``failure-agent init``: its command line."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.program import add, make_command_app
from agent.console.program_paths import ProgramPaths
from agent.console.terminal import visible
from agent.starter.files import Part, changed_files, starter_files, write_files
from agent.starter.steps import next_steps

app = make_command_app("init")


@add(app, "failure-agent init", "failure-agent init cluster --dir gpu-east")
def init(
    part: Annotated[Part | None, typer.Argument(help="Whose files; default: both.", metavar="[PART]")] = None,
    *,
    folder: Annotated[Path, typer.Option("--dir", help="Folder for the files.", metavar="FOLDER")] = Path(),
    force: Annotated[bool, typer.Option("--force", help="Overwrite files that are there.")] = False,
) -> None:
    """Write starter files for a cluster of your own.

    Settings, rules and a retry policy, with comments. The processes run with them as they are. Says at the end which
    commands to run next.
    """
    end(lambda: _write(tuple(Part) if part is None else (part,), folder, force=force))


def _write(parts: Sequence[Part], folder: Path, *, force: bool) -> Exit:
    files = starter_files(parts)
    changed = changed_files(folder, files)
    if changed and not force:
        raise UsageError(_refusal(changed, folder))
    write_files(folder, files)
    sys.stdout.write(f"Wrote {_listed(tuple(files))} in {visible(str(folder.resolve()))}.\n\n")
    steps = next_steps(parts, tuple(files), folder=folder.resolve(), paths=ProgramPaths.current())
    sys.stdout.writelines(f"{visible(line)}\n" for line in steps)
    return Exit.FINE


def _refusal(changed: Sequence[str], folder: Path) -> str:
    exist = f"{_listed(changed)} exist{'s' if len(changed) == 1 else ''} in {visible(str(folder.resolve()))}"
    return f"{exist} with other content; nothing was written: --force overwrites, --dir FOLDER writes elsewhere"


def _listed(names: Sequence[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last
