from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

import aiohttp
import pytest

from agent.simulator.kinds import NODES, PODS
from agent.simulator.plan import Plan
from agent.simulator.script import Script
from agent.simulator.simulation import Simulation
from agent.simulator.times import Clocks
from tests.simulator.api import Json
from tests.simulator.playing import playing, quick, shipped, until

HOUR = timedelta(hours=1)
A_MOMENT = timedelta(seconds=10)


def one_script() -> tuple[Plan, dict[str, Script]]:
    plan, scripts = shipped()
    return quick(plan, rate=20.0, cleanup="1h", sweep="0s", mix={}), {"success": scripts["success"]}


def pods(simulation: Simulation) -> list[Json]:
    return [stored.object for stored in simulation.registry.store.all(PODS)]


def started(pod: Json) -> bool:
    return "startTime" in pod["status"]


def scheduled_at(status: Json) -> str:
    return next(str(each["lastTransitionTime"]) for each in status["conditions"] if each["type"] == "PodScheduled")


def about(at: str | datetime, offset: timedelta) -> bool:
    given = datetime.fromisoformat(at) if isinstance(at, str) else at
    return abs(given - datetime.now(UTC) - offset) < A_MOMENT


@pytest.mark.parametrize("skew", [HOUR, -HOUR, timedelta(0)])
async def test_answers_and_what_the_server_writes_have_the_servers_time(skew: timedelta) -> None:
    plan, scripts = one_script()
    async with (
        playing(plan, scripts, clocks=Clocks(skew=skew)) as simulation,
        aiohttp.ClientSession() as session,
        session.get(f"{simulation.url}/api/v1/namespaces/kube-system") as answer,
    ):
        assert about(parsedate_to_datetime(answer.headers["Date"]), skew)
        await until(simulation, lambda: any(map(started, pods(simulation))))
        pod = next(filter(started, pods(simulation)))
        assert about(pod["metadata"]["creationTimestamp"], skew)
        assert about(pod["status"]["startTime"], skew)


async def test_ten_nodes_have_ten_clocks_and_pods_are_bound_by_the_servers() -> None:
    plan, scripts = one_script()
    clocks = Clocks(spread=HOUR)
    async with playing(quick(plan, nodes=10), scripts, clocks=clocks) as simulation:
        names = [node.object["metadata"]["name"] for node in simulation.registry.store.all(NODES)]
        offsets = sorted(round((clocks.node(name) - clocks.server()) / HOUR, 2) for name in names)
        await until(simulation, lambda: sum(map(started, pods(simulation))) > 10)
        written = [pod["status"] for pod in pods(simulation) if started(pod)]

    assert offsets == [-1.0, -0.78, -0.56, -0.33, -0.11, 0.11, 0.33, 0.56, 0.78, 1.0]
    assert all(about(scheduled_at(status), timedelta(0)) for status in written)
    assert not all(about(status["startTime"], timedelta(0)) for status in written)
