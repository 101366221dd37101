"""How a container exited, in a word or two, and which limit was reached."""

from agent.core.evidence import Container, ContainerKind, ContainerState
from agent.core.exit_status import SIGNALS, ending_signal
from agent.core.failure import Failure

_SAYS_NOTHING = frozenset({"", "Error", "Completed"})
_SIGNAL_NAMES = {number: name for name, number in reversed(SIGNALS.items())}


def named(container: Container) -> str:
    """``container main``, ``init container fetch``, ``sidecar proxy``."""
    match container.kind:
        case ContainerKind.APP:
            return f"container {container.name}"
        case ContainerKind.SIDECAR:
            return f"sidecar {container.name}"
        case _:
            return f"{container.kind} container {container.name}"


def exit_code(failure: Failure) -> int | None:
    """The exit code of the container that a failure is attributed to; without one, of the first that failed."""
    culprit = _culprit_end(failure)
    return failure.exit_code if culprit is None else culprit.exit_code


def message(failure: Failure) -> str:
    """The termination message of the same container."""
    culprit = _culprit_end(failure)
    return failure.termination_message if culprit is None else culprit.message


def _culprit_end(failure: Failure) -> ContainerState | None:
    return next(
        (container.ended for container in failure.pod.containers if container.name == failure.culprit_container), None
    )


def limit_in_words(failure: Failure) -> str:
    """``memory limit of container main: 512Mi; 512Mi used``; empty if no limit is known to have been reached."""
    reached = failure.limit
    if reached is None:
        return ""
    used = f"; {reached.used}" if reached.used else ""
    return f"{reached.what}: {reached.limit}{used}"


def in_brackets(state: ContainerState) -> str:
    """`` (exit 137, OOMKilled)``; empty if nothing is known."""
    code = "" if state.exit_code is None else f"exit {state.exit_code}"
    said = ", ".join(part for part in (code, because(state)) if part)
    return f" ({said})" if said else ""


def because(state: ContainerState) -> str:
    """The reason if it is specific, else the signal by name; empty if neither is known."""
    if state.reason not in _SAYS_NOTHING:
        return state.reason
    signal = ending_signal(state)
    return "" if signal is None else signal_name(signal)


def signal_name(number: int) -> str:
    """``SIGSEGV``; ``signal 40`` for one without a name."""
    return _SIGNAL_NAMES.get(number, f"signal {number}")
