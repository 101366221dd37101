"""A workqueue of pods: one action, done to a few pods at once and repeated with a back-off until it is done.

As client-go's rate-limited workqueue, a queue keeps uids and no state: whether a pod still needs the action is asked
when its turn comes.
"""

import asyncio
import random
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Final

import structlog

from agent.backoff import Backoff
from agent.cluster.delay_queue import DelayQueue
from agent.core.run_event import PodReference
from agent.kube.errors import ApiError, Unreachable

_log = structlog.get_logger(__name__)
_BACKOFF: Final = Backoff(first=0.5, most=60.0)

Select = Callable[[Collection[str]], Awaitable[Mapping[str, PodReference]]]
"""Of these pods by uid, those that need the action now."""

Do = Callable[[PodReference], Awaitable[None]]
"""Do the action to one pod. Must be idempotent. Raises ApiError and Unreachable, and is then tried again."""


class PodWorkqueue:
    """One action for the pods that are added. Adding a pod that does not need it does nothing.

    ``name`` completes the log line "cannot ..., will try again".
    """

    def __init__(
        self,
        name: str,
        select: Select,
        do: Do,
        *,
        clock: Callable[[], datetime],
        at_once: int = 8,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        self._name = name
        self._select = select
        self._do = do
        self._clock = clock
        self._at_once = at_once
        self._jitter = jitter
        self._may: Callable[[], bool] = lambda: True
        self._pending: set[str] = set()
        self._failures: dict[str, int] = {}
        self._delayed: DelayQueue[str] = DelayQueue(farthest=timedelta(seconds=_BACKOFF.most))
        self._wake = asyncio.Event()

    def only_while(self, may: Callable[[], bool]) -> None:
        """Do nothing while ``may`` returns false, and drop what is added, because another replica is the leader.

        It is asked before each pod, so that a term that ends in the middle of a batch stops it.
        """
        self._may = may

    def add(self, uids: Iterable[str]) -> None:
        """These pods may need the action now. Call on the event loop."""
        self._pending.update(uids)
        if self._pending:
            self._wake.set()

    async def run(self) -> None:
        while True:
            await self.work()
            if not self._pending:
                await self._sleep()

    async def work(self) -> None:
        """Do the action to all pods added so far, and to those whose next try is due."""
        self._wake.clear()
        uids = self._pending.union(self._delayed.take(self._clock()))
        self._pending = set()
        pods = await self._select(uids) if uids and self._may() else {}
        for done in uids - pods.keys():  # they no longer need it: their back-off starts from zero next time
            self._failures.pop(done, None)
        queue = iter(pods.items())
        async with asyncio.TaskGroup() as workers:
            for _ in range(min(self._at_once, len(pods))):
                workers.create_task(self._worker(queue))

    async def _worker(self, queue: Iterator[tuple[str, PodReference]]) -> None:
        for uid, pod in queue:
            if not self._may():
                return
            try:
                await self._do(pod)
            except (ApiError, Unreachable) as error:
                self._requeue(uid, pod, error)
            else:
                self._failures.pop(uid, None)

    def _requeue(self, uid: str, pod: PodReference, error: Exception) -> None:
        failures = self._failures[uid] = self._failures.get(uid, 0) + 1
        pause = _BACKOFF.seconds(failures - 1, jitter=self._jitter())
        self._delayed.set(uid, self._clock() + timedelta(seconds=pause))
        _log.warning(f"cannot {self._name}; will try again", pod=pod.name, namespace=pod.namespace, error=str(error))

    async def _sleep(self) -> None:
        soonest = self._delayed.next()
        pause = None if soonest is None else max(0.0, (soonest - self._clock()).total_seconds())
        try:
            async with asyncio.timeout(pause):
                await self._wake.wait()
        except TimeoutError:
            return
