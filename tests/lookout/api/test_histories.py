"""One job, one run and one failure over HTTP."""

from collections.abc import Iterator
from urllib.parse import quote

import pytest

from agent.lookout.store.recording import record
from tests.lookout.api.serving import Client, empty_store, served
from tests.lookout.query.test_histories import STORY
from tests.store.events import event, failed


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with empty_store(tmp_path_factory.mktemp("lookout")) as store:
        with store.write() as connection:
            record(connection, [*STORY, event("e-slash", failed(), run="run/..%2F", job="team/a%2Fb")])
        with served(store) as found:
            yield found


@pytest.mark.parametrize("path", ["jobs/job-1", "runs/run-0", "failures/e0"])
def test_each_is_read_by_its_id(client: Client, path: str) -> None:
    answer = client.get(f"/api/v1/{path}")

    assert answer.status == 200
    assert path.rpartition("/")[2] in answer.text


@pytest.mark.parametrize(("noun", "id"), [("job", "team/a%2Fb"), ("run", "run/..%2F")])
def test_an_id_may_have_slashes(client: Client, noun: str, id: str) -> None:  # noqa: A002 - the path names it
    answer = client.get(f"/api/v1/{noun}s/{quote(id, safe='')}")

    assert (answer.status, answer.json[f"{noun}Id"]) == (200, id)


@pytest.mark.parametrize("noun", ["job", "run", "failure"])
def test_what_is_not_there_says_why_that_may_be(client: Client, noun: str) -> None:
    answer = client.get(f"/api/v1/{noun}s/none")

    assert (answer.status, answer.code) == (404, f"no-such-{noun}")
    assert "pruned" in answer.json["detail"]
