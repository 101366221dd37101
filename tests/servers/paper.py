"""A server that takes no time to make, for the tests of how servers are made."""

from pathlib import Path

from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError


class Paper:
    """Is made at once, into the file ``plane``."""

    name = "paper"
    cost = "nothing"

    def key(self) -> str:
        return "1"

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        progress.at("folding")
        (into / "plane").write_text(str(jobs))


class Lead(Paper):
    """Cannot be made."""

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:
        progress.at("lifting")
        raise CannotPrepareError(f"too heavy for {jobs}, even in {into.suffix}")
