"""Restarts in place: what is handed on to the next JobSet of the name, and the limits they are held to."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from agent.core.jobset.advance import ended
from agent.core.jobset.choices import AS_UPSTREAM, Choices, RestartBudget
from agent.core.jobset.in_place import ATTEMPT, PodInPlace, restart_in_place
from agent.core.jobset.in_place_case import InPlaceCase, judge_in_place
from agent.core.jobset.limits import ParentLimit
from agent.core.jobset.lineage import Restarts, inherited_restarts
from agent.core.jobset.manifest import JobSet, JobSetMemory
from agent.core.jobset.play import JobSetPlay
from agent.core.jobset.status import JobSetStatus
from tests.core.jobset.made import NOW, jobset, play


def made(most: int = 2, choices: Choices = AS_UPSTREAM) -> JobSet:
    policy = {"maxRestarts": most, "restartStrategy": "InPlaceRestart"}
    return jobset(policy, replicas={"a": 1}, choices=choices)


def attempt(of: JobSetPlay, number: int, *, restarts: int = 0) -> str | None:
    """The reason with which the JobSet ends when its pod is in this attempt, or ``None``."""
    of.pods = (PodInPlace(phase="Running", annotations={ATTEMPT: str(number)}, restarts=(restarts,)),)
    of.settle()
    return None if of.status.finished is None else of.status.finished.reason


def successor(of: JobSetPlay) -> JobSetPlay:
    js = of.jobset
    before = ended(js, of.status, of.memory, by_ttl=True)
    after = play(replace(js, uid="2"))
    after.memory = JobSetMemory(
        before=inherited_restarts(before, namespace=js.namespace, name=js.name, uid="2", fresh=False)
    )
    return after


def test_restarts_in_place_are_handed_on() -> None:
    first = play(made())
    assert [attempt(first, number) for number in range(4)] == [None, None, None, "ReachedMaxRestarts"]

    second = successor(first)
    assert second.memory.before.counted == 2
    assert [attempt(second, number) for number in range(2)] == [None, "ReachedMaxRestarts"]


def test_restarts_of_containers_that_never_reach_the_barrier_are_handed_on() -> None:
    first = play(made())
    assert [attempt(first, 0, restarts=count) for count in (1, 3)] == [None, "ReachedMaxRestarts"]
    assert attempt(successor(first), 0, restarts=1) == "ReachedMaxRestarts"


def test_what_is_left_may_be_used() -> None:
    first = play(made(3))
    attempt(first, 2)
    second = play(made(3))
    second.memory = JobSetMemory(before=first.memory.restarts)
    assert [attempt(second, number) for number in range(3)] == [None, None, "ReachedMaxRestarts"]


def test_an_operator_stops_restarts_in_place() -> None:
    stopped = play(made(9))
    attempt(stopped, 1)
    stopped.stopped = True
    assert attempt(stopped, 1) is None
    assert attempt(stopped, 2) == "RestartForbidden"
    assert stopped.memory.own.counted == 1


def test_limits_of_other_layers_and_budgets_hold() -> None:
    limited = play(made(9))
    limited.others = {"js-a-0": (ParentLimit(name="error rule 1", used=1, limit=1, allowed=False, said="runs made"),)}
    assert attempt(limited, 1) == "RestartForbidden"

    other = play(made(9, Choices(budgets=(RestartBudget(limit=2, action="InPlaceRestart"),))))
    assert [attempt(other, number) for number in (1, 2, 4)] == [None, None, "RestartBudgetExhausted"]
    assert other.memory.own.counted == 2


def test_a_container_that_restarts_too_often_ends_it_whatever_its_pod_says() -> None:
    restarting = play(made())
    restarting.pods = (PodInPlace(phase="Running", annotations={ATTEMPT: "first"}, restarts=(3,)),)
    restarting.settle()
    assert restarting.status.finished is not None
    assert restarting.memory.own.counted == 2


def test_budgets_of_a_replicated_job_are_not_charged() -> None:
    limited = play(made(9, Choices(budgets=(RestartBudget(limit=0, replicated_job="a"),))))
    assert attempt(limited, 1) is None


@given(
    most=st.integers(0, 5),
    before=st.integers(0, 5),
    status=st.builds(JobSetStatus, restarts=st.integers(0, 3), restarts_counted=st.just(0)),
    pods=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=2),
)
def test_counted_restarts_never_pass_the_most_and_without_ours_it_is_upstream(
    most: int, before: int, status: JobSetStatus, pods: list[tuple[int, int]]
) -> None:
    seen = [PodInPlace(phase="Running", annotations={ATTEMPT: str(at)}, restarts=(count,)) for at, count in pods]
    case = InPlaceCase(jobset=made(most), status=status, pods=seen)
    assert judge_in_place(case, now=NOW).applied == restart_in_place(made(most).spec, status, seen, now=NOW)

    handed = min(before, most)
    judged = judge_in_place(replace(case, memory=JobSetMemory(before=Restarts(counted=handed))), now=NOW)
    assert handed + judged.own.counted <= most
