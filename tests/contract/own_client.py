"""What our own client makes of an API server, of either kind."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Final

import msgspec
import pytest

from agent.kube.cluster_id import cluster_id
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Gone
from agent.kube.lease import Leases, Record
from agent.kube.logs import LogReader, LogUnavailable
from agent.kube.objects import Pod
from agent.kube.pods import PodReader, PodWriter
from agent.kube.reflector.reflector import Pace, Reflector
from tests.contract.client import Client
from tests.kube.cluster import QUICK, STREAMED, Ear
from tests.simulator.api import MERGE, Json

OURS: Final = "failure-agent.dev/reported"
THEIRS: Final = "example.dev/other"
_NOW: Final = datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=UTC)


async def it_mirrors_a_streamed_list_and_what_comes_after(client: Client) -> None:
    await _mirror(client, STREAMED)


async def it_mirrors_a_paged_list_and_what_comes_after(client: Client) -> None:
    await _mirror(client, QUICK)


async def _mirror(client: Client, pace: Pace) -> None:
    for name in "abcdefg":
        await client.put(name)
    ear = Ear()
    reflector, running = _reflect(client, ear, pace)
    await asyncio.wait_for(reflector.synced.wait(), 20)
    assert sorted(ear.told) == [("added", name) for name in "abcdefg"]
    await client.put("h", finalizers=[THEIRS])
    await client.stage.server.patch(f"{client.stage.pods}/a/status", {"status": {"phase": "Failed"}})
    await client.stage.server.delete(f"{client.stage.pods}/b")
    told = (await ear.heard(11))[7:]
    assert told == [("added", "h"), ("modified", "a"), ("modified", "b"), ("deleted", "b")]
    assert ear.changes[-1].object is not None
    assert (reflector.stats.lists, reflector.stats.errors, reflector.stats.bad) == (1, 0, 0)
    await _stop(running)


async def it_makes_up_for_history_that_is_gone(client: Client) -> None:
    await client.put("goes")
    await client.put("stays")
    ear = Ear()
    reflector, running = _reflect(client, ear, replace(STREAMED, watch_seconds=(1.0, 1.0)))
    await ear.heard(2)
    await _stop(running)
    await client.stage.server.delete(f"{client.stage.pods}/goes")
    await client.put("new")
    await client.stage.keeper.forget_watches()
    running = asyncio.create_task(reflector.run())
    assert sorted((await ear.heard(4))[2:]) == [("added", "new"), ("deleted", "goes")]
    assert (reflector.stats.gone, reflector.stats.lists) == (1, 2)
    await _stop(running)


async def it_knows_a_list_that_is_gone(client: Client) -> None:
    for name in "abc":
        await client.put(name)
    first = msgspec.json.decode(await client.connection.get(client.stage.pods, {"limit": "1"}))
    await client.put("d")
    await client.stage.keeper.forget()
    token = first["metadata"]["continue"]
    with pytest.raises(Gone):
        await client.connection.get(client.stage.pods, {"limit": "1", "continue": token})


async def it_puts_its_finalizer_on_and_takes_it_off(client: Client) -> None:
    writer, pod = PodWriter(client.connection), await client.put("a", finalizers=[THEIRS])
    for _ in range(2):
        await writer.add_finalizer(pod, OURS)
    assert sorted((await _found(client, "a"))["finalizers"]) == [THEIRS, OURS]
    await client.stage.server.delete(f"{client.stage.pods}/a")
    for _ in range(2):
        await writer.remove_finalizer(pod, OURS)
    assert (await _found(client, "a"))["finalizers"] == [THEIRS]
    await writer.remove_finalizer(pod, THEIRS)
    await writer.remove_finalizer(pod, THEIRS)
    assert await PodReader(client.connection).find(pod) is None


async def it_leaves_a_namesake_alone(client: Client) -> None:
    writer, gone = PodWriter(client.connection), await client.put("a")
    await client.stage.server.delete(f"{client.stage.pods}/a")
    namesake = await client.put("a", finalizers=[OURS])
    await writer.add_finalizer(gone, THEIRS)
    await writer.remove_finalizer(gone, OURS)
    await writer.delete(gone)
    found = await _found(client, "a")
    assert (found["uid"], found["finalizers"]) == (namesake.uid, [OURS])
    assert "deletionTimestamp" not in found
    assert await PodReader(client.connection).find(gone) is None
    assert await PodReader(client.connection).find(namesake) is not None


async def it_deletes_a_pod_at_a_version(client: Client) -> None:
    writer, pod = PodWriter(client.connection), await client.put("a")
    before = (await _found(client, "a"))["resourceVersion"]
    await client.stage.server.patch(f"{client.stage.pods}/a", {"metadata": {"labels": {"x": "1"}}}, MERGE)
    with pytest.raises(ApiError) as refused:
        await writer.delete(pod, resource_version=before)
    assert refused.value.status == 409
    for _ in range(2):
        await writer.delete(pod)
    assert await PodReader(client.connection).find(pod) is None


async def it_takes_a_lease_that_nobody_else_took(client: Client) -> None:
    leases = Leases(client.connection, client.stage.namespace, seconds=5.0)
    assert await leases.read("leader") is None
    first = Record(holder="first", duration=8, transitions=0, acquired=_NOW, renewed=_NOW, behind=1.5)
    made = await leases.write("leader", first)
    assert replace(made, version="") == first == replace(await _lease(leases, made.version), version="")
    taken = await leases.write("leader", replace(made, holder="second", transitions=1, behind=None))
    for late in (made, replace(made, version="")):
        with pytest.raises(ApiError) as refused:
            await leases.write("leader", replace(late, holder="third"))
        assert refused.value.status == 409
    assert await _lease(leases, taken.version) == taken == (await leases.all())["leader"]


async def it_hears_out_a_refusal_in_plain_text(client: Client) -> None:
    async with (
        client.stage.keeper.overloaded() as somebody,
        await Connection.open(client.settings(somebody.token)) as connection,
    ):
        with pytest.raises(ApiError) as refused:
            await connection.post(client.stage.pods, {"metadata": {"name": "a"}})
    error = refused.value
    assert (error.status, error.reason, error.retry_after) == (429, "", 1.0)
    assert error.message == "Too many requests, please try again later."


async def it_says_why_a_log_cannot_be_had(client: Client) -> None:
    pod = await client.put("a")
    with pytest.raises(LogUnavailable, match="container no is not valid for pod a"):
        await LogReader(client.connection).tail(pod, "no", previous=False, lines=5, max_bytes=100, deadline=10.0)


async def it_knows_which_cluster_it_is_in(client: Client) -> None:
    system = await client.stage.server.get("/api/v1/namespaces/kube-system")
    assert await cluster_id(client.connection) == system["metadata"]["uid"]


def _reflect(client: Client, ear: Ear, pace: Pace) -> tuple[Reflector[Pod, str], "asyncio.Task[None]"]:
    reflector = Reflector(
        client.connection,
        path=client.stage.pods,
        decode=Pod,
        keep=lambda each: each.metadata.name or "",
        handler=ear.hear,
        pace=pace,
    )
    return reflector, asyncio.create_task(reflector.run())


async def _stop(running: "asyncio.Task[None]") -> None:
    assert not running.done(), running.exception()
    running.cancel()
    await asyncio.gather(running, return_exceptions=True)


async def _found(client: Client, name: str) -> Json:
    found: Json = (await client.stage.server.get(f"{client.stage.pods}/{name}"))["metadata"]
    return found


async def _lease(leases: Leases, version: str) -> Record:
    """What it reads once the API server's cache is as of this version."""
    async with asyncio.timeout(30):
        while (found := await leases.read("leader")) is None or found.version != version:  # noqa: ASYNC110 - it asks
            await asyncio.sleep(0.01)
    return found


CHECKS: Final[tuple[Callable[[Client], Awaitable[None]], ...]] = (
    it_mirrors_a_streamed_list_and_what_comes_after,
    it_mirrors_a_paged_list_and_what_comes_after,
    it_makes_up_for_history_that_is_gone,
    it_knows_a_list_that_is_gone,
    it_puts_its_finalizer_on_and_takes_it_off,
    it_leaves_a_namesake_alone,
    it_deletes_a_pod_at_a_version,
    it_takes_a_lease_that_nobody_else_took,
    it_hears_out_a_refusal_in_plain_text,
    it_says_why_a_log_cannot_be_had,
    it_knows_which_cluster_it_is_in,
)
