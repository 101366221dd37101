"""What a kubelet would write of a pod that ended: there is none, so a test writes it."""

from tests.simulator.api import Json


def ended(exit_code: int) -> Json:
    """The body of a patch of ``/status`` for a pod whose only container, ``main``, ended with this code."""
    phase, reason = ("Succeeded", "Completed") if exit_code == 0 else ("Failed", "Error")
    container = {
        "name": "main",
        "image": "example",
        "imageID": "example",
        "ready": False,
        "restartCount": 0,
        "state": {"terminated": {"exitCode": exit_code, "reason": reason}},
    }
    return {"status": {"phase": phase, "containerStatuses": [container]}}
