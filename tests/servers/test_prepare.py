"""Preparing, with a server that takes no time to make."""

import io
import os
import signal
import sys
from pathlib import Path

import pytest

from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.servers.__main__ import main, prepare, prepare_all, where
from tests.servers.cache import VARIABLE, Cache
from tests.servers.paper import Lead, Paper
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError


def test_it_says_what_it_does_only_when_it_does_it(tmp_path: Path) -> None:
    out = io.StringIO()
    progress = Progress(out, clock=lambda: 0.0)

    folder = prepare(Paper(), Cache(tmp_path), jobs=3, progress=progress)
    first = out.getvalue()
    assert prepare(Paper(), Cache(tmp_path), jobs=3, progress=progress) == folder

    assert (folder / "plane").read_text() == "3"
    assert first == (
        f"paper: is made now and kept in {tmp_path} ({VARIABLE}); nothing\n  0:00  folding\npaper: prepared\n"
    )
    assert out.getvalue() == f"{first}paper: prepared\n"


def test_a_server_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    with pytest.raises(CannotPrepareError, match="paper cannot be prepared: too heavy for 2"):
        prepare(Lead(), Cache(tmp_path), jobs=2, progress=Progress(io.StringIO(), clock=lambda: 0.0))


def test_it_says_where_a_server_is_that_is_made(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    assert where(Paper(), Cache(tmp_path), out=out) == 1
    assert (out.getvalue(), capsys.readouterr().err) == (
        "",
        "paper: it is not prepared, `make servers` does that\n",
    )

    folder = prepare(Paper(), Cache(tmp_path), jobs=1, progress=Progress(io.StringIO(), clock=lambda: 0.0))
    assert where(Paper(), Cache(tmp_path), out=out) == 0
    assert out.getvalue() == f"{folder}\n"


MISSING = {
    "kubernetes": "kubernetes cannot be prepared: it is made with Go, and there is no `go` on the PATH\n",
    "pulsar": "pulsar cannot be prepared: it runs on Java, and there is no `java` on the PATH "
    "(on Debian and Ubuntu: apt-get install openjdk-17-jdk-headless maven)\n",
}


@pytest.mark.parametrize("name", MISSING)
@pytest.mark.parametrize("command", ["prepare", "run"])
def test_without_its_tool_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, command: str
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    out = io.StringIO()

    assert main([command, name], out) == 1
    assert out.getvalue() == MISSING[name]


def test_what_can_be_prepared_is_though_something_else_cannot(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.servers.__main__.SERVERS", {"lead": Lead(), "paper": Paper()})
    out = io.StringIO()

    assert prepare_all(["lead", "paper"], Cache(tmp_path), jobs=2, out=out) == 1
    assert "paper cannot be prepared: too heavy for 2" in out.getvalue()
    assert out.getvalue().endswith("paper: prepared\n")


SLOW_GO = """#!/bin/sh
[ "$1" = env ] && echo go1.0 linux amd64 && exit
echo "go: downloading patience" >&2
exec /bin/sleep 600
"""


@pytest.mark.slow
def test_interrupted_it_leaves_nothing_half_made(tmp_path: Path) -> None:
    go = tmp_path / "bin" / "go"
    go.parent.mkdir()
    go.write_text(SLOW_GO)
    go.chmod(0o755)
    environ = {**os.environ, "PATH": str(go.parent), VARIABLE: str(tmp_path / "cache")}
    command = [sys.executable, "-m", "tests.servers", "prepare", "kubernetes"]
    with Child(command, cwd=ROOT, env=environ, stdout=PIPE) as preparing:
        assert "is made now" in preparing.line()
        assert "1 modules fetched" in preparing.line()
        preparing.send(signal.SIGINT)
        rest, _ = preparing.rest()

    assert (preparing.returned(), rest) == (130, "\ninterrupted; what was made so far of it is removed\n")
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["kubernetes.lock"]


def test_a_server_nobody_knows_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["prepare", "openshift"], io.StringIO())
    assert "no server 'openshift'; there are postgres, pulsar, kubernetes" in capsys.readouterr().err
