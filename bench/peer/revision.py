"""A revision of this project: this tree, or another one that git knows, unpacked."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from bench.peer.child import CommandFailed, ended

ROOT: Final = Path(__file__).parents[2]
_COMPILE_RULES: Final = (sys.executable, "-m", "agent.rule_files")


class NoRevision(Exception):
    """Git knows no revision of this name; the text says what it says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """A revision: its name, and the folder that has its files."""

    name: str
    tree: Path

    def environment(self, home: Path) -> dict[str, str]:
        """The variables of a process that imports this revision, compiled once, and knows no settings but its own."""
        ours = ("FAILURE_AGENT_", "FAILCTL_", "PYTHONDONTWRITEBYTECODE", "PYTHONPATH")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
        return kept | {"PYTHONPATH": str(self.tree), "XDG_CONFIG_HOME": str(home)}


THIS: Final = Revision(name="this tree", tree=ROOT)

KEPT: Final = "b6130fb2"
"""The revision that the quick forms of benchmarks must not fall behind.

How far Python programs are apart depends on the processor, above all on its caches: beside one that is written as one
would first, our path is 12 times as fast on one machine and 8 times on another. Two revisions of one program are not
moved apart by it. After a gain, name the revision that has it.
"""


@contextmanager
def unpacked(name: str) -> Iterator[Revision]:
    """Another revision, with its rules compiled if it can do that, until the context ends. Raises NoRevision."""
    with TemporaryDirectory(prefix="bench-") as folder:
        tree = Path(folder) / "tree"
        tree.mkdir()
        _unpack(name, tree)
        revision = Revision(name=name, tree=tree)
        try:
            ended(_COMPILE_RULES, env=revision.environment(Path(folder)), folder=Path(folder))
        except CommandFailed as why:
            print(f"{name} compiles no rules: {why}")
        yield revision


def _unpack(name: str, tree: Path) -> None:
    """Write the files of a revision. An archive leaves nothing in the repository, as a worktree does."""
    archive = tree.with_suffix(".tar")
    packed = subprocess.run(
        ["git", "archive", f"--output={archive}", f"{name}^{{commit}}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if packed.returncode:
        raise NoRevision(f"{packed.stderr.strip()}; if this clone has no history: git fetch --unshallow")
    subprocess.run(["tar", "-xf", archive, "-C", tree], check=True)
