"""Time for an answer on a busy machine: a minute, for tests about what is answered.

An agent of operators may take 800 ms at most, because the API server waits 1 s; what comes later has no condition.
``python -m tests.cluster.admission.patience cluster --settings FILE`` is an agent whose settings may say more.
"""

import copy
from datetime import timedelta
from typing import Final

import pytest

from agent.__main__ import main
from agent.cluster.admission import connection, listener
from agent.settings import admission
from tests.simulator.api import Json

PATIENT: Final = timedelta(minutes=1)
SETTING: Final = {"deadline": "1m"}
_MOST_OF_AN_API_SERVER: Final = 30


def allow_late_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let ``admission.deadline`` be as long."""
    monkeypatch.setattr(admission, "_LONGEST_DEADLINE", PATIENT)


def allow_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let handshakes and requests take as long, too."""
    allow_late_answers(monkeypatch)
    monkeypatch.setattr(listener, "HANDSHAKE_SECONDS", PATIENT.total_seconds())
    monkeypatch.setattr(connection, "REQUEST_SECONDS", PATIENT.total_seconds())


def patient(configuration: Json) -> Json:
    """The MutatingWebhookConfiguration with the longest time that an API server grants."""
    changed = copy.deepcopy(configuration)
    for webhook in changed["webhooks"]:
        webhook["timeoutSeconds"] = _MOST_OF_AN_API_SERVER
    return changed


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patches:
        allow_patience(patches)
        main()
