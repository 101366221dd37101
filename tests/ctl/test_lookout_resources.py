"""``failctl get`` and ``describe`` of resources that a Lookout asks the scheduler for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog.testing
from typer.testing import CliRunner, Result

from agent.ctl.main import app
from agent.store.store import Store
from tests.lookout.api.scheduler.fronting import in_front_of
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import served, site
from tests.store.databases import new_store


def failctl(*words: str, **environ: str) -> Result:
    return CliRunner().invoke(app, words, env={"COLUMNS": "80", "FAILCTL_SERVER": "", **environ})


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """Of a scheduler with a policy and a queue, and of a Lookout in front of it."""
    file = tmp_path_factory.mktemp("resources") / "resources.yaml"
    file.write_text(policy("p") + "---\n" + queue("q", ["p"]))
    with (
        Store.open(new_store(tmp_path_factory.mktemp("scheduler"))) as store,
        served(site(store)) as server,
        in_front_of(server, tmp_path_factory.mktemp("lookout")) as client,
        structlog.testing.capture_logs(),
    ):
        assert failctl("create", "-f", str(file), "--server", server).exit_code == 0
        yield server, f"http://127.0.0.1:{client.port}"


@pytest.mark.parametrize(
    "words",
    [
        "get all",
        "get all -o yaml",
        "get retrypolicies -o wide",
        "get retrypolicy p -o json",
        "get queues -o name",
        "get errorrules",
        "get queue gone",
        "describe retrypolicy p",
        "describe queue q",
        "describe queue no/such",
        "describe queue ../no%20such",
        "describe queue 100%",
    ],
)
def test_the_same_is_printed_as_from_the_scheduler(addresses: tuple[str, str], words: str) -> None:
    server, lookout = addresses
    asked, forwarded = failctl(*words.split(), "--server", server), failctl(*words.split(), "--lookout", lookout)

    assert (forwarded.exit_code, forwarded.stdout) == (asked.exit_code, asked.stdout)
    assert forwarded.stderr == asked.stderr


def test_a_context_with_both_asks_the_scheduler_itself(addresses: tuple[str, str], tmp_path: Path) -> None:
    server, lookout = addresses
    config = f"{tmp_path}/config.yaml"

    failctl("context", "set", "a", "--lookout", lookout, FAILCTL_CONFIG=config)
    forwarded = failctl("get", "queues", FAILCTL_CONFIG=config)
    failctl("context", "set", "a", "--server", "127.0.0.1:1", FAILCTL_CONFIG=config)
    asked = failctl("get", "queues", FAILCTL_CONFIG=config)

    assert forwarded.stdout == failctl("get", "queues", "--server", server).stdout
    assert (asked.exit_code, asked.stdout) == (3, "")


def test_a_lookout_without_a_scheduler_says_what_to_set(tmp_path: Path) -> None:
    with in_front_of(None, tmp_path) as client:
        done = failctl("describe", "queue", "q", "--lookout", f"http://127.0.0.1:{client.port}")

    assert done.exit_code == 3
    assert "set api.scheduler to the HOST:PORT of its API" in done.stderr
