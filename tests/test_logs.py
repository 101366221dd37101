from collections.abc import Iterator

import pytest
import structlog

from tests.logs import pytest_configure


@pytest.fixture(autouse=True)
def _restored() -> Iterator[None]:
    before = structlog.get_config()
    structlog.reset_defaults()
    yield
    structlog.configure(**before)


def test_a_traceback_has_no_values_of_variables(capsys: pytest.CaptureFixture[str]) -> None:
    pytest_configure()
    with_a_value = ["of", "a variable"]
    try:
        int("odd")
    except ValueError:
        structlog.get_logger("test").exception("failed", words=len(with_a_value))

    logged = capsys.readouterr().out
    assert "ValueError: invalid literal" in logged
    assert "a variable" not in logged
