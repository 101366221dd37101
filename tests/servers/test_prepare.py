"""Preparing, with a server that takes no time to make."""

import io
from pathlib import Path

import pytest

from tests.servers.__main__ import main, prepare
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


@pytest.mark.parametrize("command", [["prepare"], ["prepare", "kubernetes"], ["run", "kubernetes"]])
def test_without_go_the_command_says_what_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str]
) -> None:
    monkeypatch.setenv(VARIABLE, str(tmp_path))
    monkeypatch.setenv("PATH", str(tmp_path))
    out = io.StringIO()

    assert main(command, out) == 1
    assert out.getvalue() == ("kubernetes cannot be prepared: it is made with Go, and there is no `go` on the PATH\n")


def test_a_server_nobody_knows_is_refused_with_those_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["prepare", "openshift"], io.StringIO())
    assert "no server 'openshift'; there are kubernetes" in capsys.readouterr().err
