from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from agent.core.run_event import PodReference
from agent.kube.codec import Unreadable
from agent.kube.connection import Connection
from agent.kube.errors import ApiError
from agent.kube.pods import PodReader, PodWriter
from agent.settings.kube import KubeSettings
from tests.kube.cluster import Cluster, cluster
from tests.simulator.api import PODS, Json, pod

OURS = "failure-agent.dev/reported"
THEIRS = "example.dev/other"


async def held(it: Cluster, *finalizers: str) -> tuple[Json, PodReference]:
    made = await it.api.create(PODS, pod("a", finalizers=list(finalizers)))
    return made, reference(made)


def reference(made: Json) -> PodReference:
    return PodReference(namespace="default", name="a", uid=made["metadata"]["uid"])


async def test_one_request_removes_our_finalizer_and_no_other() -> None:
    async with cluster() as it:
        _, ref = await held(it, THEIRS, OURS)
        await PodWriter(it.connection).remove_finalizer(ref, OURS)
        assert (await it.api.get(f"{PODS}/a"))["metadata"]["finalizers"] == [THEIRS]
        requests = await it.api.requests()
    assert requests["patch pods"] == 1


async def test_a_deleted_pod_is_gone_without_its_last_finalizer() -> None:
    async with cluster() as it:
        _, ref = await held(it, OURS)
        await it.remove("a")
        await PodWriter(it.connection).remove_finalizer(ref, OURS)
        assert (await it.api.ask("GET", f"{PODS}/a"))[0] == 404


async def test_removing_twice_is_the_same_as_once_and_a_pod_that_is_gone_is_done() -> None:
    async with cluster() as it:
        _, ref = await held(it, OURS)
        writer = PodWriter(it.connection)
        await writer.remove_finalizer(ref, OURS)
        before = await it.api.get(f"{PODS}/a")
        await writer.remove_finalizer(ref, OURS)
        assert await it.api.get(f"{PODS}/a") == before
        await it.remove("a")
        await writer.remove_finalizer(ref, OURS)


async def test_a_namesake_is_left_alone() -> None:
    async with cluster() as it:
        _, ref = await held(it)
        await it.remove("a")
        namesake, _ = await held(it, OURS)
        await PodWriter(it.connection).remove_finalizer(ref, OURS)
        found = await it.api.get(f"{PODS}/a")
    assert found == namesake


@pytest.mark.parametrize("code", [409, 422])
async def test_a_conflict_is_tried_again(code: int) -> None:
    async with cluster() as it:
        _, ref = await held(it, OURS)
        await it.api.add_fault(kind="status", verb="patch", code=code, times=2)
        await PodWriter(it.connection).remove_finalizer(ref, OURS)
        assert "finalizers" not in (await it.api.get(f"{PODS}/a"))["metadata"]


async def test_a_conflict_that_does_not_end_is_an_error() -> None:
    async with cluster() as it:
        _, ref = await held(it, OURS)
        await it.api.add_fault(kind="status", verb="patch", code=409)
        with pytest.raises(ApiError):
            await PodWriter(it.connection).remove_finalizer(ref, OURS)
        requests = await it.api.requests()
    assert requests["patch pods"] == 5


@pytest.mark.parametrize("code", [403, 429, 500])
async def test_other_refusals_are_raised(code: int) -> None:
    async with cluster() as it:
        _, ref = await held(it, OURS)
        await it.api.add_fault(kind="status", verb="patch", code=code, times=1)
        with pytest.raises(ApiError) as refused:
            await PodWriter(it.connection).remove_finalizer(ref, OURS)
    assert refused.value.status == code


@asynccontextmanager
async def saying(body: bytes) -> AsyncIterator[Connection]:
    """A server that gives this body for every pod, and refuses every change with a conflict."""

    async def answer(request: web.Request) -> web.Response:
        return web.Response(status=200 if request.method == "GET" else 409, body=body)

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", answer)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        url = f"http://127.0.0.1:{runner.addresses[0][1]}"
        async with await Connection.open(KubeSettings(url=url)) as connection:
            yield connection
    finally:
        await runner.cleanup()


SAID = PodReference(namespace="default", name="a", uid="u")
NOT_UTF_8 = b'{"metadata": {"name": "a", "uid": "u", "annotations": {"x": "\xff"}}}'
NO_POD = b'{"metadata": {"name": 7, "uid": "u"}}'


async def test_a_pod_with_text_that_is_not_utf_8_is_found() -> None:
    async with saying(NOT_UTF_8) as connection:
        found = await PodReader(connection).find(SAID)
    assert found is not None
    assert found.metadata.uid == "u"


async def test_an_answer_that_is_no_pod_is_unreadable() -> None:
    async with saying(NO_POD) as connection:
        with pytest.raises(Unreadable, match="not a pod"):
            await PodReader(connection).find(SAID)


@pytest.mark.parametrize("body", [NO_POD, NOT_UTF_8.replace(b"annotations", b"labels")])
async def test_a_contested_pod_that_is_undecodable_fails_only_this_try(body: bytes) -> None:
    async with saying(body) as connection:
        writer = PodWriter(connection)
        if body is NO_POD:
            with pytest.raises(ApiError):
                await writer.remove_finalizer(SAID, OURS)
        else:
            await writer.remove_finalizer(SAID, OURS)


async def test_a_pod_is_deleted_with_its_own_grace_period() -> None:
    async with cluster() as it:
        _, ref = await held(it, OURS)
        await PodWriter(it.connection).delete(ref)
        deleted = (await it.api.get(f"{PODS}/a"))["metadata"]
        requests = await it.api.requests()
    assert deleted["deletionTimestamp"]
    assert requests["delete pods"] == 1


async def test_a_pod_is_deleted_by_force() -> None:
    async with cluster() as it:
        placed = pod("a", finalizers=[OURS])
        placed["spec"]["nodeName"] = "n"
        await it.api.create(PODS, placed)
        ref = reference(await it.api.get(f"{PODS}/a"))
        writer = PodWriter(it.connection)
        await writer.delete(ref, grace_seconds=300)
        assert (await it.api.get(f"{PODS}/a"))["metadata"]["deletionGracePeriodSeconds"] == 300
        await writer.delete(ref, grace_seconds=0)
        assert (await it.api.get(f"{PODS}/a"))["metadata"]["deletionGracePeriodSeconds"] == 0


async def test_deleting_twice_is_the_same_as_once_and_a_pod_that_is_gone_is_done() -> None:
    async with cluster() as it:
        _, ref = await held(it)
        writer = PodWriter(it.connection)
        await writer.delete(ref)
        await writer.delete(ref)
        assert (await it.api.ask("GET", f"{PODS}/a"))[0] == 404


async def test_a_namesake_is_not_deleted() -> None:
    async with cluster() as it:
        _, ref = await held(it)
        await it.remove("a")
        namesake, _ = await held(it)
        await PodWriter(it.connection).delete(ref)
        assert await it.api.get(f"{PODS}/a") == namesake


async def test_a_pod_that_changed_is_not_deleted_if_a_version_is_given() -> None:
    async with cluster() as it:
        made, ref = await held(it)
        await it.touch("a", "yes")
        writer = PodWriter(it.connection)
        with pytest.raises(ApiError) as refused:
            await writer.delete(ref, resource_version=made["metadata"]["resourceVersion"])
        assert refused.value.status == 409
        now = await it.api.get(f"{PODS}/a")
        await writer.delete(ref, resource_version=now["metadata"]["resourceVersion"])
        assert (await it.api.ask("GET", f"{PODS}/a"))[0] == 404


@pytest.mark.parametrize("code", [403, 429, 500])
async def test_a_refused_deletion_is_raised(code: int) -> None:
    async with cluster() as it:
        _, ref = await held(it)
        await it.api.add_fault(kind="status", verb="delete", code=code, times=1)
        with pytest.raises(ApiError) as refused:
            await PodWriter(it.connection).delete(ref)
    assert refused.value.status == code
