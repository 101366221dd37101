"""An answer that is no pod ends no part of the agent: the pod is asked for again, or by the watch told of."""

from datetime import UTC, datetime

from agent.cluster.actions.refetch import refetch_queue
from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.watch.tombstones import MovedPods
from agent.core.run_event import Identity
from agent.kube import objects
from agent.kube.pods import PodReader
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.entry import PodEntry
from tests.kube.test_pods import NO_POD, SAID, saying


class Heard:
    """Keeps what it is told of pods."""

    def __init__(self) -> None:
        self.reported: list[str] = []

    async def on_pod(self, change: Change[objects.Pod, None]) -> None:
        self.reported.append(change.uid)

    async def on_gone(self, uid: str, last: objects.Pod | None) -> None:
        del last
        self.reported.append(uid)

    async def on_out_of_scope(self, uid: str) -> None:
        self.reported.append(uid)


def tracked_pods() -> PodRegistry:
    pods = PodRegistry()
    pods.put(TrackedPod(entry=PodEntry(identity=Identity(job_id="j", run_id="r"), reference=SAID)))
    return pods


async def test_a_pod_that_left_the_watch_stays_in_question() -> None:
    heard = Heard()
    async with saying(NO_POD) as connection:
        moved_pods = MovedPods(PodReader(connection), tracked_pods(), heard, is_ours=lambda _: True)
        await moved_pods.on_pod(Change(kind=ChangeKind.DELETED, uid=SAID.uid, object=None, previous=None))
        await moved_pods.ask()
    assert heard.reported == []

    async with saying(b'{"metadata": {"name": "a", "uid": "another"}}') as connection:
        moved_pods._lookup = PodReader(connection)
        await moved_pods.ask()
    assert heard.reported == [SAID.uid]


async def test_a_pod_that_is_due_is_left_to_the_watch() -> None:
    seen: list[objects.Pod] = []

    async def look(pod: objects.Pod) -> None:
        seen.append(pod)

    async with saying(NO_POD) as connection:
        queue = refetch_queue(PodReader(connection), tracked_pods(), look, clock=lambda: datetime.now(UTC))
        queue.add([SAID.uid])
        await queue.work()
    assert seen == []
