from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from agent.core.evidence import Container, ContainerKind, ContainerState, Pod, StateKind
from agent.core.summary.submission import UNKNOWN, Submission
from agent.core.summary.user_code import judge_user_code

AT = datetime(2026, 1, 2, tzinfo=UTC)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
RAN = ContainerState(kind=StateKind.TERMINATED, exit_code=1, started_at=AT)
RUNNING = ContainerState(kind=StateKind.RUNNING)
WAITING = ContainerState(kind=StateKind.WAITING, reason="ContainerCreating")
LOST = ContainerState(kind=StateKind.TERMINATED, exit_code=137, reason="ContainerStatusUnknown")
NOT_STARTED = ContainerState(kind=StateKind.TERMINATED, exit_code=128, reason="StartError", started_at=EPOCH)
ABSENT = ContainerState(kind=StateKind.ABSENT)


def judged(*containers: tuple[ContainerState, bool | None], phase: str = "Failed") -> bool | None:
    built = tuple(
        Container(name=f"c{number}", kind=ContainerKind.APP, state=state, injected=injected)
        for number, (state, injected) in enumerate(containers)
    )
    return judge_user_code(Pod(phase=phase, containers=built), "c0", UNKNOWN).ran


@pytest.mark.parametrize(
    ("containers", "ran"),
    [
        ([(RAN, False)], True),
        ([(RUNNING, False)], True),
        ([(WAITING, False)], False),
        ([(ABSENT, False)], False),
        ([(NOT_STARTED, False)], False),
        ([(LOST, False)], None),
        ([(RAN, None)], None),
        ([(WAITING, None)], False),
        ([(RAN, True)], False),
        ([(RAN, True), (WAITING, False)], False),
        ([(RAN, True), (LOST, False)], None),
        ([(RAN, None), (RAN, False)], True),
    ],
)
def test_user_code_ran_where_a_container_of_the_users_did(
    containers: list[tuple[ContainerState, bool | None]], *, ran: bool | None
) -> None:
    assert judged(*containers) is ran


@pytest.mark.parametrize(("phase", "ran"), [("Failed", False), ("Pending", False), ("", None), ("Running", None)])
def test_a_pod_without_containers_ran_nothing_if_its_phase_says_so(phase: str, *, ran: bool | None) -> None:
    assert judged(phase=phase) is ran


def test_a_restarted_container_ran_before() -> None:
    waits = Container(name="main", kind=ContainerKind.APP, state=WAITING, last_state=RAN, restarts=1, injected=False)

    assert judge_user_code(Pod(containers=(waits,)), "main", UNKNOWN).ran is True
    forgotten = replace(waits, last_state=NOT_STARTED, restarts=7)
    assert judge_user_code(Pod(containers=(forgotten,)), "main", UNKNOWN).ran is None


@pytest.mark.parametrize(("injected", "users"), [(True, False), (False, True), (None, None)])
def test_the_culprit_is_the_users_unless_it_was_injected(*, injected: bool | None, users: bool | None) -> None:
    pod = Pod(containers=(Container(name="c", kind=ContainerKind.APP, state=RAN, injected=injected),))

    assert judge_user_code(pod, "c", UNKNOWN).culprit_is_users is users
    assert judge_user_code(pod, "other", UNKNOWN).culprit_is_users is None
    assert judge_user_code(pod, "c", UNKNOWN).reason == UNKNOWN.reason


@pytest.mark.parametrize(
    ("submission", "name", "kind", "injected"),
    [
        (Submission(submitted=frozenset({"main"})), "main", ContainerKind.APP, False),
        (Submission(submitted=frozenset({"main"}), injected=("main",)), "main", ContainerKind.APP, False),
        (Submission(submitted=frozenset({"main"})), "istio-proxy", ContainerKind.SIDECAR, True),
        (Submission(injected=("istio-*",)), "istio-proxy", ContainerKind.SIDECAR, True),
        (Submission(injected=("istio-*",)), "main", ContainerKind.APP, False),
        (UNKNOWN, "main", ContainerKind.APP, None),
        (UNKNOWN, "istio-proxy", ContainerKind.APP, True),
        (Submission(injected=("x",)), "daprd", ContainerKind.APP, True),
        (Submission(submitted=frozenset({"istio-proxy"})), "istio-proxy", ContainerKind.APP, False),
        (UNKNOWN, "debugger", ContainerKind.EPHEMERAL, True),
        (Submission(submitted=frozenset({"debugger"})), "debugger", ContainerKind.EPHEMERAL, True),
    ],
)
def test_a_container_is_injected_as_the_submission_says(
    submission: Submission, name: str, kind: ContainerKind, *, injected: bool | None
) -> None:
    assert submission.is_injected(name, kind) is injected
