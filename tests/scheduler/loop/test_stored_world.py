"""The real handler, pass and store in the model: no order of events breaks a promise, and every job ends."""

import random
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from agent.core.lifecycle.guarantees import Guarantee
from agent.core.lifecycle.inputs import RunFailed
from agent.core.lifecycle.run import RunVerdict
from agent.core.run_event import Confirmation
from agent.store.failures import Arrival
from agent.store.store import Store
from tests.core.lifecycle import moves
from tests.core.lifecycle.test_world import STEPS, TERMS
from tests.core.lifecycle.world import Broken
from tests.scheduler.loop.stored_world import StoredWorld
from tests.store.databases import new_store

ELSEWHERE = {"preempt", "expire"}
"""Moves of the model that no part of the scheduler makes yet."""


def walk(seed: int, *, batch: int) -> None:
    draw = random.Random(seed)  # noqa: S311 - no secret
    terms = TERMS[seed % len(TERMS)]
    with TemporaryDirectory() as folder, Store.open(new_store(Path(folder))) as store:
        world = StoredWorld(terms=terms, batch=batch).open(store)
        try:
            for _ in range(STEPS):
                moves.step(world, draw.randrange(10**9))
            world.drain()
        except Broken as broken:
            broken.add_note(f"walk({seed}, batch={batch})")
            raise


@pytest.fixture(autouse=True)
def made_by_the_scheduler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(moves, "MOVES", tuple(move for move in moves.MOVES if move.name not in ELSEWHERE))


@pytest.mark.slow
def test_no_walk_breaks_a_promise() -> None:
    walk_in_batches(random.SystemRandom().randrange(10**9), 8)


def trust_every_failure(arrival: Arrival, verdict: RunVerdict) -> RunFailed:
    event = arrival.event
    proof = Confirmation.CONTAINERS
    return RunFailed(cluster=event.cluster_id, uid=event.pod.uid, verdict=verdict, confirmed=proof)


def forget_to_wake(*_: object) -> None:
    return None


def walk_in_batches(seed: int, count: int) -> None:
    for number in range(seed, seed + count):
        walk(number, batch=1 + number % 4)


def walk_one_by_one(seed: int, count: int) -> None:
    for number in range(seed, seed + count):
        walk(number, batch=1)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "instead", "breaks", "first"),
    [
        ("agent.scheduler.consume.reported.failed", trust_every_failure, Guarantee.NEXT_RUN_AFTER_CONFIRMATION, 27),
        ("agent.scheduler.effects.write.wakes_at", forget_to_wake, "every-job-ends", 1),
    ],
    ids=["proof", "time"],
)
def test_the_model_sees_what_happens_without_a_rule(
    monkeypatch: pytest.MonkeyPatch, place: str, instead: Callable[..., object], breaks: str, first: int
) -> None:
    """``first`` is the first walk that broke the rule, when this was written."""
    monkeypatch.setattr(place, instead)

    with pytest.raises(Broken) as broken:
        walk_one_by_one(first, 100)
    assert broken.value.guarantee == breaks


@pytest.mark.long
@pytest.mark.timeout(1800)  # 40,000 steps, each a transaction
def test_no_long_series_of_walks_breaks_a_promise() -> None:
    walk_in_batches(random.SystemRandom().randrange(10**9), 400)
