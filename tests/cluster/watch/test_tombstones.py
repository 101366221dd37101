"""Both loops ask until they are answered, and conclude once."""

from collections.abc import Callable
from dataclasses import dataclass, field

import pytest

from agent.cluster.pods.registry import PodRegistry
from agent.cluster.pods.tracked import TrackedPod
from agent.cluster.watch.tombstones import AskLoop, MovedPods, Tombstones
from agent.core.run_event import Identity, PodReference
from agent.kube.codec import Unreadable
from agent.kube.errors import Unreachable
from agent.kube.finalizer import FINALIZER
from agent.kube.objects import Metadata, Pod, PodSpec
from agent.kube.reflector.cache import Change, ChangeKind
from agent.observe.entry import PodEntry

POD = PodReference(namespace="n", name="a", uid="u")
ALIVE = Pod(metadata=Metadata(uid="u"), spec=PodSpec(nodeName="elsewhere"))
HELD = Pod(metadata=Metadata(uid="u", finalizers=[FINALIZER]))
LEFT: Change[Pod, None] = Change(kind=ChangeKind.DELETED, uid="u", object=ALIVE, previous=None)
BACK: Change[Pod, None] = Change(kind=ChangeKind.MODIFIED, uid="u", object=ALIVE, previous=None)


@dataclass
class ApiServer:
    """Answers as it is told to, and takes finalizers off."""

    answer: Pod | Exception | None = None
    released: list[str] = field(default_factory=list)

    async def find(self, pod: PodReference) -> Pod | None:
        assert pod == POD
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    async def add_finalizer(self, pod: PodReference, finalizer: str) -> None:
        raise NotImplementedError(f"{pod} {finalizer}")

    async def remove_finalizer(self, pod: PodReference, finalizer: str) -> None:
        self.released.append(f"{pod.uid} {finalizer}")


@dataclass
class Heard:
    """Writes down what it is told."""

    told: list[str] = field(default_factory=list)

    async def on_pod(self, change: Change[Pod, None]) -> None:
        self.told.append(change.kind.value)

    async def on_gone(self, uid: str, last: Pod | None) -> None:
        self.told.append(f"{uid} gone, last {last is not None}")

    async def on_out_of_scope(self, uid: str) -> None:
        self.told.append(f"{uid} out of scope")


def known() -> PodRegistry:
    pods = PodRegistry()
    pods.put(TrackedPod(entry=PodEntry(identity=Identity(job_id="j", run_id="r"), reference=POD), seen=False))
    return pods


def tombstones(server: ApiServer, heard: Heard) -> Tombstones:
    return Tombstones(server, known(), heard, finalizers=server, selective=True)


def moved_pods(server: ApiServer, heard: Heard) -> MovedPods:
    return MovedPods(server, known(), heard, is_ours=lambda node: node == "ours")


LOOPS = pytest.mark.parametrize("make", [tombstones, moved_pods])
Make = Callable[[ApiServer, Heard], AskLoop]


@LOOPS
@pytest.mark.parametrize("trouble", [Unreachable("away"), Unreadable("no pod")])
async def test_it_asks_until_it_is_answered_and_concludes_once(make: Make, trouble: Exception) -> None:
    server, heard = ApiServer(answer=trouble), Heard()
    loop = make(server, heard)
    await loop.on_pod(LEFT)
    await loop.ask()
    assert (len(loop), heard.told) == (1, [])

    server.answer = None
    await loop.ask()
    await loop.ask()
    assert (len(loop), heard.told) == (0, ["u gone, last True"])


@LOOPS
async def test_a_restored_pod_that_no_list_named_is_asked_about(make: Make) -> None:
    heard = Heard()
    loop = make(ApiServer(), heard)
    loop.all_listed()
    await loop.ask()
    assert heard.told == ["u gone, last False"]


@LOOPS
async def test_one_that_lives_elsewhere_is_forgotten(make: Make) -> None:
    heard = Heard()
    loop = make(ApiServer(answer=ALIVE), heard)
    await loop.on_pod(LEFT)
    await loop.ask()
    assert (len(loop), heard.told) == (0, ["u out of scope"])


async def test_one_that_is_ours_is_left_to_its_watch() -> None:
    heard = Heard()
    loop = moved_pods(ApiServer(answer=Pod(spec=PodSpec(nodeName="ours"))), heard)
    await loop.on_pod(LEFT)
    await loop.ask()
    assert (len(loop), heard.told) == (0, [])


async def test_one_that_comes_back_while_it_is_asked_about_is_no_question() -> None:
    heard = Heard()

    class Slow(ApiServer):
        async def find(self, pod: PodReference) -> Pod | None:
            await loop.on_pod(BACK)
            return await super().find(pod)

    server = Slow()
    loop = tombstones(server, heard)
    await loop.on_pod(LEFT)
    await loop.ask()
    assert (len(loop), heard.told) == (0, ["modified"])


@pytest.mark.parametrize("leads", [True, False])
async def test_our_finalizer_is_taken_off_one_that_is_out_of_scope_by_the_leader(*, leads: bool) -> None:
    server, heard = ApiServer(answer=HELD), Heard()
    loop = tombstones(server, heard)
    loop.only_while(lambda: leads)
    await loop.on_pod(LEFT)
    await loop.ask()

    assert server.released == ([f"u {FINALIZER}"] if leads else [])
    assert len(loop) == (0 if leads else 1)
    assert heard.told == ["modified", *(["u out of scope"] if leads else [])]
