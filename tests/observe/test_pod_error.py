"""What the platform says of a pod where nothing in it failed."""

from agent.core.failure import Occurrence
from agent.observe.evidence import read_evidence
from tests.observe.pods import pod, status, terminated, waiting


def said(of: dict[str, object]) -> str:
    return read_evidence(pod(of), occurrence=Occurrence.NEVER_STARTED).pod_error


def condition(kind: str, told: str, message: str) -> dict[str, str]:
    return {"type": kind, "status": told, "message": message}


def test_waiting_containers_say_why() -> None:
    assert (
        said(status("Pending", waiting("ErrImagePull")))
        == "Container main waits because ErrImagePull: ErrImagePull it is\n"
    )


def test_an_old_kubelet_puts_its_message_into_the_reason() -> None:
    waits = {"waiting": {"reason": "couldn't find key a in Secret b"}}

    assert said(status("Pending", waits)) == "Container main waits because couldn't find key a in Secret b: \n"
    assert said(status("Pending", {"waiting": {"reason": "ContainerCreating"}})) == ""


def test_conditions_say_what_is_wrong() -> None:
    conditions = [
        condition("PodScheduled", "False", "0/1 nodes are available"),
        condition("DisruptionTarget", "False", "not yet"),
        condition("Ready", "False", "containers with unready status"),
    ]

    assert said(status("Pending", conditions=conditions)) == "PodScheduled: 0/1 nodes are available\n"


def test_a_container_that_failed_is_the_only_one_in_the_error() -> None:
    conditions = [condition("DisruptionTarget", "True", "drained")]

    assert said(status("Failed", terminated(message="no"), waiting("ErrImagePull"), conditions=conditions)) == (
        "Container main failed with exit code 1 because Error: no\n"
    )
