"""The cache: where made servers are kept, outside the tree, one folder for each thing that could make them differ."""

import hashlib
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, LOCK_NB, flock
from pathlib import Path
from typing import Final

VARIABLE: Final = "TEST_SERVERS_CACHE"
"""Names the cache's folder; without it, it is in the user's cache folder (XDG Base Directory Specification)."""

_UNFINISHED: Final = ".part"
_KEY_DIGITS: Final = 16


def cache_folder(environ: Mapping[str, str]) -> Path:
    """Where servers are kept. The specification has relative XDG paths ignored."""
    if given := environ.get(VARIABLE):
        return Path(given).absolute()
    xdg = Path(environ.get("XDG_CACHE_HOME", ""))
    return (xdg if xdg.is_absolute() else Path.home() / ".cache") / "failure-agent" / "servers"


def fingerprint(files: Mapping[str, bytes], facts: Sequence[str]) -> str:
    """Digits that change when a name, a file's bytes, a fact or the order of the facts does."""
    digest = hashlib.sha256()
    for part in (
        *(each for name in sorted(files) for each in (name.encode(), files[name])),
        b"",
        *map(str.encode, facts),
    ):
        digest.update(len(part).to_bytes(8))
        digest.update(part)
    return digest.hexdigest()[:_KEY_DIGITS]


@dataclass(frozen=True, slots=True)
class Cache:
    """Made servers in ``folder``, each in ``NAME-KEY``. What has that name is complete: it got it when it was done."""

    folder: Path

    def find(self, name: str, key: str) -> Path | None:
        """The folder of what was made under this name and key; None where nothing was."""
        home = self._home(name, key)
        return home if home.is_dir() else None

    def make(self, name: str, key: str, *, build: Callable[[Path], None], waiting: Callable[[], None]) -> Path:
        """Find it, or have ``build`` fill a folder with it. Of several processes one builds; the rest call ``waiting``.

        What ``build`` raises is passed on, and nothing stays of what it did.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        with _locked(self.folder / f"{name}.lock", waiting):
            if found := self.find(name, key):
                return found
            self._remove_unfinished(name)
            unfinished = Path(tempfile.mkdtemp(dir=self.folder, prefix=f"{name}-", suffix=_UNFINISHED))
            try:
                build(unfinished)
                return unfinished.rename(self._home(name, key))
            except BaseException:
                shutil.rmtree(unfinished)
                raise

    def _home(self, name: str, key: str) -> Path:
        return self.folder / f"{name}-{key}"

    def _remove_unfinished(self, name: str) -> None:
        """Remove what a killed build left. Only who holds the lock builds, so it is nobody's."""
        for left in self.folder.glob(f"{name}-*{_UNFINISHED}"):
            shutil.rmtree(left)


@contextmanager
def _locked(path: Path, waiting: Callable[[], None]) -> Iterator[None]:
    """Hold the lock, which the kernel gives back however this process ends."""
    with path.open("w") as lock:
        try:
            flock(lock, LOCK_EX | LOCK_NB)
        except BlockingIOError:
            waiting()
            flock(lock, LOCK_EX)
        yield
