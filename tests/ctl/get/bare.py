"""A store of pods that no batch system made, with names as people give them."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from msgspec import structs

from agent.core.failure import Failure, Grade, Origin
from agent.core.run_event import RunEvent
from agent.store.store import Store
from tests.store.databases import new_store
from tests.store.events import event, failed
from tests.store.test_jobs import tell
from tests.store.test_rows import FAIL

NAMESPACE = "ml-platform-production"
TRAIN = "llama-70b-finetune-7dlft7"
EVAL = "nightly-evaluation-0-4q2zx"
SUFFIXES = ("st2q8", "x8k2p", "m4z9d", "p2x7k", "q9w3r", "v7c5n")


def story() -> Iterator[RunEvent]:
    """Six pods of one workload that failed alike on two nodes, one that failed otherwise, and one of a Job."""
    for number, suffix in enumerate(SUFFIXES):
        yield _failed(f"{TRAIN}-{suffix}", job="train", number=number, node=f"gpu-node-{number % 2}")
    yield _failed(f"{TRAIN}-zz2zz", job="train", number=7, node="gpu-node-1", subcategory="shm")
    yield _failed(EVAL, job="evaluation", number=8, node="gpu-node-7", origin=Origin.INFRA)


def _failed(
    pod: str, *, job: str, number: int, node: str, subcategory: str = "container-limit", origin: Origin = Origin.USER
) -> RunEvent:
    found = failed()
    given = structs.replace(
        found.classification, category="oom", subcategory=subcategory, origin=origin, grade=Grade.PROVEN
    )
    found = structs.replace(found, classification=given, fingerprint="v1:0123456789abcdef")
    told = event(f"failed-{pod}", found, run=f"run-{pod}", job=job, after=number)
    return structs.replace(
        told,
        identity=structs.replace(told.identity, queue="", job_set=""),
        pod=structs.replace(told.pod, namespace=NAMESPACE, name=pod, node=node),
    )


def in_doubt() -> Iterator[RunEvent]:
    """Two pods of one workload for whose failure the node is to blame; of one only the program says so."""
    for number, (suffix, corroborated) in enumerate(zip(SUFFIXES, (True, False), strict=False)):
        told = _failed(f"{TRAIN}-{suffix}", job="train", number=number, node="gpu-node-0", origin=Origin.INFRA)
        assert isinstance(told.event, Failure)
        given = structs.replace(told.event.classification, corroborated=corroborated)
        yield structs.replace(told, event=structs.replace(told.event, classification=given))


def two_clusters() -> Iterator[RunEvent]:
    """The same, in two clusters that each have nodes of these names."""
    yield from story()
    for told in story():
        run = structs.replace(told.identity, run_id=f"west-{told.identity.run_id}")
        yield structs.replace(told, event_id=f"west-{told.event_id}", cluster="west", identity=run)


def bare_store(folder: Path, told: Iterable[RunEvent] | None = None) -> str:
    """The address of a store with it."""
    url = new_store(folder)
    told = list(story() if told is None else told)
    with Store.open(url) as store:
        tell(store, told, {pod.event_id: FAIL for pod in told})
    return url
