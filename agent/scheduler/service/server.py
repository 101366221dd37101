"""The server of the API: listens, with health and reflection.

It is an asynchronous one, because in a threaded one every call keeps a thread from the moment it is begun: a few
clients that send nothing would keep all of them, and health would not answer. Here a call gets a thread when its
request has arrived.
"""

import asyncio
import socket
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import IPv6Address
from threading import Event, Thread
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import grpc
import grpc.aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from agent.api.v1 import job_pb2, records_pb2, resources_pb2
from agent.api.v1 import job_pb2_grpc as job_grpc
from agent.api.v1 import records_pb2_grpc as record_grpc
from agent.api.v1 import resources_pb2_grpc as resource_grpc
from agent.bounds import MAX_BYTES
from agent.scheduler.service.streams import CappedHealth, CappedReflection

_T = TypeVar("_T")

_THREADS: Final = 32
"""Calls that are worked on at once."""

_GRACE: Final = 5.0

_FILES: Final = (resources_pb2.DESCRIPTOR, records_pb2.DESCRIPTOR, job_pb2.DESCRIPTOR)
_NAMES: Final = tuple(service.full_name for file in _FILES for service in file.services_by_name.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """What is served."""

    resources: resource_grpc.ResourceServiceServicer
    records: record_grpc.RecordServiceServicer
    jobs: job_grpc.JobServiceServicer

    def add_to(self, server: grpc.aio.Server) -> None:
        """Have the server answer their calls."""
        resource_grpc.add_ResourceServiceServicer_to_server(self.resources, server)  # type: ignore[no-untyped-call]  # generated
        record_grpc.add_RecordServiceServicer_to_server(self.records, server)  # type: ignore[no-untyped-call]  # generated
        job_grpc.add_JobServiceServicer_to_server(self.jobs, server)  # type: ignore[no-untyped-call]  # generated


class ApiServer:
    """Listens from construction on. Closing it lets calls finish, and ends watches."""

    def __init__(self, host: str, port: int, services: Services, *, stop: Event) -> None:
        """Raise OSError where the address cannot be listened on."""
        _refuse_unusable(host, port)
        self._stop = stop
        self._services = services
        self._threads = ThreadPoolExecutor(max_workers=_THREADS, thread_name_prefix="api")
        self._loop = asyncio.new_event_loop()
        self._loop.set_default_executor(self._threads)
        self._runner = Thread(target=self._loop.run_forever, name="api-loop", daemon=True)
        self._runner.start()
        try:
            self._server, self._health, self.port = self._do(self._listen(_address(host, port)))
        except RuntimeError as error:
            self._end()
            raise _unusable(host, port, str(error)) from error

    def __enter__(self) -> Self:
        self._do(self._server.start())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stop.set()
        self._do(self._close())
        self._end()

    async def _listen(self, address: str) -> tuple[grpc.aio.Server, CappedHealth, int]:
        options = [("grpc.max_receive_message_length", 2 * MAX_BYTES), ("grpc.so_reuseport", 0)]
        server = grpc.aio.server(self._threads, options=options)
        own_health = CappedHealth()
        self._services.add_to(server)
        health_pb2_grpc.add_HealthServicer_to_server(own_health, server)
        own_reflection = CappedReflection((*_NAMES, health.SERVICE_NAME, reflection.SERVICE_NAME))
        reflection_pb2_grpc.add_ServerReflectionServicer_to_server(own_reflection, server)  # type: ignore[no-untyped-call]  # generated
        try:
            port = server.add_insecure_port(address)
        except RuntimeError:
            await server.stop(None)
            raise
        for name in ("", *_NAMES):
            await own_health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return server, own_health, port

    async def _close(self) -> None:
        await self._health.enter_graceful_shutdown()
        await self._server.stop(_GRACE)

    def _do(self, work: Coroutine[Any, Any, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _end(self) -> None:
        """End the threads: one that still read would keep a connection of a closed store."""
        self._threads.shutdown(cancel_futures=True)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._runner.join()
        self._loop.close()


def _refuse_unusable(host: str, port: int) -> None:
    """Raise OSError where nobody can listen. gRPC would write a line of its own to standard error first."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listening:
        try:
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listening.bind((host, port))
        except OSError as error:
            raise _unusable(host, port, error.strerror or str(error)) from error


def _unusable(host: str, port: int, why: str) -> OSError:
    return OSError(f"the API cannot listen on {host} port {port}: {why}; change api.host or api.port")


def _address(host: str, port: int) -> str:
    return f"[{IPv6Address(host)}]:{port}" if ":" in host else f"{host}:{port}"
