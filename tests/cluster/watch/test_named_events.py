import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

from structlog.testing import capture_logs

from agent.cluster.watch.named_events import MOST_REASONS, EventReflector, NamedEvents
from agent.kube import objects
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Reflector
from tests.cluster.living import eventually
from tests.kube.cluster import QUICK, Cluster, cluster

EVENTS = "/api/v1/namespaces/default/events"


class Heard:
    """Watches of a simulated cluster, and the names of the events that they brought."""

    def __init__(self, it: Cluster, reasons: Collection[str]) -> None:
        self.names: set[str] = set()
        self._it = it
        self.watches = NamedEvents(self._make, reasons=reasons)

    async def post(self, name: str, *, reason: str, kind: str = "Workload", type_: str = "Normal") -> None:
        about = {"kind": kind, "name": "x", "uid": "x", "namespace": "default"}
        await self._it.api.create(
            EVENTS, {"metadata": {"name": name}, "involvedObject": about, "type": type_, "reason": reason}
        )

    def _make(self, fields: str) -> list[EventReflector]:
        return [
            Reflector(
                self._it.connection,
                path=EVENTS,
                decode=objects.Event,
                handler=self._on_event,
                fields=fields,
                pace=QUICK,
            )
        ]

    async def _on_event(self, change: Change[objects.Event, None]) -> None:
        if change.object is not None:
            self.names.add(change.object.metadata.name or "")


@asynccontextmanager
async def hearing(*reasons: str) -> AsyncIterator[Heard]:
    async with cluster() as it:
        heard = Heard(it, reasons)
        running = asyncio.create_task(heard.watches.run())
        yield heard
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_normal_events_are_heard_for_the_reasons_named_but_not_about_pods() -> None:
    async with hearing("Preempted", "Stopped") as heard:
        await heard.post("pod", reason="Preempted", kind="Pod")
        await heard.post("warning", reason="Preempted", type_="Warning")
        await heard.post("unnamed", reason="Admitted")
        await heard.post("workload", reason="Preempted")
        await heard.post("job", reason="Stopped", kind="Job")
        await eventually(lambda: len(heard.names) == 2)

    assert heard.names == {"workload", "job"}


async def test_the_reasons_change_with_the_rules() -> None:
    async with hearing("Preempted") as heard:
        await heard.post("before", reason="Preempted")
        await eventually(lambda: heard.names == {"before"})
        heard.watches.use(["Stopped"])
        await heard.post("now", reason="Stopped")
        await eventually(lambda: heard.names == {"before", "now"})
        await heard.post("late", reason="Preempted")
        await heard.post("last", reason="Stopped")
        await eventually(lambda: "last" in heard.names)

    assert heard.names == {"before", "now", "last"}


def test_too_many_reasons_are_said_and_what_no_selector_can_ask_for_is_none() -> None:
    many = [f"R{number:02}" for number in range(MOST_REASONS + 1)]
    with capture_logs() as logs:
        watches = NamedEvents(lambda _: (), reasons=[*many, "type=Warning", "ä", ""])

    assert list(watches.reasons) == many[:MOST_REASONS]
    assert [line["left_out"] for line in logs] == [many[MOST_REASONS:]]
