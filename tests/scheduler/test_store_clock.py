"""A scheduler on a machine whose clock is wrong."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from agent.scheduler.consume.handler import Decisions
from agent.scheduler.store_clock import StoreClock, report_source
from agent.store.store import Store
from agent.store.tables.verdicts import table as verdict_table
from tests.core.retry.builders import Row
from tests.scheduler.path import POLICY, decision_inputs, delivery, message, now, verdicts_of
from tests.store.events import START, event, failed

HOUR, MINUTE, MOMENT = timedelta(hours=1), timedelta(minutes=1), timedelta(seconds=20)
RULE: Row = {"name": "oom", "onConditions": ["OOMKilled"]}
SKEWS = pytest.mark.parametrize("skew", [HOUR, -HOUR], ids=["ahead", "behind"])


def wrong_by(skew: timedelta) -> StoreClock:
    return StoreClock(system=lambda: now() + skew)


@pytest.fixture
def on_postgres(postgres_store: str) -> Iterator[Store]:
    with Store.open(postgres_store) as opened:
        yield opened


def decide(store: Store, clock: StoreClock, policy: Row, *, run: str, ago: timedelta) -> str:
    """The verdict on a run that failed so long ago."""
    after = (now() - ago - START).total_seconds()
    decisions = Decisions(store, inputs=decision_inputs(policy), clock=clock)
    decisions.handle([delivery(message(event(run, failed(), run=run, after=after)))])
    return verdicts_of(store)[run]


@pytest.mark.slow
@SKEWS
def test_it_gives_the_databases_time_where_there_is_one_and_says_how_far_the_machines_is_off(
    on_postgres: Store, skew: timedelta
) -> None:
    with on_postgres.read() as connection, capture_logs() as logs:
        clock = wrong_by(skew)
        times = [clock(connection) for _ in range(3)]

    assert all(abs(time - datetime.now(UTC)) < MOMENT for time in times)
    assert all(time.tzinfo is UTC for time in times)
    offset = REGISTRY.get_sample_value("failure_agent_scheduler_clock_offset_seconds") or 0.0
    assert abs(offset - skew.total_seconds()) < 5
    assert [line["event"].partition(";")[0] for line in logs] == ["this machine's clock differs from the database's"]


def test_the_time_goes_on_within_a_transaction(store: Store) -> None:
    with store.write() as connection:
        clock = StoreClock()
        assert clock(connection) < clock(connection)


def test_with_sqlite_there_is_nothing_to_compare_with_and_the_log_says_so(store: Store) -> None:
    with store.read() as connection, capture_logs() as logs:
        report_source(store.dialect)
        time = wrong_by(HOUR)(connection)

    alone = store.dialect == "sqlite"
    assert abs(time - datetime.now(UTC) - (HOUR if alone else timedelta(0))) < MOMENT
    assert any("there is no other to compare it with" in line["event"] for line in logs) == alone


@pytest.mark.slow
@SKEWS
def test_give_up_after_goes_by_the_databases_time(on_postgres: Store, skew: timedelta) -> None:
    policy = {"name": "p", "rules": [{**RULE, "giveUpAfter": 1800}]}
    assert decide(on_postgres, wrong_by(skew), policy, run="soon", ago=MINUTE) == "retry"
    assert decide(on_postgres, wrong_by(skew), policy, run="late", ago=HOUR) == "fail"


@pytest.mark.slow
@SKEWS
def test_a_window_goes_by_the_databases_time_whichever_scheduler_granted_the_retry(
    on_postgres: Store, skew: timedelta
) -> None:
    policy = {"name": "p", "rules": [{**RULE, "window": {"retries": 1, "per": 1800}}]}
    assert decide(on_postgres, StoreClock(), policy, run="first", ago=MINUTE) == "retry"
    assert decide(on_postgres, wrong_by(skew), policy, run="second", ago=MINUTE) == "fail"


@pytest.mark.slow
@SKEWS
def test_a_delay_counts_from_the_databases_time(on_postgres: Store, skew: timedelta) -> None:
    decide(on_postgres, wrong_by(skew), {**POLICY, "backoff": {"base": 60}}, run="run-1", ago=MINUTE)
    with on_postgres.read() as connection:
        row = connection.execute(verdict_table.select()).one()
    assert abs(row.decided_at - now()) < MOMENT
    assert abs(row.not_before - now() - timedelta(seconds=row.delay_seconds)) < MOMENT
