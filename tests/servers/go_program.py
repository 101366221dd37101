"""A program in Go, from a folder of the tree with its go.mod and go.sum, made as these say or not at all.

Modules come from wherever the user's own Go settings send them.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.child import run
from tests.servers.cache import fingerprint
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError
from tests.servers.tool import find_tool, lines_of

_LOCKED: Final = ("-mod=readonly",)
_SOURCES: Final = ("go.mod", "go.sum", "*.go")
_DOWNLOADING: Final = "go: downloading "


@dataclass(frozen=True, slots=True, kw_only=True)
class GoProgram:
    """The program in ``source``, stripped, without cgo; ``variables`` are set in it by the linker, by full name."""

    source: Path
    variables: tuple[tuple[str, str], ...] = ()

    def fingerprint(self) -> str:
        """Changes with the sources, the locks, how it is built, the toolchain and the platform."""
        files = {path.name: path.read_bytes() for pattern in _SOURCES for path in self.source.glob(pattern)}
        return fingerprint(files, [*self._flags(), *_toolchain(self.source)])

    def build(self, program: Path, *, jobs: int, progress: Progress) -> None:
        """Compile into the file ``program``. Raises CannotPrepareError with the end of what Go said."""
        packages = self._packages(progress)
        command = [_go(), "build", "-v", f"-p={jobs}", *_LOCKED, *self._flags(), "-o", str(program), "."]
        compiled = 0
        with _lines(command, self.source) as lines:
            for _ in lines:
                compiled += 1
                progress.at(f"{compiled} of at most {packages} packages compiled")

    def module(self, path: str) -> Path:
        """The folder with the sources of a module that go.mod requires. Raises CannotPrepareError."""
        ran = run([_go(), "list", *_LOCKED, "-m", "-f", "{{.Dir}}", path], cwd=self.source, env=_environ())
        if ran.returncode != 0:
            raise CannotPrepareError(f"`go list -m {path}` ended with {ran.returncode}: {ran.stderr.strip()}")
        return Path(ran.stdout.strip())

    def _packages(self, progress: Progress) -> int:
        """The number of packages it is made of; has Go fetch what it has not got."""
        packages = fetched = 0
        with _lines([_go(), "list", *_LOCKED, "-deps", "."], self.source) as lines:
            for line in lines:
                if line.startswith(_DOWNLOADING):
                    fetched += 1
                    progress.at(f"{fetched} modules fetched")
                else:
                    packages += 1
        return packages

    def _flags(self) -> list[str]:
        variables = " ".join(f"-X {name}={value}" for name, value in self.variables)
        return ["-trimpath", "-buildvcs=false", "-ldflags", f"-s -w {variables}".rstrip()]


def _go() -> str:
    """Where Go is."""
    return find_tool("go", "it is made with Go, and there is no `go` on the PATH")


def _environ() -> dict[str, str]:
    """The user's settings, but the toolchain that is there and no C compiler."""
    return {**os.environ, "CGO_ENABLED": "0", "GOTOOLCHAIN": "local"}


def _toolchain(folder: Path) -> list[str]:
    """Version and platform of the toolchain, which together with the sources give the program."""
    command = [_go(), "env", "GOVERSION", "GOOS", "GOARCH"]
    ran = run(command, cwd=folder, env=_environ())
    if ran.returncode != 0:
        raise CannotPrepareError(f"`go env` ended with {ran.returncode}: {ran.stderr.strip()}")
    return ran.stdout.split()


def _lines(command: list[str], folder: Path) -> AbstractContextManager[Iterator[str]]:
    """What a command says, line by line; a package's path alone, which has no space, is news but no explanation."""
    return lines_of(
        command, name=f"go {command[1]}", folder=folder, environ=_environ(), explains=lambda line: " " in line
    )
