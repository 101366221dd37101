"""Random workloads with all layers at once: one speaks, all may forbid, nothing raises what another forbids."""

from collections.abc import Iterator
from dataclasses import replace

from hypothesis import event, given

from agent.core.retry.policy import RetrySettings
from tests.core.layers import jobs, jobsets, pods
from tests.core.layers.drawn import NOTHING, Workload, workloads
from tests.core.layers.outcome import Outcome


@given(of=workloads())
def test_one_layer_decides_and_every_layer_may_forbid(of: Workload) -> None:
    """Bare pods, gangs, Jobs and JobSets with retry policies, budgets, limits and the error table.

    A run follows only where who speaks wants one and no layer forbids it, and then it does; the explanation names
    who spoke and every layer that forbade; with nothing of ours a Job equals Kubernetes, and a JobSet JobSet.
    """
    for outcome in course(of):
        event(f"{of.kind}: {'granted' if outcome.granted else 'forbidden' if outcome.forbade else 'not wanted'}")
        assert outcome.granted == (outcome.wants and not outcome.forbade), outcome
        assert outcome.answer == outcome.expected, outcome
        assert not [name for name in (*outcome.decider, *outcome.forbade) if name not in outcome.text], outcome
    for ours, theirs in with_nothing_configured(of):
        assert ours == theirs


def course(of: Workload) -> Iterator[Outcome]:
    by_kind = {"job": jobs.course, "jobset": jobsets.course}
    return by_kind.get(of.kind, pods.course)(of)


def with_nothing_configured(of: Workload) -> Iterator[tuple[object, object]]:
    alone = replace(of, ours=NOTHING)
    if of.kind == "job":
        yield from jobs.kubernetes(alone)
    elif of.kind == "jobset":
        yield from jobsets.as_jobset(alone)
    else:
        for attempts, outcome in enumerate(pods.course(alone), start=1):
            (blow, *_) = of.course[attempts - 1]
            wants = not of.fail_fast and attempts < RetrySettings().max_attempted_runs
            if of.kind == "pod":
                yield outcome.granted, wants and blow.returned
