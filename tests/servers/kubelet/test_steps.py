"""Which containers a kubelet starts, and when it starts them again."""

import asyncio
from datetime import timedelta

import pytest

from tests.servers.kubelet.behaviour import ENDLESS, SUCCEEDS, Course, fails
from tests.servers.kubelet.runtime import Runtime
from tests.servers.kubelet.steps import OVER, WAIT, Steps, steps
from tests.simulator.api import Json

META: Json = {"uid": "u", "namespace": "default", "name": "a"}


def pod(policy: str, *names: str, init: tuple[str, ...] = ()) -> Json:
    listed = {"initContainers": init, "containers": names}
    return {
        "metadata": META,
        "spec": {
            "restartPolicy": policy,
            **{field: [{"name": name} for name in some] for field, some in listed.items()},
        },
    }


async def run(runtime: Runtime, of: Json, name: str, course: Course) -> None:
    """Start a container, and let it end if it ends at once."""
    runtime.start(of, name, course)
    await asyncio.sleep(0.01)


def now_due(runtime: Runtime, of: Json, *, later: float = 0.0) -> Steps:
    at = max(each.ended_at or each.started_at for each in runtime.ledger)
    return steps(of, runtime.of("u"), now=at + timedelta(seconds=later))


async def test_init_containers_run_one_by_one_and_the_others_together() -> None:
    runtime, it = Runtime(), pod("Never", "x", "y", init=("first", "second"))
    await run(runtime, it, "first", SUCCEEDS)
    second = now_due(runtime, it)
    await run(runtime, it, "second", SUCCEEDS)

    assert second == Steps(start=("second",))
    assert now_due(runtime, it) == Steps(start=("x", "y"))


async def test_nothing_starts_behind_an_init_container_that_runs_or_failed() -> None:
    runtime, it = Runtime(), pod("Never", "x", init=("first",))
    await run(runtime, it, "first", ENDLESS)
    waits = now_due(runtime, it)
    runtime.of("u")["first"].end(fails().exit)

    assert (waits, now_due(runtime, it)) == (WAIT, OVER)


@pytest.mark.parametrize(
    ("policy", "course", "again"),
    [
        ("Never", fails(), False),
        ("OnFailure", fails(), True),
        ("OnFailure", SUCCEEDS, False),
        ("Always", SUCCEEDS, True),
    ],
)
async def test_what_ended_starts_again_by_the_policy(policy: str, course: Course, *, again: bool) -> None:
    runtime, it = Runtime(), pod(policy, "x")
    await run(runtime, it, "x", course)

    assert now_due(runtime, it) == (Steps(start=("x",)) if again else OVER)


async def test_it_starts_again_at_once_and_then_after_a_time_that_doubles() -> None:
    runtime, it = Runtime(), pod("OnFailure", "x")
    for _ in range(3):
        await run(runtime, it, "x", fails())

    assert now_due(runtime, it) == Steps(after=20.0)
    assert now_due(runtime, it, later=20.0) == Steps(start=("x",))
