"""Chaos on all real servers at once; and what would not count as holding."""

import os
import secrets
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.chaos.whole.__main__ import KILLS
from tests.chaos.whole.audit import Kept, Told
from tests.chaos.whole.course import run
from tests.chaos.whole.outcome import Outcome, head, row
from tests.chaos.whole.plan import RETRIES_OF_A_JOB, Plan, Victim
from tests.chaos.whole.stage import Site
from tests.servers.control_plane import ControlPlane
from tests.servers.pulsar_namespace import PulsarNamespace

SHORT = {Victim.AGENT: 2, Victim.SCHEDULER: 2, Victim.PULSAR: 1, Victim.API_SERVER: 1}
WHOLE_SITE = pytest.mark.timeout(240)  # each of its parts is killed and starts again
MANY_KILLS = pytest.mark.timeout(3600)  # as above, ten times the pods
START = datetime(2026, 11, 22, tzinfo=UTC)


@pytest.fixture
def site(
    control_plane: ControlPlane, namespace: str, pulsar_namespace: PulsarNamespace, postgres_store: str, tmp_path: Path
) -> Site:
    return Site(
        plane=control_plane, namespace=namespace, pulsar=pulsar_namespace, store_url=postgres_store, folder=tmp_path
    )


def seed() -> int:
    """Another one each time; ``CHAOS_SEED`` repeats one that a failure printed."""
    return int(os.environ.get("CHAOS_SEED") or secrets.randbelow(10**9))


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


@pytest.mark.parametrize(
    ("pods", "kills"),
    [
        pytest.param(200, SHORT, marks=[pytest.mark.slow, WHOLE_SITE], id="short"),
        *(
            pytest.param(2000, KILLS, marks=[pytest.mark.long, MANY_KILLS], id=f"round-{number}")
            for number in range(1, 6)
        ),
    ],
)
def test_nothing_is_lost_and_each_run_decided_once_through_kills(
    site: Site, pods: int, kills: dict[Victim, int]
) -> None:
    plan = Plan(pods=pods, kills=kills, seed=seed())
    say(f"CHAOS_SEED={plan.seed}")

    outcome = run(plan, site, say=say)

    assert outcome.holds, "\n".join((*outcome.faults, head(), row(outcome)))
    assert len(outcome.verdicts) == pods
    say(f"{head()}\n{row(outcome)}")


def told(number: int, *, sequence: int | None = None, scope: str = "job-0000") -> Told:
    return Told(
        event_id=f"event-{number}", scope=scope, spool_id="spool", sequence=number if sequence is None else sequence
    )


def kept(number: int, *, pod: int | None = None, seconds: int = 0) -> Kept:
    run_id = f"pod-{number if pod is None else pod:05}"
    return Kept(event_id=f"event-{number}", run_id=run_id, stored_at=START + timedelta(seconds=seconds))


def verdicts(pods: int, *, retried: Sequence[int] = (0, 1, 2)) -> dict[str, str]:
    return {f"pod-{number:05}": "retry" if number in retried else "fail" for number in range(pods)}


GOOD = Outcome(
    plan=Plan(pods=4, kills=SHORT, seed=7),
    told=[told(number) for number in range(4)],
    kept=[kept(number, seconds=number) for number in range(4)],
    verdicts=verdicts(4),
    held=(),
    suppressed=2,
    seconds=1.0,
)


def test_all_decided_once_holds() -> None:
    assert GOOD.holds
    assert GOOD.duplicates == GOOD.reordered == 0
    assert row(GOOD).split() == ["7", "4", "2/2/1/1", "1", "4", "0", "0", "4", "2", "0"]
    assert len(row(GOOD)) == len(head())


def test_a_message_twice_is_a_duplicate_and_no_fault() -> None:
    outcome = replace(GOOD, told=[*GOOD.told, told(1)])

    assert outcome.holds
    assert outcome.duplicates == 1
    assert outcome.reordered == 0


@pytest.mark.parametrize(
    ("outcome", "faults"),
    [
        (replace(GOOD, kept=GOOD.kept[1:]), ["1 lost"]),
        (replace(GOOD, kept=[*GOOD.kept, kept(9, pod=1)]), ["1 stored more than once"]),
        (replace(GOOD, verdicts=verdicts(3)), ["1 without a verdict"]),
        (replace(GOOD, verdicts=verdicts(5)), ["1 stored or decided that never failed"]),
        (replace(GOOD, held=("pod-00001",)), ["1 still held"]),
        (replace(GOOD, verdicts=verdicts(4, retried=(0, 2))), ["2 tried again instead of 3"]),
    ],
)
def test_anything_else_does_not(outcome: Outcome, faults: list[str]) -> None:
    assert outcome.faults == faults
    assert not outcome.holds


@pytest.mark.parametrize(
    ("outcome", "times"),
    [
        (replace(GOOD, told=[told(0), told(2), told(1), told(3)]), 1),
        (replace(GOOD, told=[told(0), told(1, sequence=9), told(2), told(3)]), 1),
        (replace(GOOD, told=[told(0), told(1, sequence=9), told(2, scope="job-0001"), told(3, scope="job-0001")]), 0),
        (replace(GOOD, kept=[kept(0, seconds=5), *GOOD.kept[1:]]), 1),
    ],
)
def test_one_that_overtakes_another_of_its_scope_is_counted(outcome: Outcome, times: int) -> None:
    assert outcome.reordered == times


def test_a_plan_kills_what_it_says_in_the_order_of_its_seed() -> None:
    plan = Plan(pods=25, kills=KILLS, seed=3)

    blows = plan.blows()

    assert Counter(victim for blow in blows for victim in blow.victims) == KILLS
    assert all(len(set(blow.victims)) == len(blow.victims) for blow in blows)
    assert any(len(blow.victims) > 1 for blow in blows)
    assert blows == plan.blows()
    assert blows != replace(plan, seed=4).blows()
    assert plan.retries == 3 * RETRIES_OF_A_JOB
