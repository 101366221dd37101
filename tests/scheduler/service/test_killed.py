"""A scheduler that is killed in the middle of a change: the change is there whole, or not at all."""

import signal
import sys
from pathlib import Path

import pytest

from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Intent
from agent.store.store import Store
from agent.store.submitted import requests
from tests.child import run
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import site
from tests.scheduler.service.test_submitting import pod

DIES = """
import os, signal, sys
from agent.manifests.resource.kind import Kind
from agent.store import resources
from agent.store.store import Store
from tests.scheduler.service.site import site

written, write = 0, resources.write
def dying(connection, new):
    global written
    done = write(connection, new)
    written += 1
    if written == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)
    return done
resources.write = dying
with Store.open(sys.argv[1]) as store:
    site(store).resources.delete(Kind.RETRY_POLICY, "p", who="x", detach=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("after", [1, 2, 3])
def test_a_change_of_several_resources_is_whole_or_not_at_all(tmp_path: Path, after: int) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    text = "---\n".join([policy("p"), queue("one", ["p"]), queue("two", ["p"])])
    with Store.open(url) as store:
        site(store).resources.put(text, who="x", intent=Intent.CREATE)

    died = run([sys.executable, "-c", DIES, url, str(after)], cwd=Path.cwd())

    assert died.returncode == -signal.SIGKILL, died.stderr
    with Store.open(url) as store:
        api = site(store)
        assert api.effective("one") == api.effective("two") == ("p",)
        assert [one.version for one in api.resources.versions(Kind.RETRY_POLICY, "p")] == [1]
        api.resources.delete(Kind.RETRY_POLICY, "p", who="x", detach=True)
        assert api.names(Kind.RETRY_POLICY) == []


ASKED = """
import os, signal, sys
from importlib import import_module
from agent.store.store import Store
from tests.scheduler.service.site import site
from tests.scheduler.service.test_submitting import pod

def dying(done):
    def call(*given, **named):
        done(*given, **named)
        os.kill(os.getpid(), signal.SIGKILL)
    return call

url, asked, place, name = sys.argv[1:]
module = import_module(place)
setattr(module, name, dying(getattr(module, name)))
with Store.open(url) as store:
    api = site(store, job_ids=["job-0009"])
    if asked == "submit":
        api.submissions.submit(pod("b"), queue="ml", who="x")
    else:
        api.requests.cancel(["job-0001"], who="x", reason="")
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "place", "name"),
    [
        ("submit", "agent.store.submitted.changes", "insert"),
        ("cancel", "agent.store.submitted.requests", "record"),
        ("cancel", "agent.store.submitted.changes", "save"),
        ("cancel", "agent.store.outbox", "put"),
    ],
)
def test_what_is_asked_of_jobs_is_done_whole_or_not_at_all(tmp_path: Path, asked: str, place: str, name: str) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Store.open(url) as store:
        api = site(store)
        api.resources.put(queue("ml"), who="x", intent=Intent.CREATE)
        api.submissions.submit(pod("a"), queue="ml", who="x")

    died = run([sys.executable, "-c", ASKED, url, asked, place, name], cwd=Path.cwd())

    assert died.returncode == -signal.SIGKILL, died.stderr
    with Store.open(url) as store:
        api = site(store, job_ids=["job-0010"])
        (first,) = api.requests.get(["job-0001", "job-0009"])
        assert first.held.job.state == "queued"
        with store.read() as connection:
            assert requests.of_job(connection, "job-0001") == []
        (again,) = api.submissions.submit(pod("b"), queue="ml", who="x")
        (cancelled,) = api.requests.cancel(["job-0001"], who="x", reason="")
        assert (again.outcome, again.job_id, cancelled.outcome) == ("submitted", "job-0010", "done")
