import json
from typing import Any

import pytest
from pydantic import ValidationError

from agent.settings.pod_checks import FailedPodCheckSettings, PendingPodCheckSettings

EVENT: dict[str, Any] = {"regexp": "x", "type": "Warning", "gracePeriod": "1ns", "action": "Retry"}
CONTAINER: dict[str, Any] = {"state": "Waiting", "reasonRegexp": "x", "gracePeriod": "1m", "action": "Fail"}


def pending(**given: object) -> PendingPodCheckSettings:
    return PendingPodCheckSettings.model_validate_json(json.dumps(given))


def test_armadas_own_spelling_is_understood() -> None:
    settings = pending(events=[EVENT], containerStatuses=[CONTAINER], deadlineForUpdates="10m")

    assert (settings.events[0].action.value, settings.container_statuses[0].action.value) == ("Retry", "Fail")
    assert settings.deadline_for_node_assignment is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"events": [EVENT | {"regexp": "["}]},
        {"events": [EVENT | {"type": "Info"}]},
        {"events": [EVENT | {"action": "Wait"}]},
        {"events": [EVENT | {"gracePeriod": "soon"}]},
        {"containerStatuses": [CONTAINER | {"state": "Running"}]},
        {"containerStatuses": [CONTAINER | {"reasonRegexp": "("}]},
        {"deadlineForUpdate": "1m"},
    ],
)
def test_what_armada_refuses_and_what_it_would_not_see_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        pending(**wrong)


@pytest.mark.parametrize(
    "wrong",
    [
        {"podStatuses": [{"regexp": "["}]},
        {"containerStatuses": [{"containerNameRegexp": "["}]},
        {"containerStatuses": [{"containerNameRegexp": "x", "messageRegexp": "["}]},
    ],
)
def test_a_pattern_of_a_failed_pod_check_must_be_one(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        FailedPodCheckSettings.model_validate_json(json.dumps(wrong))
