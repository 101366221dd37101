"""All pods of runs that the API server has, as it and this process know them."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from datetime import datetime
from typing import Final

from agent.cluster.pods.registry import PodRegistry
from agent.core.identity.labels import JOB, RUN
from agent.core.run_event import ListedRun
from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.pod_list import list_pods
from agent.observe.listed_run import listed_run
from agent.observe.run_pod import is_of_run, progress

_AT_ONCE: Final = 50
"""Pods read before other tasks get a turn."""


class RunPods:
    """Asks the API server, not the caches of this process: what is not in its answer is not there."""

    def __init__(
        self,
        connection: Connection,
        registry: PodRegistry,
        *,
        namespaces: Sequence[str],
        clock: Callable[[], datetime],
    ) -> None:
        self._connection = connection
        self._registry = registry
        self._namespaces = namespaces
        self._clock = clock

    async def pages(self) -> AsyncGenerator[Sequence[ListedRun]]:
        """All of them, a number at a time, also those that are being deleted. Raises as ``list_pods`` does."""
        for namespace in self._namespaces:
            async with aclosing(list_pods(self._connection, namespace, labels=f"{JOB},{RUN}")) as pages:
                async for pods in pages:
                    for start in range(0, len(pods), _AT_ONCE):
                        yield tuple(self._listed(pods[start : start + _AT_ONCE]))
                        await asyncio.sleep(0)

    def _listed(self, pods: Sequence[objects.Pod]) -> Iterator[ListedRun]:
        for pod in filter(is_of_run, pods):
            uid = pod.metadata.uid or ""
            if (run := progress(self._registry.run_of(uid), pod, now=self._clock())) is not None:
                yield listed_run(run, pod, watched=self._registry.has_watched(uid))
