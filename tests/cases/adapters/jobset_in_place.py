"""The cases of restarts in place of ``jobset-failure-policy.json``."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from agent.core.jobset.in_place import (
    AttemptError,
    PodInPlace,
    all_equal,
    attempts,
    exceeded,
    most_restarts,
    next_previous,
    restart_in_place,
    total_pods,
)
from agent.core.jobset.reading import read_jobset_spec
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.words import IN_PLACE as IN_PLACE_STRATEGY
from agent.core.jobset.words import JobSetSpec
from tests.cases.adapter import expect
from tests.cases.adapters.jobset_words import NOW
from tests.cases.case import Case

Written = Mapping[str, Any]


def _pods(written: Sequence[Written]) -> list[PodInPlace]:
    return [
        PodInPlace(
            phase=one.get("phase", ""),
            annotations=one.get("annotations", {}),
            restarts=(*one.get("containerRestartCounts", ()), *one.get("initContainerRestartCounts", ())),
        )
        for one in written
    ]


def _spec(data: Written) -> JobSetSpec:
    replicated = [
        {
            "name": f"rj-{place}",
            "replicas": one["replicas"],
            "template": {"spec": {key: one[key] for key in ("parallelism", "completions")}},
        }
        for place, one in enumerate(data.get("replicatedJobs", ()))
    ]
    policy = {"maxRestarts": data.get("maxRestarts", 0), "restartStrategy": data.get("restartStrategy")}
    return read_jobset_spec({"replicatedJobs": replicated, "failurePolicy": policy})


def _status(data: Written) -> JobSetStatus:
    return JobSetStatus(
        restarts=data.get("restarts", 0),
        restarts_counted=data.get("restartsCountTowardsMax", 0),
        current_in_place_attempt=data.get("currentInPlaceRestartAttempt"),
        previous_in_place_attempt=data.get("previousInPlaceRestartAttempt"),
    )


def _strategy(case: Case) -> None:
    expect(case.data["expect"], _spec(case.data).strategy == IN_PLACE_STRATEGY, of="strategy")


def _most(case: Case) -> None:
    expect(case.data["expect"], most_restarts(_pods(case.data["pods"])), of="restarts")


def _attempts(case: Case) -> None:
    expect(_expected(case), _or_error(lambda: attempts(_pods(case.data["pods"]))), of="attempts")


def _exceeded(case: Case) -> None:
    data = case.data
    got = exceeded(_status(data), data["attempts"], max_restarts=data["maxRestarts"])
    expect(data["expect"], got, of="exceeded")


def _total(case: Case) -> None:
    expect(_expected(case), _or_error(lambda: total_pods(_spec(case.data).replicated_jobs)), of="total")


def _equal(case: Case) -> None:
    expect(case.data["expect"], all_equal(case.data["values"]), of="equal")


def _current(case: Case) -> None:
    """All pods are there, in the same attempt: the barrier is lifted for it."""
    data = case.data
    before = JobSetStatus(current_in_place_attempt=data["current"])
    one = {"replicas": len(data["attempts"]), "parallelism": 1, "completions": 1}
    spec = _spec({"maxRestarts": max(data["attempts"]), "replicatedJobs": [one]})
    applied = restart_in_place(spec, before, _in(data["attempts"]), now=NOW)
    expect(data["expect"], applied.status.current_in_place_attempt, of="current")
    expect(data["updated"], applied.status != before, of="updated")


def _previous(case: Case) -> None:
    data = case.data
    got = next_previous(JobSetStatus(previous_in_place_attempt=data["previous"]), data["attempts"])
    expect(data["expect"], got, of="previous")
    expect(data["updated"], got != data["previous"], of="updated")


def _reconcile(case: Case) -> None:
    data = case.data
    before = _status(data["statusBefore"])
    applied = restart_in_place(_spec(data), before, _pods(data["pods"]), now=NOW)
    over = applied.status.finished
    got = {
        "failed": over is not None,
        "shouldUpdate": applied.status != before,
        "reason": None if over is None else over.reason,
        "currentInPlaceRestartAttempt": applied.status.current_in_place_attempt,
        "previousInPlaceRestartAttempt": applied.status.previous_in_place_attempt,
    }
    for what, wanted in data["expect"].items():
        expect(wanted, got[what], of=what)


def _in(numbers: Sequence[int]) -> list[PodInPlace]:
    return _pods([{"annotations": {"jobset.sigs.k8s.io/in-place-restart-attempt": str(one)}} for one in numbers])


def _expected(case: Case) -> object:
    return "error" if case.data.get("expectError") else case.data["expect"]


def _or_error(run: Callable[[], object]) -> object:
    try:
        return run()
    except AttemptError:
        return "error"


IN_PLACE: Mapping[str, Callable[[Case], None]] = {
    "strategy": _strategy,
    "max_container_restart_count": _most,
    "attempts": _attempts,
    "exceeded_max_restarts": _exceeded,
    "total_pods": _total,
    "all_equal": _equal,
    "update_current": _current,
    "update_previous": _previous,
    "reconcile": _reconcile,
}
