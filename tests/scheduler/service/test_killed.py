"""A scheduler that is killed in the middle of a change: the change is there whole, or not at all."""

import signal
import sys
from pathlib import Path

import pytest

from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Intent
from agent.store.store import Store
from tests.child import run
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import site

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
