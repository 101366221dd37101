"""What a webhook of the platform adds to new pods."""

import aiohttp
import pytest

from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.simulator.kinds import NODES, PODS
from agent.simulator.record import RUN_INDEX
from agent.simulator.webhook import webhook_of
from tests.simulator.api import PODS as PATH
from tests.simulator.api import Api, Json, pod
from tests.simulator.playing import playing, shipped

_, SCRIPTS = shipped()


def played(script: str, *, index: str = "0", containers: tuple[str, ...] = ("main",)) -> Json:
    body = pod("mine", labels={RUN_INDEX: index}, annotations={SCRIPT_ANNOTATION: script})
    return {**body, "spec": {**body["spec"], "containers": [{"name": name, "image": "a"} for name in containers]}}


def names(body: Json) -> list[str]:
    return [each["name"] for each in body["spec"]["containers"]]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (played("sidecar-crash"), ["main", "proxy"]),
        (played("sidecar-crash", containers=("train", "log")), ["train", "log", "proxy"]),
        (played("sidecar-crash", containers=("proxy", "main")), ["proxy", "main"]),
        (played("sidecar-crash, success", index="1"), ["main"]),
        (played("success, sidecar-crash", index="7"), ["main", "proxy"]),
        (played("success"), ["main"]),
        (played("unknown"), ["main"]),
        (pod("plain"), ["main"]),
    ],
)
def test_a_pod_gets_what_its_script_says(body: Json, expected: list[str]) -> None:
    assert names(webhook_of(SCRIPTS)(PODS, body)) == expected


@pytest.mark.parametrize("body", [{}, {"spec": None}, {"spec": {}, "metadata": {}}])
def test_what_is_no_pod_is_left_to_the_server(body: Json) -> None:
    assert webhook_of(SCRIPTS)(PODS, body) == body
    assert webhook_of(SCRIPTS)(NODES, played("sidecar-crash")) == played("sidecar-crash")


async def test_the_server_asks_it() -> None:
    async with playing(None, SCRIPTS) as simulation, aiohttp.ClientSession() as session:
        made = await Api(session, simulation.url).create(PATH, played("sidecar-crash"))

    assert names(made) == ["main", "proxy"]
