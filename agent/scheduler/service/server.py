"""The server of the API: listens, with health and reflection."""

from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv6Address
from threading import Event
from types import TracebackType
from typing import Final, Self

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from agent.api.v1 import records_pb2, resources_pb2
from agent.api.v1 import records_pb2_grpc as record_grpc
from agent.api.v1 import resources_pb2_grpc as resource_grpc
from agent.bounds import MAX_BYTES

_THREADS: Final = 32
"""Calls at once; every watch keeps a thread."""

_GRACE: Final = 5.0


class ApiServer:
    """Listens from construction on. Closing it lets calls finish, and ends watches."""

    def __init__(
        self,
        host: str,
        port: int,
        resources: resource_grpc.ResourceServiceServicer,
        records: record_grpc.RecordServiceServicer,
        *,
        stop: Event,
    ) -> None:
        """Raise OSError where the address cannot be listened on."""
        self._stop = stop
        self._threads = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="api")
        self._server = grpc.server(
            self._threads,
            options=[("grpc.max_receive_message_length", 2 * MAX_BYTES), ("grpc.so_reuseport", 0)],
        )
        self._health = health.HealthServicer()
        record_grpc.add_RecordServiceServicer_to_server(records, self._server)  # type: ignore[no-untyped-call]  # generated
        resource_grpc.add_ResourceServiceServicer_to_server(resources, self._server)  # type: ignore[no-untyped-call]  # generated
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        files = (resources_pb2.DESCRIPTOR, records_pb2.DESCRIPTOR)
        names = [service.full_name for file in files for service in file.services_by_name.values()]
        reflection.enable_server_reflection((*names, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)
        try:
            self.port = self._server.add_insecure_port(_address(host, port))
        except RuntimeError as error:
            raise OSError(f"the API cannot listen on {host} port {port}; see api.host and api.port: {error}") from error
        for name in ("", *names):
            self._health.set(name, health_pb2.HealthCheckResponse.SERVING)

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        self._health.enter_graceful_shutdown()
        self._server.stop(_GRACE).wait()
        # gRPC does not wait for its threads, and one that still reads would keep a connection of a closed store.
        self._threads.shutdown(cancel_futures=True)


def _address(host: str, port: int) -> str:
    return f"[{IPv6Address(host)}]:{port}" if ":" in host else f"{host}:{port}"
