import pytest
import structlog


def test_a_traceback_has_no_values_of_variables(capsys: pytest.CaptureFixture[str]) -> None:
    with_a_value = ["of", "a variable"]
    try:
        int("odd")
    except ValueError:
        structlog.get_logger("test").exception("failed", words=len(with_a_value))

    logged = capsys.readouterr().out
    assert "ValueError: invalid literal" in logged
    assert "a variable" not in logged
