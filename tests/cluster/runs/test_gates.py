"""Whether the API server keeps scheduling gates is found out before a run is offered."""

import asyncio
from pathlib import Path

import pytest

from agent.cluster.runs.gates import GateProbe, NoGates
from agent.kube.gated_pods import GatedPods
from agent.simulator.simulation import Options, Simulation
from tests.cluster.living import living
from tests.cluster.process import AgentProcess, write_settings
from tests.kube.cluster import cluster


async def test_a_server_that_keeps_gates_is_known_after_one_question() -> None:
    async with cluster() as it:
        probe = GateProbe(GatedPods(it.connection), ["none", "default"])
        await probe.probe()
        await probe.probe()
        requests = await it.api.requests()
        assert (await it.api.get("/api/v1/pods"))["items"] == []

    assert probe.why_unknown is None
    assert requests["create pods"] == 2, "one namespace does not exist, and the next one answers"


async def test_a_server_that_drops_gates_is_refused() -> None:
    async with cluster(gates=False) as it:
        with pytest.raises(NoGates, match="the API server drops scheduling gates"):
            await GateProbe(GatedPods(it.connection), ["default"]).probe()


@pytest.mark.parametrize("fault", [{"kind": "webhook"}, {"kind": "status", "code": 503}, {"kind": "quota"}])
async def test_what_cannot_be_tried_is_not_known(fault: dict[str, str | int]) -> None:
    async with cluster() as it:
        probe = GateProbe(GatedPods(it.connection), ["default"])
        await it.api.add_fault(verb="create", resource="pods", **fault)
        await probe.probe()
        assert (probe.why_unknown or "").startswith("not known yet whether the API server keeps scheduling gates: ")
        await it.api.clear_faults()
        await probe.probe()

    assert probe.why_unknown is None


@pytest.mark.slow
async def test_an_agent_that_is_to_take_runs_does_not_start_without_gates(tmp_path: Path) -> None:
    async with living(tmp_path) as life, Simulation(Options(cluster="east", gates=False)) as simulation:
        settings = life.settings(kube={"url": simulation.url}, run={"namespaces": ["default"], "maxRuns": 1})
        with AgentProcess(write_settings(settings, tmp_path / "settings.yaml"), log=tmp_path / "agent.log") as process:
            assert await asyncio.to_thread(process.wait) == 2
            assert (
                "the API server drops scheduling gates of new pods in namespace default"
                in (tmp_path / "agent.log").read_text()
            )
