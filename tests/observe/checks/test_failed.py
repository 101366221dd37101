"""What tests/cases holds of Armada's failed-pod checks is not repeated here."""

from agent.cluster.config.checks import failed_pod_checks
from agent.core.evidence import Event
from agent.kube import objects
from agent.observe.checks.failed import check_failed
from agent.settings.pod_checks import FailedPodCheckSettings
from tests.observe.pods import pod, status, terminated

CHECKS = failed_pod_checks(
    FailedPodCheckSettings.model_validate(
        {
            "events": [{"regexp": "allocate", "type": "Warning"}],
            "pod_statuses": [{"regexp": "rejected"}],
            "container_statuses": [{"container_name_regexp": "^main$", "message_regexp": "again"}],
        },
        strict=False,
    )
)
NEVER_BEGAN = pod(status("Failed", message="Pod was rejected"))
EVENT = Event(type="Warning", message="cannot allocate\x00")


def found(it: objects.Pod, *events: Event) -> tuple[str, str] | None:
    made = check_failed(it, events, checks=CHECKS)
    return None if made is None else (made.finding.check, made.message)


def test_an_event_overrides_the_pods_status_and_is_stripped() -> None:
    assert found(NEVER_BEGAN, EVENT) == ("failedPodChecks.events[0]", "cannot allocate")
    assert found(NEVER_BEGAN) == ("failedPodChecks.podStatuses[0]", "Pod was rejected")


def test_without_events_no_check_matches_a_pod_that_never_started() -> None:
    assert check_failed(NEVER_BEGAN, None, checks=CHECKS) is None


def test_only_the_container_checks_apply_to_a_pod_that_started() -> None:
    again = pod(status("Failed", terminated(message="try again"), message="Pod was rejected"))
    never = pod(status("Failed", terminated(message="no"), message="Pod was rejected"))

    assert found(again, EVENT) == ("failedPodChecks.containerStatuses[0]", "try again")
    assert check_failed(again, None, checks=CHECKS) is not None
    assert found(never, EVENT) is None
