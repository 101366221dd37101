"""A file that this process keeps open, and whether its path still names it.

SQLite goes on writing to a file that was deleted, moved away or replaced, and reports no error: what it commits is lost
when the process ends, and other processes never see it.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Self


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile:
    """The identity of an open file; no other file can have it while the file is open."""

    path: Path
    device: int
    inode: int

    @classmethod
    def at(cls, path: Path) -> Self:
        """The file that ``path`` names now. Raises OSError."""
        found = path.stat()
        return cls(path=path, device=found.st_dev, inode=found.st_ino)

    def problem(self) -> str | None:
        """What happened to the file, and the fix, as a predicate of its name; ``None`` if its path still names it."""
        try:
            found = self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return "was deleted or moved while it was open; move it back, or restart every process that uses it"
        except OSError as error:
            return f"cannot be found: {error.strerror}"
        if (found.st_dev, found.st_ino) == (self.device, self.inode):
            return None
        return "was replaced by another file while it was open; restart every process that uses it"
