"""The agent and the simulator agree on names over the wire; neither imports the other."""

from agent.core.identity import labels
from agent.kube.finalizer import FINALIZER, HOLD_LABEL
from agent.simulator import gates, job
from agent.simulator import record as simulated


def test_the_simulator_knows_the_same_names() -> None:
    assert (simulated.JOB, simulated.RUN, simulated.RUN_INDEX) == (labels.JOB, labels.RUN, labels.RUN_INDEX)
    assert gates.GATE == labels.START_GATE
    assert labels.CONTAINERS == job.CONTAINERS_ANNOTATION
    assert (job.FINALIZER, job.HOLD_LABEL) == (FINALIZER, HOLD_LABEL)
