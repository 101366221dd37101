"""Make the failing logs again, by failing: ``python -m tests.evidence.failing.make [NAME ...]``.

``--install`` first installs the Python and npm packages that recipes name, in ``--tools`` (by default
``build/failing-tools``). That needs a network, gigabytes of disk and some minutes. Programs such as ``go`` or ``mvn``
you install yourself; some recipes need root, to mount a small disk or to have a
network of their own. A recipe whose tools are missing is skipped, with
a message.

No test runs this: they read what it wrote. Other versions of the tools can print other logs, so look at each before you
commit it. The exit code is 1 if a recipe ended otherwise than it says, or its log lacks the line that decides.
"""

import argparse
import os
import shutil
import socket
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TextIO

from tests.child import STDOUT, Child, run
from tests.evidence.failing import TAIL, FailingLog, Recipe, load
from tests.evidence.failing.neutral import Renamed, neutral
from tests.ground.tree import ROOT
from tests.servers.availability import Prepared, look
from tests.servers.cache import VARIABLE, Cache, cache_folder
from tests.servers.catalogue import SERVERS

TOOLS: Final = ROOT / "build" / "failing-tools"
LIMIT: Final = 600
"""Seconds until a recipe is killed."""
INSTALLED: Final = 3600
"""Seconds until an installation is killed: gigabytes are fetched."""

NETWORK: Final = """
ip link set lo up
number=10
for host in $2; do
    number=$((number + 7))
    ip address add 10.96.4.$number/32 dev lo
    echo "10.96.4.$number $host" >>../hosts
done
cat /etc/hosts >>../hosts
mount --bind ../hosts /etc/hosts
exec bash -c "$1"
"""
"""Gives a network namespace an address for each host, and runs a command there; nothing leaves the machine."""

PASSED_ON: Final = ("LANG", "SSL_CERT_FILE", "JAVA_HOME", "GOPROXY", "GOFLAGS", "PIP_INDEX_URL", "HTTPS_PROXY")


class CannotInstallError(Exception):
    """The packages of recipes cannot be installed. The text has the command."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """What a recipe came to: its exit code as a shell reports it, and its log without names of this machine."""

    exit_code: int
    log: bytes


def main(arguments: Sequence[str], out: TextIO) -> int:
    """Make the logs of these names, or all; 0 if each came out as its recipe says."""
    asked = _parser().parse_args(arguments)
    chosen = [failing for failing in load() if not asked.names or failing.name in asked.names]
    if asked.install:
        install(chosen, asked.tools)
    status = 0
    for failing in chosen:
        if missing := missing_tools(failing, asked.tools):
            out.write(f"{failing.name}: skipped, not installed: {', '.join(missing)}\n")
        elif wrong := make(failing, asked.tools):
            out.write(f"{failing.name}: {wrong}\n")
            status = 1
        out.flush()
    return status


def install(chosen: Sequence[FailingLog], tools: Path) -> None:
    """Install the packages that these recipes need. Raises CannotInstallError if that fails."""
    wanted = sorted({need for failing in chosen for need in failing.recipe.needs})
    python = [need.removeprefix("pip:") for need in wanted if need.startswith("pip:")]
    node = [need.removeprefix("npm:") for need in wanted if need.startswith("npm:")]
    _install([sys.executable, "-m", "venv", tools / "venv"])
    if python:
        _install([tools / "venv" / "bin" / "pip", "install", "--quiet", *python])
    if node:
        _install(["npm", "install", "--no-fund", "--no-audit", "--prefix", tools / "node", *node])


def missing_tools(failing: FailingLog, tools: Path) -> list[str]:
    """What the recipe needs and is not there."""
    return [need for need in failing.recipe.needs if not _is_installed(need, tools)]


def make(failing: FailingLog, tools: Path) -> str | None:
    """Run a recipe and write its log; what is wrong with it, if anything."""
    recorded = record(failing.recipe, tools)
    failing.path.write_bytes(recorded.log)
    if recorded.exit_code != failing.recipe.exit_code:
        return f"ended with {recorded.exit_code}, not with {failing.recipe.exit_code}"
    if not any(failing.is_decided_by(line) for line in failing.text().split("\n")):
        return "no line of the log is the one that decides"
    return None


def record(recipe: Recipe, tools: Path) -> Recorded:
    """Run a recipe in a folder of its own, which is removed afterwards."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        places = _places(Path(scratch), tools)
        _write_files(Path(scratch), recipe.files)
        exit_code, printed = _run(_command(recipe), Path(scratch), environment(Path(scratch), tools))
    log = neutral(printed.decode("utf-8", errors="replace"), places).encode()
    return Recorded(exit_code=exit_code, log=log if recipe.whole else _tail(log))


def environment(scratch: Path, tools: Path) -> Mapping[str, str]:
    """The variables of a recipe: nothing of this machine but where its tools and certificates are."""
    home = Path.home()
    paths = [tools / "venv" / "bin", tools / "node" / "node_modules" / ".bin"]
    return {
        **{name: os.environ[name] for name in PASSED_ON if name in os.environ},
        "PATH": os.pathsep.join([*map(str, paths), os.environ["PATH"]]),
        "HOME": str(scratch / "home"),
        "TMPDIR": str(scratch / "tmp"),
        "USER": "build",
        "TZ": "UTC",
        "PROJECT": str(ROOT),
        VARIABLE: str(cache_folder(os.environ)),
        "NODE_PATH": str(tools / "node" / "node_modules"),
        "GOPATH": str(tools / "go"),
        "GOCACHE": str(tools / "go-build"),
        "MAVEN_OPTS": f"-Dmaven.repo.local={tools / 'm2'} -Duser.home={scratch / 'home'}",
        "CARGO_HOME": os.environ.get("CARGO_HOME", str(home / ".cargo")),
        "RUSTUP_HOME": os.environ.get("RUSTUP_HOME", str(home / ".rustup")),
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.evidence.failing.make", description="Make failing logs.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="names of logs; all if none is given")
    parser.add_argument("--tools", type=Path, default=TOOLS, help="where packages are installed")
    parser.add_argument("--install", action="store_true", help="install the packages first")
    return parser


def _install(command: Sequence[str | Path]) -> None:
    with Child(command) as installing:
        if (code := installing.wait(INSTALLED)) != 0:
            raise CannotInstallError(f"`{' '.join(map(str, command))}` exited with {code}")


def _is_installed(need: str, tools: Path) -> bool:
    kind, _, name = need.rpartition(":")
    match kind:
        case "pip":
            pip = tools / "venv" / "bin" / "pip"
            show = [str(pip), "show", "--quiet", name]
            return pip.exists() and run(show).returncode == 0
        case "server":
            return isinstance(look(SERVERS[name], Cache(cache_folder(os.environ))), Prepared)
        case "npm":
            return (tools / "node" / "node_modules" / name).is_dir()
        case _:
            return shutil.which(name) is not None


def _places(scratch: Path, tools: Path) -> list[Renamed]:
    return [
        Renamed(here=str(here), there=there)
        for here, there in [
            (scratch / "build", "/srv/build"),
            (scratch / "home", "/srv/home"),
            (scratch / "tmp", "/var/tmp"),  # noqa: S108 - a name in a log
            (scratch, "/srv"),
            (Path(tempfile.gettempdir()), "/var/tmp"),  # noqa: S108 - a name in a log
            (tools / "venv", "/opt/venv"),
            (tools / "node", "/opt/node"),
            (tools, "/opt/tools"),
            (ROOT, "/opt/source"),
            (Path(sys.base_prefix), "/usr/local"),
            (Path.home(), "/srv/home"),
            (socket.gethostname(), "worker-7"),
        ]
    ]


def _write_files(scratch: Path, files: Mapping[str, str]) -> None:
    for folder in ("build", "home", "tmp"):
        (scratch / folder).mkdir()
    for name, text in files.items():
        path = scratch / "build" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        if text.startswith("#!"):
            path.chmod(0o755)


def _command(recipe: Recipe) -> Sequence[str]:
    if recipe.hosts:
        return ["unshare", "--mount", "--net", "bash", "-c", NETWORK, "bash", recipe.run, " ".join(recipe.hosts)]
    return ["bash", "-c", recipe.run]


def _run(command: Sequence[str], scratch: Path, environment: Mapping[str, str]) -> tuple[int, bytes]:
    """The exit code as a shell reports it, and both outputs in the order in which they were printed."""
    with (scratch / "printed").open("w+b") as printed:
        with Child(command, cwd=scratch / "build", env=environment, stdout=printed, stderr=STDOUT) as running:
            code = running.wait(LIMIT)
        printed.seek(0)
        return (code if code >= 0 else 128 - code), printed.read()


def _tail(log: bytes) -> bytes:
    """The end of a log, from the start of a line."""
    return log if len(log) <= TAIL else log[-TAIL:].split(b"\n", 1)[1]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], sys.stdout))
