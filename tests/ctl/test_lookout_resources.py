"""``failctl get`` and ``describe`` of resources that a Lookout asks the scheduler for."""

from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog.testing
from typer.testing import CliRunner, Result

from agent.ctl.main import app
from agent.store import listed_orphans
from agent.store.store import Store
from tests.lookout.api.scheduler.fronting import in_front_of
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import served, site
from tests.store.databases import new_store
from tests.store.test_orphans import orphan


def failctl(*words: str, **environ: str) -> Result:
    return CliRunner().invoke(app, words, env={"COLUMNS": "80", "FAILCTL_SERVER": "", **environ})


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A policy, and a queue that has changed since it was created."""
    file = tmp_path_factory.mktemp("resources") / "resources.yaml"
    file.write_text(policy("p") + "---\n" + queue("q", ["p"]))
    return file


@pytest.fixture(scope="module")
def addresses(tmp_path_factory: pytest.TempPathFactory, file: Path) -> Iterator[tuple[str, str]]:
    """Of a scheduler with a policy, a queue and an orphan, and of a Lookout in front of it."""
    with (
        Store.open(new_store(tmp_path_factory.mktemp("scheduler"))) as store,
        served(site(store)) as server,
        in_front_of(server, tmp_path_factory.mktemp("lookout")) as client,
        structlog.testing.capture_logs(),
    ):
        assert failctl("create", "-f", str(file), "--server", server).exit_code == 0
        assert failctl("update", "queue", "q", "--priority", "7", "--server", server).exit_code == 0
        with store.write() as connection:
            listed_orphans.add(connection, [orphan("c1b7f0de-3a51-4c5e-9f0c-2f6ab8a6d9f1")])
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
        "history retrypolicy p",
        "history queue gone",
        "diff queue q",
        "diff queue q 1 7",
        "diff -f {file}",
        "get orphans",
        "get orphans -o wide",
    ],
)
def test_the_same_is_printed_as_from_the_scheduler(addresses: tuple[str, str], file: Path, words: str) -> None:
    server, lookout = addresses
    typed = words.format(file=file).split()
    asked, forwarded = failctl(*typed, "--server", server), failctl(*typed, "--lookout", lookout)

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
