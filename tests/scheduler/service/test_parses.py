"""A write parses what it was given: never what is stored, and nothing in a transaction that others wait for."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from sqlalchemy import Connection

from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Intent
from agent.store.store import Store
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import Site, site

P, Q = Kind.RETRY_POLICY, Kind.QUEUE
STORED = [policy(f"p{number}") for number in range(6)] + [queue(f"q{number}", [f"p{number}"]) for number in range(3)]

Parsed = Callable[[Callable[[], object]], int]


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Parsed:
    """How many texts the one reader of YAML reads during a call."""
    texts, parse = list[str](), yaml.parse

    def counted(text: str, **more: Any) -> Any:  # noqa: ANN401 - PyYAML's
        texts.append(text)
        return parse(text, **more)

    def count(call: Callable[[], object]) -> int:
        texts.clear()
        call()
        return len(texts)

    monkeypatch.setattr(yaml, "parse", counted)
    return count


def put(api: Site, *texts: str, intent: Intent = Intent.APPLY, dry_run: bool = False) -> object:
    return api.resources.put("---\n".join(texts), who="x", intent=intent, dry_run=dry_run)


def filled(store: Store) -> Site:
    api = site(store)
    put(api, *STORED)
    return api


def test_a_write_parses_its_documents_and_no_stored_one(store: Store, parsed: Parsed) -> None:
    api = filled(store)

    assert {
        "one document": parsed(lambda: put(api, policy("p1", limit=1))),
        "the same again": parsed(lambda: put(api, policy("p1", limit=1))),
        "a dry run": parsed(lambda: put(api, policy("p1", limit=2), dry_run=True)),
        "a queue, which is checked with its policies": parsed(lambda: put(api, queue("q1", ["p1", "p2"]))),
        # as a whole, and, once they are stored, each alone
        "two documents": parsed(lambda: put(api, policy("p1", limit=4), policy("p2", limit=4))),
        "deletion": parsed(lambda: api.resources.delete(Q, "q2", who="x")),
        "the version before": parsed(lambda: api.resources.roll_back(P, "p1", who="x")),
    } == {
        "one document": 1,
        "the same again": 1,
        "a dry run": 1,
        "a queue, which is checked with its policies": 1,
        "two documents": 3,
        "deletion": 0,
        "the version before": 1,
    }


def test_only_stored_texts_are_remembered(store: Store) -> None:
    api = filled(store)

    for limit in range(9):
        put(api, policy("p1", limit=limit), dry_run=True)
        put(api, policy("p2", limit=limit))
    put(api, "apiVersion: armadaproject.io/v1\nkind: Queue\nqueues: []\n")

    assert {text for _, _, text in api.in_force.cache.compiled._values} == {
        shown.text for kind in (P, Q) for shown in api.resources.everything(kind)[0] if shown.stored is not None
    }


class Watched(Store):
    """A store that knows whether a transaction is open that excludes other writers."""

    deciding = False

    @contextmanager
    def decide(self, scopes: Iterable[str]) -> Iterator[Connection]:
        with super().decide(scopes) as connection:
            self.deciding = True
            yield connection
        self.deciding = False


def test_what_another_scheduler_wrote_is_parsed_before_the_transaction(
    store: Store, store_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    inside, parse = list[bool](), yaml.parse
    with Watched.open(store_url) as watched:
        behind = site(watched)
        filled(store)

        def noted(text: str, **more: Any) -> Any:  # noqa: ANN401 - PyYAML's
            inside.append(watched.deciding)
            return parse(text, **more)

        monkeypatch.setattr(yaml, "parse", noted)
        put(behind, queue("q1", ["p1", "p2"]))

    assert inside == [False] * (1 + len(STORED))
