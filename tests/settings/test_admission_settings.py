from datetime import timedelta
from pathlib import Path

import pytest
from pydantic import ValidationError

from agent.settings.admission import AdmissionSettings

FILES: dict[str, object] = {"certificateFile": Path("tls.crt"), "keyFile": Path("tls.key")}


def test_the_webhook_listens_on_loopback_answers_in_200_ms_and_changes_pods() -> None:
    given = AdmissionSettings.model_validate(FILES)

    assert (given.host, given.deadline, given.per_index) == ("127.0.0.1", timedelta(milliseconds=200), 3)
    assert (given.client_ca_file, given.shadow) == (None, False)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"keyFile": Path("tls.key")}, "certificateFile"),
        ({"certificateFile": Path("tls.crt")}, "keyFile"),
        ({**FILES, "deadline": "900ms"}, "deadline must be at most 800ms, because the API server waits 1 s"),
        ({**FILES, "deadline": "0"}, "must be longer than 0"),
        ({**FILES, "perIndex": -1}, "greater than or equal to 0"),
        ({**FILES, "brake": {"atMost": 0}}, "greater than or equal to 1"),
        ({**FILES, "brake": {"pause": "0"}}, "must be longer than 0"),
    ],
)
def test_settings_that_could_not_work_are_refused(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(ValidationError, match=complaint):
        AdmissionSettings.model_validate(given)
