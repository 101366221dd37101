"""Which signs of the system contradict one another, and what is said of them."""

import pytest

from agent.core.evidence import Container, ContainerKind, ContainerState, Pod, StateKind
from agent.core.failure import Classification, Failure, Occurrence, UserCode
from agent.core.failure_text.contradiction import contradictions


def failure(reason: str = "", *containers: Container) -> Failure:
    return Failure(
        occurrence=Occurrence.POD_FAILED,
        classification=Classification(category="it"),
        user_code=UserCode(),
        pod=Pod(phase="Failed", reason=reason, containers=containers),
    )


def ended(reason: str, code: int, *, kind: ContainerKind = ContainerKind.APP) -> Container:
    state = ContainerState(kind=StateKind.TERMINATED, reason=reason, exit_code=code)
    return Container(name="main", kind=kind, state=state, ended=state)


@pytest.mark.parametrize(
    ("reason", "code", "said"),
    [
        (
            "OOMKilled",
            143,
            "container main has the reason OOMKilled, yet SIGTERM ended it; the kernel kills for memory by SIGKILL",
        ),
        ("Completed", 3, "container main has the reason Completed, yet exit code 3"),
        ("Error", 0, "container main has the reason Error, yet exit code 0"),
    ],
)
def test_a_reason_that_the_code_contradicts_is_named(reason: str, code: int, said: str) -> None:
    assert contradictions(failure("", ended(reason, code))) == (said,)


@pytest.mark.parametrize(("reason", "code"), [("OOMKilled", 137), ("OOMKilled", 1), ("Completed", 0), ("Error", 143)])
def test_what_fits_is_not_named(reason: str, code: int) -> None:
    assert contradictions(failure("", ended(reason, code))) == ()


def test_an_eviction_after_success_is_named() -> None:
    said = "the pod has the reason Evicted, yet its containers exited with code 0"

    assert contradictions(failure("Evicted", ended("Completed", 0))) == (said,)
    assert contradictions(failure("Evicted", ended("Error", 137))) == ()


def test_a_debugger_is_no_container_of_the_pod() -> None:
    assert contradictions(failure("", ended("Error", 0, kind=ContainerKind.EPHEMERAL))) == ()
