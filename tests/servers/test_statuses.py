import pytest

from tests.servers.statuses import ended


@pytest.mark.parametrize(("code", "phase"), [(0, "Succeeded"), (1, "Failed"), (137, "Failed")])
def test_a_pod_failed_if_its_code_is_not_zero(code: int, phase: str) -> None:
    status = ended(code)["status"]

    assert status["phase"] == phase
    assert status["containerStatuses"][0]["state"]["terminated"]["exitCode"] == code
