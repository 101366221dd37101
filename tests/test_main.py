import subprocess
import sys

import pytest

from agent import __version__
from agent.__main__ import COMMANDS, main

HEAVY = ("aiohttp", "kubernetes", "pydantic", "sqlalchemy", "google.protobuf", "re2", "typer")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([option]) == 0

    said = capsys.readouterr().out
    assert all(f"  {name} " in said and command.summary in said for name, command in COMMANDS.items())


def test_the_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"failure-agent {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"), [([], "a command is needed"), (["clutser"], "no such command: clutser")]
)
def test_anything_else_is_wrong_usage(arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    assert complaint in capsys.readouterr().err


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_its_own_help(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        main([name, "--help"])

    assert ended.value.code == 0
    assert f"failure-agent {name}" in capsys.readouterr().out


@pytest.mark.slow
def test_help_loads_nothing_heavy() -> None:
    code = f"import sys, agent.__main__ as m; m.main(['--help']); sys.exit(any(n in sys.modules for n in {HEAVY}))"

    assert subprocess.run([sys.executable, "-c", code], capture_output=True, check=False).returncode == 0
