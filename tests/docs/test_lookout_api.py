"""docs/lookout-api.md has every column, and its requests work as they stand."""

import re
from collections.abc import Iterator
from typing import Final

import pytest
from typer.testing import CliRunner

from agent.ctl.main import app
from agent.lookout.query.columns import LISTS
from tests.docs.lookout_api_page import PAGE, page
from tests.lookout.api.serving import Client, empty_store, served

TEXT: Final = PAGE.read_text(encoding="utf-8")
ADDRESS: Final = "http://127.0.0.1:8085"
COMMANDS: Final = re.findall(rf"^    failctl ((?:get|describe) .* --lookout {ADDRESS})$", TEXT, re.MULTILINE)
REQUESTS: Final = re.findall(rf"^    curl '{ADDRESS}(.*)'$", TEXT, re.MULTILINE)
(REFUSED,) = re.findall(rf"^    \$ curl '{ADDRESS}(.*)'\n((?:    .*\n)+)", TEXT, re.MULTILINE)


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with empty_store(tmp_path_factory.mktemp("lookout")) as store, served(store) as found:
        yield found


def test_the_page_has_the_columns_there_are() -> None:
    assert page(TEXT) == TEXT, "run make generate"


@pytest.mark.parametrize("request_line", REQUESTS)
def test_its_requests_are_answered(client: Client, request_line: str) -> None:
    """What the scheduler knows is not, because the Lookout of the tests has none."""
    answer = client.get(request_line)

    if request_line.startswith("/api/v1/scheduler/"):
        assert answer.code == "no-scheduler"
    else:
        assert answer.status == 200, answer.text


@pytest.mark.parametrize("command", [command for command in COMMANDS if "--watch" not in command])
def test_its_commands_ask_a_lookout(client: Client, command: str) -> None:
    """The one of the tests has no scheduler, and so no resources. What watches goes on until somebody stops it."""
    done = CliRunner().invoke(app, command.replace(ADDRESS, f"http://127.0.0.1:{client.port}").split())

    if command.startswith("get"):
        assert (done.exit_code, done.stdout) == (0, ""), done.stderr
    else:
        assert "set api.scheduler" in done.stderr


def test_each_list_of_failctl_and_resources_are_among_its_commands() -> None:
    assert {command.split()[1] for command in COMMANDS} == {"jobs", "failures", "verdicts", "queue"}


def test_each_list_and_each_count_has_a_request_or_a_row(client: Client) -> None:
    paths = {path.removeprefix("/api/v1") for path in client.get("/api/v1/openapi.json").json["paths"]}
    counted = {path for path in paths if path.startswith(("/groups/", "/facets/", "/series", "/tops/"))}

    assert {f"/{name}" for name in LISTS} | counted <= set(re.findall(r"`(/[a-z/]+)`", TEXT))


def test_what_is_refused_says_what_the_page_shows(client: Client) -> None:
    path, shown = REFUSED
    answer = client.get(path)

    faults = [f"{fault['parameter']}: {fault['message']}; {fault['fix']}" for fault in answer.json["errors"]]
    assert faults == [line.strip() for line in shown.splitlines()]


def test_the_sorts_are_those_of_the_lists() -> None:
    for name, of in LISTS.items():
        (row,) = re.findall(rf"^\| `/{name}` \|.*\| (.*) \|$", TEXT, re.MULTILINE)
        assert re.findall("`([A-Za-z]+)`", row) == list(of.sorts)
