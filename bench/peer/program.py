"""A peer in Go: built once, as the servers of tests are, and kept where they are kept."""

import shutil
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.servers.__main__ import prepare
from tests.servers.cache import Cache
from tests.servers.go_program import GoProgram
from tests.servers.progress import Progress

_SOURCES: Final = Path(__file__).parent.parent / "go"
_JOBS: Final = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class PeerProgram:
    """The program in ``bench/go/<folder>``; ``cost`` says what building it takes."""

    folder: str
    cost: str

    @property
    def name(self) -> str:
        """The name of the program in the cache."""
        return f"bench-{self.folder}"

    def key(self) -> str:
        """Changes with what it is made of. Raises CannotPrepareError."""
        return self._program().fingerprint()

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        """Compile it. Raises CannotPrepareError."""
        self._program().build(into / self.folder, jobs=jobs, progress=progress)

    def _program(self) -> GoProgram:
        return GoProgram(source=_SOURCES / self.folder)


CLASSIFY: Final = PeerProgram(folder="classify", cost="a few seconds")
WEBHOOK: Final = PeerProgram(folder="webhook", cost="half a minute")
INFORMER: Final = PeerProgram(folder="informer", cost="about 3 minutes of two processors")


def find_peer(program: PeerProgram, cache: Cache) -> Path | None:
    """The built program, built now if it is not yet; ``None``, said aloud, where there is no Go.

    Raises CannotPrepareError where there is Go and it cannot build it.
    """
    if shutil.which("go") is None:
        print(f"without {program.name}: it is written in Go, and there is no `go` on the PATH")
        return None
    progress = Progress(sys.stderr, clock=time.monotonic)
    return prepare(program, cache, jobs=_JOBS, progress=progress) / program.folder
