import pytest

from agent.process.exits import Exit, exit_of

EXPECTED = {Exit.USAGE: (FileNotFoundError,), Exit.UNREACHABLE: (ConnectionError,), Exit.FAILED: (OSError,)}


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (FileNotFoundError("no file"), 2),
        (ConnectionRefusedError("no server"), 3),
        (PermissionError("no right"), 1),
    ],
)
def test_the_first_kind_that_fits_gives_the_code_and_the_error_is_printed(
    error: Exception, code: int, capsys: pytest.CaptureFixture[str]
) -> None:
    def run() -> Exit:
        raise error

    assert exit_of(run, EXPECTED) == code
    assert capsys.readouterr().err == f"{error}\n"


def test_an_error_that_is_not_expected_is_raised() -> None:
    def run() -> Exit:
        raise ValueError("nobody expects it")

    with pytest.raises(ValueError, match="nobody expects it"):
        exit_of(run, EXPECTED)


def test_a_run_to_the_end_gives_its_own_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert exit_of(lambda: Exit.FAILED, EXPECTED) is Exit.FAILED
    assert capsys.readouterr().err == ""
