"""The order in which pods are reported decides nothing: a cache has none, and a restart has its own."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import permutations

import pytest

from agent.core.job.advance import advance
from agent.core.job.counters import Counters, Gone, open_job
from agent.core.job.defaults import defaulted
from agent.core.job.manage import pods_to_remove
from agent.core.job.pod import FAILED, RUNNING, JobContainer, JobPod, PodCondition
from agent.core.job.reading import read_spec
from agent.core.job.words import JobSpec
from tests.simulator.api import Json

NOW = datetime(2026, 1, 1, tzinfo=UTC)
DISRUPTED = (PodCondition(type="DisruptionTarget", status="True"),)
FAIL_JOB = {"rules": [{"action": "FailJob", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}
PER_INDEX = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimitPerIndex": 5}


def spec(fields: Json) -> JobSpec:
    return defaulted(read_spec({**fields, "template": {"spec": {"restartPolicy": "Never"}}}))


def failed(uid: str, *, after: int = 0, index: int | None = None, failures: int = 0) -> JobPod:
    container = JobContainer(name="main", exit_code=143, finished_at=NOW + timedelta(seconds=after))
    return JobPod(
        uid=uid,
        name=uid,
        namespace="default",
        phase=FAILED,
        index=index,
        failure_count=failures,
        created_at=NOW,
        containers=(container,),
        conditions=DISRUPTED,
    )


def stepped(counters: Counters, pods: Iterable[JobPod | Gone] = ()) -> Counters:
    advance(counters, pods, now=NOW)
    return counters


def message(counters: Counters) -> str:
    (target,) = (condition for condition in counters.status.conditions if condition.type == "FailureTarget")
    return target.message


@pytest.mark.parametrize("suspend", [False, True])
def test_of_pods_disrupted_at_once_the_first_by_uid_is_named(*, suspend: bool) -> None:
    """What a law found: a suspended Job, and the message named whichever pod was reported first."""
    of = spec({"parallelism": 2, "backoffLimit": 0, "suspend": suspend, "podFailurePolicy": FAIL_JOB})
    pods = [failed("j-1"), failed("j-0")]

    kept, anew = stepped(open_job(of), pods), stepped(open_job(of, pods=pods[::-1]))

    assert message(kept) == message(anew)
    assert message(kept) == "Pod default/j-0 has condition DisruptionTarget matching FailJob rule at index 0"


@pytest.mark.parametrize("pods", list(permutations([failed("a", after=2), failed("b", after=1), failed("c", after=3)])))
def test_of_pods_that_fail_the_job_the_one_that_finished_first_is_named(pods: tuple[JobPod, ...]) -> None:
    of = spec({"parallelism": 3, "podFailurePolicy": FAIL_JOB})

    assert "/b has" in message(stepped(open_job(of), pods))


@pytest.mark.parametrize("pods", list(permutations([failed(f"j-{at}", index=at) for at in (2, 10, 9)])))
def test_of_indexes_that_fail_the_job_at_once_the_lowest_is_named(pods: tuple[JobPod, ...]) -> None:
    of = spec({**PER_INDEX, "completions": 11, "parallelism": 11, "podFailurePolicy": FAIL_JOB})

    assert "/j-2 has" in message(stepped(open_job(of), pods))


def test_a_pod_that_failed_and_is_gone_does_not_fail_the_job() -> None:
    counters = stepped(open_job(spec({"parallelism": 1, "podFailurePolicy": FAIL_JOB})), [failed("a"), Gone(uid="a")])

    assert counters.status.true("FailureTarget") is None


@pytest.mark.parametrize("uids", list(permutations(["a", "b", "c"])))
def test_of_pods_alike_the_first_by_uid_are_removed(uids: tuple[str, ...]) -> None:
    pods = [JobPod(uid=uid, phase=RUNNING, created_at=NOW) for uid in uids]
    counters = open_job(JobSpec(parallelism=1), pods=pods)

    assert [removed.uid for removed in pods_to_remove(counters, 2)] == ["a", "b"]


@pytest.mark.parametrize("pods", list(permutations([JobPod(uid=f"j-{at}", index=at) for at in (2, 9, 10)])))
def test_of_indexes_alike_the_lowest_are_removed(pods: tuple[JobPod, ...]) -> None:
    """As upstream, where there are few: it sorts by index first, and of up to 12 its second sort is stable."""
    counters = open_job(spec({**PER_INDEX, "completions": 11, "parallelism": 1}), pods=pods)

    assert [removed.index for removed in pods_to_remove(counters, 2)] == [2, 9]


@pytest.mark.parametrize("pods", list(permutations([JobPod(uid=uid, index=9, phase=RUNNING) for uid in "abc"])))
def test_pods_without_a_place_are_removed_by_uid(pods: tuple[JobPod, ...]) -> None:
    counters = open_job(spec(PER_INDEX), pods=pods)

    assert [removed.uid for removed in pods_to_remove(counters, 0)] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("pods", "held"),
    [
        ([failed("a", index=0), failed("b", index=0)], "b"),
        ([failed("a", index=0, failures=2), failed("b", index=0, failures=1, after=9)], "a"),
        ([failed("a", index=0, failures=1, after=9), failed("b", index=0, failures=1)], "a"),
    ],
    ids=["alike", "more failures", "later"],
)
@pytest.mark.parametrize("turned", [False, True])
def test_of_failed_pods_of_an_index_one_is_held(pods: list[JobPod], held: str, *, turned: bool) -> None:
    reported = pods[::-1] if turned else pods

    assert stepped(open_job(spec(PER_INDEX)), reported).held[0].uid == held


def test_a_held_pod_gives_way_to_a_better_one_only() -> None:
    """Also where they are reported one step after the other."""
    first, second = failed("a", index=0, failures=2), failed("b", index=0, failures=1, after=9)
    counters = stepped(stepped(open_job(spec(PER_INDEX)), [first]), [second])

    assert counters.held[0].uid == "a"
