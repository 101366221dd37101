import pytest

from agent.core.evidence import Condition, Container, ContainerKind, ContainerState, Event, Evidence, Pod, StateKind
from agent.observe.signs import sign_of_problem

CREATING = ContainerState(kind=StateKind.WAITING, reason="ContainerCreating")
BACKING_OFF = ContainerState(kind=StateKind.WAITING, reason="CrashLoopBackOff")


def container(state: ContainerState) -> Container:
    return Container(name="main", kind=ContainerKind.APP, state=state)


@pytest.mark.parametrize(
    ("evidence", "sign"),
    [
        (Evidence(pod=Pod(phase="Running")), None),
        (Evidence(pod=Pod(containers=(container(CREATING),))), None),
        (Evidence(pod=Pod(reason="NodeLost", message="gone")), "reason NodeLost"),
        (Evidence(pod=Pod(message="Pod was unexpectedly deleted")), "the message in its status"),
        (Evidence(pod=Pod(conditions=(Condition(type="Ready", status="False"),))), None),
        (
            Evidence(pod=Pod(conditions=(Condition(type="DisruptionTarget", status="True"),))),
            "condition DisruptionTarget=True",
        ),
        (Evidence(pod=Pod(containers=(container(BACKING_OFF),))), "container main waiting: CrashLoopBackOff"),
        (Evidence(events=(Event(reason="Pulled", type="Normal"),)), None),
        (Evidence(events=(Event(reason="FailedMount", type="Warning"),)), "event FailedMount"),
    ],
)
def test_the_first_sign_of_a_problem(evidence: Evidence, sign: str | None) -> None:
    assert sign_of_problem(evidence) == sign
