"""Changes are reported once they are committed, to this process and to others that share a database on Postgres."""

from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.lookout.changes import Changes, Jobs
from agent.lookout.store.opening import open_store
from agent.store.notices import LONGEST
from agent.store.store import Store
from tests.lookout.store.databases import new_database
from tests.scheduler.path import wait_until


class Heard:
    """What was reported, in order."""

    def __init__(self, changes: Changes) -> None:
        self.jobs: list[Jobs] = []
        changes.listen(self.jobs.append)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with open_store(new_database(tmp_path)) as opened:
        yield opened


def test_a_change_is_reported_when_it_is_committed(store: Store) -> None:
    changes = Changes()
    heard = Heard(changes)
    with changes.writing(store, frozenset({"job-1"})) as connection:
        connection.exec_driver_sql("SELECT 1")
        assert heard.jobs == []

    assert heard.jobs == [frozenset({"job-1"})]


def test_what_was_rolled_back_is_not_reported(store: Store) -> None:
    changes = Changes()
    heard = Heard(changes)
    with pytest.raises(KeyError), changes.writing(store, None):
        raise KeyError

    assert heard.jobs == []


IDS = st.frozensets(st.text(min_size=1).filter(lambda text: text.isprintable()))


@given(jobs=st.none() | IDS)
def test_another_process_hears_at_least_what_changed(jobs: Jobs) -> None:
    other = Changes("b")
    heard = Heard(other)
    notice = Changes("a").notice(jobs)
    other.hear(notice)

    assert len(notice.encode()) <= LONGEST
    assert heard.jobs in ([jobs], [None])
    if jobs is None or len(notice.encode()) < LONGEST // 2:
        assert heard.jobs == [jobs]


@pytest.mark.parametrize(
    "jobs", [{"*"}, {"*\n"}, {"a\nb"}, {"a" * 9_000}, {f"job-{number}" for number in range(5_000)}]
)
def test_jobs_that_no_notice_can_name_are_any(jobs: set[str]) -> None:
    other = Changes("b")
    heard = Heard(other)
    other.hear(Changes("a").notice(frozenset(jobs)))

    assert heard.jobs == [None if jobs != {"*"} else frozenset(jobs)]


def test_its_own_notices_are_no_news() -> None:
    changes = Changes("a")
    heard = Heard(changes)
    changes.hear(changes.notice(None))

    assert heard.jobs == []


@pytest.fixture
def postgres(request: pytest.FixtureRequest) -> Iterator[Store]:
    with open_store(request.getfixturevalue("postgres_store")) as opened:
        yield opened


@pytest.mark.slow
@pytest.mark.xdist_group("postgres")
def test_another_process_on_postgres_hears_what_was_committed_and_nothing_else(postgres: Store) -> None:
    ours, theirs, stop = Changes(), Changes(), Event()
    heard, own = Heard(theirs), Heard(ours)
    threads = [Thread(target=changes.hear_until, args=(stop, postgres)) for changes in (ours, theirs)]
    for thread in threads:
        thread.start()
    try:
        wait_until(lambda: listeners(postgres) == 2)
        with pytest.raises(KeyError), ours.writing(postgres, frozenset({"rolled back"})):
            raise KeyError
        with ours.writing(postgres, frozenset({"job-1"})):
            pass
        with ours.writing(postgres, None):
            pass
        wait_until(lambda: len(heard.jobs) == 2)
    finally:
        stop.set()
        for thread in threads:
            thread.join()

    assert heard.jobs == [frozenset({"job-1"}), None]
    assert own.jobs == [frozenset({"job-1"}), None]
    wait_until(lambda: listeners(postgres) == 0)  # the server sees a moment later that a connection is closed


@pytest.mark.slow
@pytest.mark.xdist_group("postgres")
def test_after_a_lost_connection_anything_may_have_changed(postgres: Store) -> None:
    changes, stop = Changes(), Event()
    heard = Heard(changes)
    thread = Thread(target=changes.hear_until, args=(stop, postgres))
    thread.start()
    try:
        wait_until(lambda: listeners(postgres) == 1)
        with postgres.write() as connection:
            connection.exec_driver_sql(f"SELECT pg_terminate_backend(pid) {LISTENERS}")
        wait_until(lambda: heard.jobs == [None])
        assert listeners(postgres) == 1
    finally:
        stop.set()
        thread.join()


LISTENERS = "FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%%'"


def listeners(store: Store) -> int:
    """How many connections listen."""
    with store.read() as connection:
        return int(connection.exec_driver_sql(f"SELECT count(*) {LISTENERS}").scalar_one())
