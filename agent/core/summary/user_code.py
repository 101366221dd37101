"""Whether user code ran (armadaproject/armada#4713, "Did user code run")."""

from datetime import UTC, datetime

from agent.core.evidence import Container, ContainerState, Pod, StateKind
from agent.core.failure import UserCode
from agent.core.summary.submission import Submission

_RUNNING, _TERMINATED = StateKind.RUNNING, StateKind.TERMINATED
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_NEVER_RAN = frozenset({"ContainerCannotRun", "StartError"})
_STATE_LOST = "ContainerStatusUnknown"
_UNSTARTED_PHASES = frozenset({"Pending", "Failed"})


def judge_user_code(pod: Pod, culprit: str, submission: Submission) -> UserCode:
    """Whether any of the user's containers ran, and whether the culprit is the user's; ``None`` is unknown."""
    return UserCode(
        ran=_users_ran(pod),
        culprit_is_users=_is_users(pod, culprit),
        reason=submission.reason,
    )


def _users_ran(pod: Pod) -> bool | None:
    if not pod.containers:
        return False if pod.phase in _UNSTARTED_PHASES else None
    possible = False
    for container in pod.containers:
        if container.injected:
            continue
        ran = has_run(container)
        if ran and container.injected is False:
            return True
        possible = possible or ran is not False
    return None if possible else False


def _is_users(pod: Pod, culprit: str) -> bool | None:
    for container in pod.containers:
        if container.name == culprit:
            return None if container.injected is None else not container.injected
    return None


def has_run(container: Container) -> bool | None:
    """Whether a process of the container ever ran; ``None`` if the kubelet lost its states."""
    now = _ran_in(container.state)
    before = False if container.last_state is None else _ran_in(container.last_state)
    if now or before:
        return True
    unseen = container.restarts > 1
    return None if unseen or now is None or before is None else False


def _ran_in(state: ContainerState) -> bool | None:
    if state.kind is _RUNNING:
        return True
    if state.kind is not _TERMINATED or state.reason in _NEVER_RAN:
        return False
    if state.started_at is not None:
        return state.started_at > _EPOCH
    return None if state.reason == _STATE_LOST else state.exit_code is not None
