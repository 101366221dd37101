"""Replicas and their lease at an API server: what an operator sees of the leader and of its standbys."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from datetime import UTC, datetime

from prometheus_client import REGISTRY
from structlog.testing import capture_logs

from agent.cluster.leader.election import Timing
from agent.cluster.leader.elector import Elector, Peers, SoleLeader, Term
from agent.kube.connection import Connection
from agent.kube.lease import Leases
from agent.settings.kube import KubeSettings
from agent.simulator.simulation import Options, Simulation
from agent.telemetry import cluster_metrics as metrics
from tests.cluster.living import eventually


class Terms:
    """A term that does nothing but say whether it has begun."""

    def __init__(self) -> None:
        self.begun = False

    async def begin(self) -> None:
        self.begun = True

    async def end(self) -> None:
        self.begun = False


@asynccontextmanager
async def electing() -> AsyncIterator[Callable[[str], Elector]]:
    """Makes candidates for one lease."""
    async with (
        Simulation(Options(cluster="east", namespaces=("default",))) as simulation,
        await Connection.open(KubeSettings(url=simulation.url)) as connection,
    ):
        yield lambda me: Elector(
            Leases(connection, "default", seconds=60.0),
            name="lease",
            me=me,
            timing=Timing(every=0.02),
            peers=Peers(behind=lambda: 0.0, on_published=lambda _: None),
            clock=lambda: datetime.now(UTC),
        )


@asynccontextmanager
async def running(run: Callable[[Term], Awaitable[None]]) -> AsyncIterator[Terms]:
    terms = Terms()
    task = asyncio.ensure_future(run(terms))
    try:
        yield terms
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


def standby_lines(logs: Sequence[Mapping[str, object]]) -> list[object]:
    return [line["holder"] for line in logs if str(line["event"]).startswith("standby")]


async def test_a_standby_logs_once_for_each_leader_that_it_is_one() -> None:
    async with electing() as candidate:
        first, second = candidate("first"), candidate("second")
        with capture_logs() as logs:
            async with running(first.run) as leader, running(second.run):
                await eventually(lambda: leader.begun or second.epoch is not None)
                await eventually(lambda: standby_lines(logs) != [])
                await asyncio.sleep(0.1)  # several rounds, of which none may log it again
            names = ["first", "second"] if first.epoch is not None else ["second", "first"]
            assert standby_lines(logs) == names[:1]


async def test_the_only_replica_counts_as_the_leader() -> None:
    metrics.LEADS.set(0)
    async with running(SoleLeader().run) as terms:
        await eventually(lambda: terms.begun)
        assert REGISTRY.get_sample_value("failure_agent_leads") == 1
