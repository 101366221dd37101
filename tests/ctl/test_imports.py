"""Commands import only what they need, because importing takes longer than their work."""

import json
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path

import pytest
import structlog.testing

from agent.store.store import Store
from tests import child
from tests.lookout.api.serving import empty_store
from tests.lookout.api.serving import served as serving_lookout
from tests.scheduler.service.site import served, site
from tests.store.records.test_lists import fill

pytestmark = pytest.mark.slow

CLIENTS = ("aiohttp", "alembic", "cryptography", "grpc", "kubernetes", "sqlalchemy", "structlog")
LIBRARIES = ("google.protobuf", "re2", "regex", "sqlalchemy.dialects.postgresql", "sqlalchemy.orm", "yaml")
OURS = (
    "agent.core.classify.compiler",
    "agent.core.decision.decide",
    "agent.core.decision.explanation",
    "agent.core.error_table.engine",
    "agent.core.retry.policy",
    "agent.core.summary.bounds",
    "agent.ctl.context.contexts",
    "agent.settings.cluster",
    "agent.settings.load",
    "agent.settings.scheduler",
    "agent.simulator.server",
    "agent.store.insert",
    "agent.store.verdicts",
    "agent.wire.failure",
)
SHOWING_A_FAILURE = {"agent.core.decision.explanation", "google.protobuf", "re2"}
POD = {
    "kind": "Pod",
    "metadata": {"name": "a"},
    "status": {"phase": "Failed", "containerStatuses": [{"name": "b", "state": {"terminated": {"exitCode": 1}}}]},
}
JOBS = """\
queue: gone
jobSetId: a
jobs: [{namespace: a, podSpec: {restartPolicy: Never, containers: [{name: main}]}}]
"""
SCRIPT = """
import sys
from agent.ctl.main import main
try:
    main()
finally:
    print(*(name for name in {names} if name in sys.modules), file=sys.stderr)
"""


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """The addresses of a store, and of an API over it."""
    url = f"sqlite:///{tmp_path_factory.mktemp('imports')}/store.db"
    with Store.open(url) as opened:
        fill(opened)
        with served(site(opened)) as address, structlog.testing.capture_logs():
            yield url, address


def imported(
    words: Sequence[str | Path], *, code: int = 0, names: Sequence[str] = (*CLIENTS, *LIBRARIES, *OURS)
) -> set[str]:
    """What a command that ends with this code imports of clients, libraries and our own."""
    done = child.run([sys.executable, "-c", SCRIPT.format(names=names), *words])
    assert done.returncode == code, done.stderr
    assert done.stdout
    return set(done.stderr.splitlines()[-1].split())


def test_all_these_names_are_modules() -> None:
    assert [name for name in (*CLIENTS, *LIBRARIES, *OURS) if find_spec(name) is None] == []


def test_classifying_a_file_imports_no_reader_of_rules_and_no_decision(tmp_path: Path) -> None:
    pod = tmp_path / "pod.json"
    pod.write_text(json.dumps(POD), encoding="utf-8")

    found = imported(["classify", "-f", pod])

    assert found == {"re2", "agent.core.classify.compiler", "agent.core.summary.bounds"}


def test_the_help_of_all_lists_imports_no_filters() -> None:
    names = ("msgspec", "agent.core.failure", "agent.store.records.filters")

    assert imported(["get", "--help"], names=names) == set()
    assert imported(["get", "jobs", "--help"], names=names) == set(names)


def test_reading_lists_imports_no_failures_and_no_verdicts(store: tuple[str, str]) -> None:
    url, address = store

    assert imported(["get", "jobs", "--store", url]) == {"sqlalchemy"}
    assert imported(["get", "jobs", "--server", address]) == {"grpc", "google.protobuf"}


def test_reading_lists_from_a_lookout_imports_no_client(tmp_path: Path) -> None:
    with empty_store(tmp_path) as opened, serving_lookout(opened) as client:
        words = ["get", "jobs", "--lookout", f"http://127.0.0.1:{client.port}", "-o", "json"]
        assert imported(words) == set()


def test_explaining_a_job_imports_no_decision(store: tuple[str, str]) -> None:
    url, address = store

    assert imported(["explain", "job-11", "--store", url]) == {"sqlalchemy", "agent.wire.failure", *SHOWING_A_FAILURE}
    assert imported(["explain", "job-11", "--server", address]) == {"grpc", *SHOWING_A_FAILURE}


def test_submitting_and_cancelling_jobs_imports_no_store(store: tuple[str, str], tmp_path: Path) -> None:
    _, address = store
    file = tmp_path / "jobs.yaml"
    file.write_text(JOBS, encoding="utf-8")

    found = imported(["submit", "-f", file, "--server", address, "--dry-run", "-o", "json"], code=1)

    assert found == {"grpc", "google.protobuf", "yaml"}
    assert imported(["cancel", "job-11", "--server", address, "-o", "json"], code=1) == {"grpc", "google.protobuf"}
    stopped = ["confirm-stopped", "job-11-a", "--dry-run", "--server", address, "-o", "json"]
    assert imported(stopped, code=1) == {"grpc", "google.protobuf"}
