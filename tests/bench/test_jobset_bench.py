"""The benchmark of JobSets: a restart is what it says, and its target can be missed."""

import pytest

from bench.jobset import PODS, REPLICAS, Restart, begun, jobset, restart, table, verdicts


@pytest.mark.slow
def test_a_restart_creates_every_job_and_every_pod_again() -> None:
    simulated = begun(jobset(2))
    once = restart(simulated)

    assert simulated.play.status.restarts == 1
    pods = REPLICAS * PODS + 1
    assert once.effects == {"DeleteJob": 6, "CreateJob": 6, "DeletePod": pods, "CreatePod": pods}
    assert once.ms > 0


def test_a_target_is_met_or_missed() -> None:
    good, bad = Restart(ms=999.0, effects={"CreateJob": 6}), Restart(ms=1_001.0, effects={})

    assert [figure.share >= 1 for figure in verdicts({"1 rules": good, "100 rules": bad})] == [True, False]
    assert "CreateJob 6" in table({"1 rules": good})
