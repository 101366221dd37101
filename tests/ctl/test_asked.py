"""Whom a command asks: the same order everywhere."""

import io
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.console.exits import UsageError
from agent.ctl import asked
from agent.ctl.addresses import DEMO_STORE
from agent.ctl.asked import Asked, for_job, for_lists, for_resources
from agent.ctl.destination import StoreAddress
from agent.ctl.main import app
from agent.ctl.server import ServerChoice
from tests.ground.programs import commands
from tests.lookout.api.serving import empty_store, served

CONTEXTS = "current: both\ncontexts: [{name: both, server: 'ctx:1', lookout: 'http://ctx:2'}, {name: lk, lookout: 'http://l:3'}]"
STORE = StoreAddress()
NOTHING = ServerChoice()


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def environ(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """Of a folder with nothing, on a machine where nothing listens."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(asked, "DEFAULT", "127.0.0.1:1")
    monkeypatch.setattr(asked, "DEFAULT_LOOKOUT", "http://127.0.0.1:1")
    return {"FAILCTL_CONFIG": f"{tmp_path}/config.yaml"}


@pytest.fixture
def scheduler(monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> Iterator[str]:
    """Something that listens where this machine's scheduler would."""
    del environ
    with socket.create_server(("127.0.0.1", 0)) as listening:
        address = f"127.0.0.1:{listening.getsockname()[1]}"
        monkeypatch.setattr(asked, "DEFAULT", address)
        yield address


@pytest.fixture
def lookout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]) -> Iterator[str]:
    del environ
    with empty_store(tmp_path) as store, served(store) as client:
        url = f"http://127.0.0.1:{client.port}"
        monkeypatch.setattr(asked, "DEFAULT_LOOKOUT", url)
        yield url


def test_what_is_more_explicit_decides(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONTEXTS)
    store, err = StoreAddress(url="sqlite:///a.db"), io.StringIO()
    variables = {**environ, "FAILCTL_SERVER": "env:1", "FAILURE_AGENT_STORE__URL": "sqlite:///env.db"}

    for find in (for_lists, for_job):
        assert find(store, NOTHING, variables, err=err) == Asked(store=store)
        assert find(STORE, ServerChoice(server="a:1"), variables, err=err) == Asked(server="a:1")
        assert find(STORE, ServerChoice(context="lk"), variables, err=err) == Asked(lookout="http://l:3")
        assert find(STORE, NOTHING, variables, err=err) == Asked(server="env:1")
    assert for_lists(STORE, NOTHING, environ, err=err) == Asked(lookout="http://ctx:2")
    assert for_job(STORE, NOTHING, environ, err=err) == Asked(server="ctx:1")
    assert for_resources(NOTHING, environ, err=err) == Asked(server="ctx:1")
    assert for_resources(ServerChoice(context="lk"), environ, err=err) == Asked(lookout="http://l:3")


@pytest.mark.parametrize("find", [for_lists, for_job])
def test_two_places_are_refused(environ: dict[str, str], find: type) -> None:
    settings = StoreAddress(settings=Path("scheduler.yaml"))

    with pytest.raises(UsageError, match="--context and --settings name two places to ask; give one of them"):
        find(settings, ServerChoice(context="lk"), environ, err=io.StringIO())


@pytest.mark.parametrize("find", [for_lists, for_job])
def test_where_nothing_is_named_or_found_all_that_could_be_is_named(environ: dict[str, str], find: type) -> None:
    with pytest.raises(UsageError) as refused:
        find(STORE, NOTHING, environ, err=Terminal())

    for name in (
        "127.0.0.1:1",
        "http://127.0.0.1:1",
        str(DEMO_STORE),
        "--server HOST:PORT",
        "--lookout URL",
        "--store URL",
    ):
        assert name in str(refused.value)
    for name in ("--context NAME", "--settings FILE", "FAILCTL_SERVER", "FAILCTL_LOOKOUT", "FAILURE_AGENT_STORE__URL"):
        assert name in str(refused.value)


def test_the_scheduler_of_this_machine_is_asked_if_it_answers(environ: dict[str, str], scheduler: str) -> None:
    err = Terminal()

    for find in (for_lists, for_job):
        assert find(STORE, NOTHING, environ, err=err) == Asked(server=scheduler)
    assert for_resources(NOTHING, environ, err=err) == Asked(server=scheduler)
    assert err.getvalue() == ""


def test_else_its_lookout_and_it_says_so(environ: dict[str, str], lookout: str) -> None:
    err = Terminal()

    assert for_job(STORE, NOTHING, environ, err=err) == Asked(lookout=lookout)
    assert for_resources(NOTHING, environ, err=io.StringIO()) == Asked(lookout=lookout)
    said = " ".join(err.getvalue().split())
    assert said == f"Nothing answers at 127.0.0.1:1: this is from the Lookout at {lookout}."


def test_where_both_answer_it_says_which_is_asked_and_how_to_ask_the_other(
    environ: dict[str, str], scheduler: str, lookout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    err, pipe = Terminal(), io.StringIO()

    assert for_lists(STORE, NOTHING, environ, err=err) == Asked(server=scheduler)
    assert for_lists(STORE, NOTHING, environ, err=pipe) == Asked(server=scheduler)

    other = f"--lookout {lookout} asks the Lookout"
    assert err.getvalue() == f"This is from the scheduler at {scheduler}; {other}.\n"
    assert pipe.getvalue() == ""


def test_the_store_of_a_demo_in_this_folder_comes_before_both(
    environ: dict[str, str], scheduler: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    DEMO_STORE.parent.mkdir()
    DEMO_STORE.touch()
    err = Terminal()

    assert for_job(STORE, NOTHING, environ, err=err) == Asked(store=STORE)
    said = f"This is from the demo's store demo-data/store.db; --server {scheduler} asks the scheduler.\n"
    assert err.getvalue() == said
    variable = {**environ, "FAILURE_AGENT_STORE__URL": "sqlite:///x.db"}
    assert for_job(STORE, NOTHING, variable, err=io.StringIO()) == Asked(store=STORE)


@pytest.mark.parametrize(
    ("api", "expected"),
    [("", "127.0.0.1:8083"), ("api: {port: 7}", "127.0.0.1:7"), ("api: {host: '::1'}", "[::1]:8083")],
)
def test_settings_of_the_scheduler_say_where_its_api_is(tmp_path: Path, api: str, expected: str) -> None:
    file = tmp_path / "scheduler.yaml"
    file.write_text(f"broker: {{url: sqlite:///log.db}}\nstore: {{url: sqlite:///store.db}}\n{api}\n")

    assert ServerChoice(settings=file).address({}) == expected
    with pytest.raises(UsageError, match="--server and --settings both name a scheduler"):
        ServerChoice(settings=file, server="a:1").address({})


def test_settings_that_do_not_say_it_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "scheduler.yaml"
    file.write_text("broker: {url: sqlite:///log.db}\nstore: {url: sqlite:///store.db}\napi: {port: 0}\n")

    done = CliRunner().invoke(app, ["cancel", "a", "--settings", str(file)])

    assert done.exit_code == 2
    assert "with `api.port: 0` only the scheduler's log says where it listens; give --server" in done.stderr


def test_every_command_that_asks_a_scheduler_takes_the_same_options() -> None:
    """What only reads takes a Lookout, too."""
    asking = {
        str(command): {spelling for param in command.parser.params for spelling in param.opts}
        for command in commands()
        if not command.is_group and str(command).startswith("failctl ")
    }
    asking = {name: options for name, options in asking.items() if "--server" in options and "context" not in name}

    assert {name for name, options in asking.items() if not {"--settings", "--context"} <= options} == set()
    changing = {name.split()[1] for name, options in asking.items() if "--lookout" not in options}
    assert changing == {
        *("apply", "cancel", "confirm-stopped", "create", "decide", "delete", "never-retry", "policy"),
        *("retry", "rollback", "submit", "update"),
    }
