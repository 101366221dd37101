"""The program of a browser: the distribution's Chromium, where it is installed; as root it is installed."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.servers.cache import fingerprint
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError
from tests.servers.tool import find_tool, lines_of

NAMES: Final = ("chromium", "chromium-browser")
PACKAGE: Final = "chromium"

_WHERE: Final = "where"
_OPTIONS: Final = ("--yes", "--no-install-recommends", "--option=DPkg::Lock::Timeout=300")
_BY_HAND: Final = "install Chromium with the package manager of this machine, then run `make servers`"


class ChromiumProgram:
    """Real Chromium for tests of the pages."""

    name: Final = "chromium"
    cost: Final = "nothing where Chromium is installed, else 350 MB of the distribution's packages, as root"

    def key(self) -> str:
        """Of the package alone: what is installed of it changes by itself."""
        return fingerprint({}, [PACKAGE])

    def build(self, into: Path, *, jobs: int, progress: Progress) -> None:  # noqa: ARG002 - nothing is compiled
        """Note where the installed one is, and before that, where there is none, install it."""
        installed = find_installed(os.environ)
        if installed is None:
            _install(into, progress)
            installed = find_installed(os.environ)
        if installed is None:
            raise CannotPrepareError(f"the package {PACKAGE} of this distribution brings no browser: {_BY_HAND}")
        (into / _WHERE).write_text(str(installed), encoding="utf-8")


def browser_of(program: Path) -> Path:
    """The browser of a prepared one."""
    return Path((program / _WHERE).read_text(encoding="utf-8"))


def find_installed(environ: Mapping[str, str]) -> Path | None:
    """The browser on the PATH, by any of its names; None if there is none."""
    path = environ.get("PATH", os.defpath)
    found = (shutil.which(name, path=path) for name in NAMES)
    return next((Path(program) for program in found if program is not None), None)


def _install(folder: Path, progress: Progress) -> None:
    tool = find_tool("apt-get", f"there is no Chromium and no apt-get: {_BY_HAND}")
    if os.geteuid() != 0:
        raise CannotPrepareError(f"there is no Chromium, and only root may install packages: {_BY_HAND}")
    environ = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for words in (("update",), ("install", *_OPTIONS, PACKAGE)):
        name = f"apt-get {words[0]}"
        with lines_of([tool, *words], name=name, folder=folder, environ=environ, explains=bool) as lines:
            for line in lines:
                progress.at(line.strip())
