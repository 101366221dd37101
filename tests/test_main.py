import sys
from importlib import import_module

import pytest
from typer.main import get_command
from typer.testing import CliRunner

from agent import __version__
from agent.__main__ import Processes, app
from tests.child import run

HEAVY = ("aiohttp", "kubernetes", "pydantic", "sqlalchemy", "google.protobuf", "re2")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_names_every_command_with_its_own_summary(option: str) -> None:
    help_text = CliRunner().invoke(app, [option]).output

    for name, (module, summary) in Processes.modules.items():
        assert f"  {name} " in help_text
        assert summary in help_text
        assert (get_command(import_module(module).app).help or "").splitlines()[0] == summary


def test_the_version() -> None:
    assert CliRunner().invoke(app, ["--version"]).output == f"failure-agent {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [([], "Usage: failure-agent"), (["clutser"], "No such command 'clutser'. Did you mean 'cluster'?")],
)
@pytest.mark.slow
def test_anything_else_is_wrong_usage(arguments: list[str], complaint: str) -> None:
    done = run([sys.executable, "-m", "agent", *arguments])

    assert done.returncode == 2
    assert complaint in done.stderr


@pytest.mark.slow
def test_help_loads_nothing_heavy() -> None:
    code = (
        "import sys\nfrom typer.testing import CliRunner\nfrom agent.__main__ import app\n"
        f"CliRunner().invoke(app, ['--help'])\nsys.exit(any(name in sys.modules for name in {HEAVY}))"
    )

    assert run([sys.executable, "-c", code]).returncode == 0
