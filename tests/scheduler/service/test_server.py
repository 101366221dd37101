from collections.abc import Iterator
from threading import Event, Thread
from typing import Any, Final

import grpc
import pytest
import structlog.testing
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from agent.api.v1 import resources_pb2 as pb
from agent.client.errors import ApiError
from agent.client.resources import connect
from agent.scheduler.service.server import ApiServer
from agent.scheduler.service.streams import MOST_STREAMS
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.path import wait_until
from tests.scheduler.service.site import Site, served, services


def test_a_change_is_sent_to_whoever_watches_with_who_made_it(api: Site) -> None:
    with served(api) as address, connect(address, who="alice") as client:
        client.create(policy("before"))
        changes = client.watch(after=0)
        first = next(changes)
        client.create(policy("later") + "---\n" + queue("ml", ["later"]))
        names = [(one.name, one.change, one.by) for one in (next(changes), next(changes))]

    assert (first.name, first.revision, first.text) == ("before", 1, policy("before"))
    assert names == [("later", pb.CHANGE_CREATED, "alice"), ("ml", pb.CHANGE_CREATED, "alice")]


def test_a_watch_ends_when_the_server_stops(api: Site) -> None:
    ended = Event()
    with served(api) as address, connect(address, who="alice") as client:
        client.create(policy("a"))
        changes = client.watch(after=0)
        next(changes)

        def wait() -> None:
            try:
                list(changes)
            except ApiError:
                pass
            finally:
                ended.set()

        Thread(target=wait, daemon=True).start()
    assert ended.wait(60)


def test_health_and_reflection_are_served(api: Site) -> None:
    with served(api) as address, grpc.insecure_channel(address) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        for name in ("", "agent.api.v1.ResourceService"):
            answer = stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=60)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert "agent.api.v1.ResourceService" in ProtoReflectionDescriptorDatabase(channel).get_services()


def test_an_address_in_use_is_an_error_that_names_the_setting_and_the_only_one(
    api: Site, capfd: pytest.CaptureFixture[str]
) -> None:
    stop = Event()
    with served(api) as address:
        port = int(address.rpartition(":")[2])
        with pytest.raises(OSError, match=r"Address already in use; change api\.host or api\.port"):
            ApiServer("127.0.0.1", port, services(api, stop=stop), stop=stop)
    assert capfd.readouterr().err == ""


def test_a_kind_that_there_is_not_is_refused(api: Site) -> None:
    with served(api) as address, connect(address, who="alice") as client, pytest.raises(ApiError) as refused:
        client.get(pb.RESOURCE_KIND_UNSPECIFIED, "a")

    assert refused.value.code is grpc.StatusCode.INVALID_ARGUMENT


def test_watches_leave_threads_for_other_calls(api: Site) -> None:
    with served(api) as address, connect(address, who="alice") as client:
        client.create(policy("a"))
        open_ones = [client.watch(after=0) for _ in range(MOST_STREAMS)]
        for one in open_ones:
            next(one)

        with pytest.raises(ApiError) as refused:
            next(client.watch(after=0))

        assert refused.value.code is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert client.get(pb.RESOURCE_KIND_RETRY_POLICY, "a").version == 1


_METHODS: Final = (
    "/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo",
    "/grpc.health.v1.Health/Watch",
    "/agent.api.v1.ResourceService/WatchResources",
    "/agent.api.v1.ResourceService/ListResources",
    "/agent.api.v1.RecordService/ListRecords",
)


def test_clients_that_send_nothing_hold_nobody_up(api: Site) -> None:
    silent = Event()

    def nothing() -> Iterator[bytes]:
        silent.wait(100)
        yield from ()

    with served(api) as address, grpc.insecure_channel(address) as channel, connect(address, who="alice") as client:
        calls: list[Any] = [channel.stream_stream(method) for method in _METHODS]
        idle = [call(nothing()) for call in calls for _ in range(40)]
        try:
            stub: Any = health_pb2_grpc.HealthStub(channel)
            answer = stub.Check(health_pb2.HealthCheckRequest(), timeout=60)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
            assert client.create(policy("a"))[0].version == 1
        finally:
            silent.set()
            for call in idle:
                call.cancel()


def _is_answered(stream: Iterator[Any]) -> bool:
    try:
        next(stream)
    except grpc.RpcError:
        return False
    return True


def test_streams_of_reflection_are_capped(api: Site) -> None:
    silent = Event()

    def one_question() -> Iterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")
        silent.wait(100)

    with served(api) as address, grpc.insecure_channel(address) as channel:
        ask: Any = reflection_pb2_grpc.ServerReflectionStub(channel).ServerReflectionInfo
        answered = [ask(one_question()) for _ in range(MOST_STREAMS)]
        for stream in answered:
            next(stream)
        try:
            with pytest.raises(grpc.RpcError) as refused:
                next(ask(one_question()))
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            answered[0].cancel()
            wait_until(lambda: _is_answered(ask(one_question())))
        finally:
            silent.set()
            for stream in answered:
                stream.cancel()


def test_an_unforeseen_error_is_logged_and_its_text_is_not_sent(api: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> object:
        raise RuntimeError("secret")

    monkeypatch.setattr(api.resources, "get", broken)
    with (
        structlog.testing.capture_logs() as logs,
        served(api) as address,
        connect(address, who="alice") as client,
        pytest.raises(ApiError) as refused,
    ):
        client.get(pb.RESOURCE_KIND_RETRY_POLICY, "a")

    assert refused.value.code is grpc.StatusCode.INTERNAL
    assert "secret" not in str(refused.value)
    assert [one["event"] for one in logs if one["log_level"] == "error"] == ["a call of the API failed"]
