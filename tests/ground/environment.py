"""An installed failure-agent, to be run as somebody runs it who has only that."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests import child

PASSED_ON = (
    *("HOME", "LANG", "TMPDIR", "UV_", "PIP_", "NPM_", "SSL_"),
    *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "XDG_CACHE_HOME"),
)


def bare_environ(path: Path) -> dict[str, str]:
    """What installing needs of this process's environment, and a PATH that begins with ``path``."""
    kept = {name: value for name, value in os.environ.items() if name.upper().startswith(PASSED_ON)}
    return {**kept, "PATH": f"{path}{os.pathsep}/usr/bin{os.pathsep}/bin", "NO_COLOR": "1"}


@dataclass(frozen=True, slots=True)
class Installed:
    """An environment at ``path`` with failure-agent in it."""

    path: Path

    def run(self, *command: str, given: str = "", cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run a command of this environment, by its name, outside the tree."""
        program, *words = command
        programs = self.path / "bin"
        return child.run([programs / program, *words], cwd=cwd or self.path, env=bare_environ(programs), given=given)

    def says(self, *command: str, given: str = "") -> str:
        """What a command prints; it must end with 0."""
        ran = self.run(*command, given=given)
        assert ran.returncode == 0, f"{command} ended with {ran.returncode}\n{ran.stdout}{ran.stderr}"
        return ran.stdout
