"""The requests of the benchmark of Lookout's API are answered, and are held to targets."""

from pathlib import Path

import pytest

from agent.lookout.store.opening import open_store
from agent.lookout.store.recording import record
from bench.peer.asking import QUESTIONS, TARGETS, Asked, Kind, ask, held, shown
from bench.sample.histories import events_of
from tests.store.events import failed


@pytest.mark.slow
def test_each_question_is_asked_of_the_api_and_of_the_database(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/lookout.db"
    with open_store(url) as store, store.write() as connection:
        record(connection, list(events_of(100, [failed(origin="infra")])))

    found = ask(url, number=3)

    assert [asked.request for asked in found] == [question.request for question in QUESTIONS]
    assert all(0 < asked.p50 <= asked.p99 and asked.beside_sql > 0 for asked in found)
    assert len(list(shown(found))) == len(QUESTIONS)


def test_the_slowest_question_of_a_kind_counts() -> None:
    found = [Asked(Kind.SORT, "a", p50=1.0, p99=400.0, bare=1.0), Asked(Kind.SORT, "b", p50=60.0, p99=80.0, bare=1.0)]

    assert [(figure.value, figure.target) for figure in held(found, "sqlite")] == [(60.0, 50.0), (400.0, 300.0)]
    assert {question.kind for question in QUESTIONS} == set(TARGETS) == set(Kind)
