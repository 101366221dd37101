"""Streams: how many of a kind may be open at once."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

import grpc
from grpc_health.v1 import health
from grpc_reflection.v1alpha import reflection, reflection_pb2

MOST_STREAMS: Final = 16
"""Streams of a kind at once. An idle one keeps memory, and a watch asks the store again and again."""


class OpenStreams:
    """Counts the open streams of a kind; belongs to one event loop."""

    def __init__(self, kind: str) -> None:
        """``kind`` is what a refusal calls them, in the plural."""
        self._kind = kind
        self._open = 0

    @asynccontextmanager
    async def counted(self, context: Any) -> AsyncIterator[None]:  # noqa: ANN401 - gRPC's
        """Hold a place while the body runs; end the call with RESOURCE_EXHAUSTED where all are taken."""
        if self._open >= MOST_STREAMS:
            text = f"{MOST_STREAMS} {self._kind} are open; try again later"
            await context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, text)
        self._open += 1
        try:
            yield
        finally:
            self._open -= 1


class CappedReflection(reflection.aio.ReflectionServicer):
    """gRPC's reflection, of which at most ``MOST_STREAMS`` clients ask at once."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(names)
        self._streams = OpenStreams("streams of reflection")

    async def ServerReflectionInfo(  # type: ignore[override]  # the stubs take the generator for a coroutine  # noqa: N802 - gRPC's
        self,
        request_iterator: Any,  # noqa: ANN401 - gRPC's
        context: Any,  # noqa: ANN401 - gRPC's
    ) -> AsyncIterator[reflection_pb2.ServerReflectionResponse]:
        answers: Any = super().ServerReflectionInfo(request_iterator, context)
        async with self._streams.counted(context):
            async for answer in answers:
                yield answer


class CappedHealth(health.aio.HealthServicer):
    """gRPC's health service, of which at most ``MOST_STREAMS`` clients watch at once; ``Check`` is always answered."""

    def __init__(self) -> None:
        super().__init__()
        self._streams = OpenStreams("watches of health")

    async def Watch(self, request: Any, context: Any) -> None:  # noqa: ANN401, N802 - gRPC's
        async with self._streams.counted(context):
            await super().Watch(request, context)
