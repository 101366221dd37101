"""Chromium is taken where it is; else it is installed, and who cannot do that is told how."""

import io
import os
from pathlib import Path

import pytest

from tests.servers.chromium_program import ChromiumProgram, browser_of, find_installed
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError


@pytest.fixture(autouse=True)
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder of programs."""
    folder = tmp_path / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}")
    return folder


def install(folder: Path, name: str, does: str = "") -> Path:
    program = folder / name
    program.write_text(f"#!/bin/sh\n{does}\n")
    program.chmod(0o755)
    return program


def built(folder: Path) -> Path:
    made = folder / "made"
    made.mkdir()
    ChromiumProgram().build(made, jobs=1, progress=Progress(io.StringIO(), clock=lambda: 0.0))
    return browser_of(made)


@pytest.fixture
def _root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)


@pytest.mark.parametrize("name", ["chromium", "chromium-browser"])
def test_what_is_installed_is_used(tmp_path: Path, programs: Path, name: str) -> None:
    program = install(programs, name)

    assert find_installed(os.environ) == built(tmp_path) == program


@pytest.mark.usefixtures("_root")
def test_root_installs_it(tmp_path: Path, programs: Path) -> None:
    writes = f'echo "$DEBIAN_FRONTEND $*" >>{tmp_path}/asked; [ $1 = update ] || /bin/cp $0 {programs}/chromium'
    install(programs, "apt-get", writes)

    assert built(tmp_path) == programs / "chromium"
    update, installed = (tmp_path / "asked").read_text().splitlines()
    assert update == "noninteractive update"
    assert installed.split()[:2] == ["noninteractive", "install"]
    assert installed.endswith(" chromium")


def test_without_root_it_says_what_to_do(tmp_path: Path, programs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(programs, "apt-get", "exit 1")
    monkeypatch.setattr(os, "geteuid", lambda: 1000)

    with pytest.raises(CannotPrepareError, match="only root may install packages: install Chromium with the package"):
        built(tmp_path)


@pytest.mark.usefixtures("_root")
@pytest.mark.parametrize(
    ("does", "said"),
    [(None, "no Chromium and no apt-get"), ("", "brings no browser"), ("echo no such package; exit 100", "no such")],
)
def test_where_it_cannot_be_installed_it_says_why(tmp_path: Path, programs: Path, does: str | None, said: str) -> None:
    if does is not None:
        install(programs, "apt-get", does)

    with pytest.raises(CannotPrepareError, match=said):
        built(tmp_path)
