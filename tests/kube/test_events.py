"""Listing the events of one pod or node, on the simulator."""

import pytest

from agent.core.run_event import PodReference
from agent.kube.events import EventReader, EventsUnavailable
from tests.kube.cluster import cluster
from tests.simulator.api import Json

EVENTS = "/api/v1/namespaces/default/events"
POD = PodReference(namespace="default", name="a", uid="uid-a")


def event(name: str, *, uid: str = "uid-a", kind: str = "Pod", about: str = "a", type_: str = "Warning") -> Json:
    reference = {"kind": kind, "namespace": "default", "name": about, "uid": uid}
    return {"metadata": {"name": name}, "involvedObject": reference, "type": type_, "message": name}


async def test_only_events_about_the_pod_or_node_are_read() -> None:
    async with cluster() as life:
        for written in (event("e1"), event("e2", uid="other"), event("e3", kind="Node", about="n", uid="n")):
            await life.api.create(EVENTS, written)
        reader = EventReader(life.connection)

        assert [found.message for found in await reader.about_pod(POD, deadline=5)] == ["e1"]
        assert [found.message for found in await reader.about_node("n", deadline=5)] == ["e3"]


async def test_only_the_wanted_types_are_read() -> None:
    async with cluster() as life:
        for written in (event("warned"), event("normal", type_="Normal")):
            await life.api.create(EVENTS, written)

        assert len(await EventReader(life.connection).about_pod(POD, deadline=5)) == 2
        reader = EventReader(life.connection, types={"Warning"})
        assert [found.message for found in await reader.about_pod(POD, deadline=5)] == ["warned"]


async def test_a_refusal_says_why() -> None:
    async with cluster() as life:
        await life.api.add_fault(kind="status", verb="list", code=403, times=1)

        with pytest.raises(EventsUnavailable, match="403"):
            await EventReader(life.connection).about_pod(POD, deadline=5)
