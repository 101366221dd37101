"""Commands import only what they need: the clients of what they do not ask take longer to import than to answer."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
import structlog.testing

from agent.store.store import Store
from tests import child
from tests.scheduler.service.site import served, site
from tests.store.records.test_lists import fill

pytestmark = pytest.mark.slow

CLIENTS = ("aiohttp", "alembic", "grpc", "kubernetes", "sqlalchemy", "structlog")
POD = {
    "kind": "Pod",
    "metadata": {"name": "a"},
    "status": {"phase": "Failed", "containerStatuses": [{"name": "b", "state": {"terminated": {"exitCode": 1}}}]},
}
SCRIPT = """
import sys
from agent.ctl.main import main
try:
    main()
finally:
    print(*(name for name in {clients} if name in sys.modules), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of a store, and of an API over it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('imports')}/store.db"
    with Store.open(url) as opened:
        fill(opened)
        with served(site(opened)) as address, structlog.testing.capture_logs():
            yield url, address


def imported(words: Sequence[str | Path]) -> set[str]:
    """Which of the clients a command that succeeds imports."""
    done = child.run([sys.executable, "-c", SCRIPT.format(clients=CLIENTS), *words])
    assert done.returncode == 0, done.stderr
    assert done.stdout
    return set(done.stderr.split())


def test_files_are_classified_without_any(tmp_path: Path) -> None:
    pod = tmp_path / "pod.json"
    pod.write_text(json.dumps(POD), encoding="utf-8")

    assert imported(["classify", "-f", pod]) == set()


@pytest.mark.parametrize("words", [["get", "jobs"], ["explain", "job-11"]], ids=" ".join)
def test_a_store_is_read_and_an_api_asked_each_without_the_other(store: tuple[str, str], words: list[str]) -> None:
    url, address = store

    assert imported([*words, "--store", url]) == {"sqlalchemy"}
    assert imported([*words, "--server", address]) == {"grpc"}
