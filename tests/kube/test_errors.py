from datetime import UTC, datetime

import pytest

from agent.kube.errors import ApiError, Forbidden, Gone, Unauthorized, error_of_answer, read_retry_after

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        (None, None),
        ("1", 1.0),
        ("0", 0.0),
        ("Fri, 02 Jan 2026 03:04:35 GMT", 30.0),
        ("Fri, 02 Jan 2026 03:04:35 -0000", 30.0),
        ("Thu, 01 Jan 2026 00:00:00 GMT", 0.0),
        ("soon", None),
        ("-5", None),
        ("", None),
    ],
)
def test_retry_after_is_seconds_or_a_date(value: str | None, seconds: float | None) -> None:
    assert read_retry_after(value, now=NOW) == seconds


@pytest.mark.parametrize(
    ("status", "kind"), [(410, Gone), (401, Unauthorized), (403, Forbidden), (500, ApiError), (409, ApiError)]
)
def test_an_error_is_known_by_its_status(status: int, kind: type[ApiError]) -> None:
    body = b'{"kind":"Status","reason":"Because","message":"no","code":400}'
    error = error_of_answer(status, body, retry_after="3", now=NOW)
    assert type(error) is kind
    assert (error.status, error.reason, error.message, error.retry_after) == (status, "Because", "no", 3.0)


@pytest.mark.parametrize("body", [b"Too many requests, please try again later.\n", b"", b"\xff\xfe", b"{", b"[]"])
def test_an_error_may_be_plain_text(body: bytes) -> None:
    error = error_of_answer(429, body, retry_after=None, now=NOW)
    assert error.message == body.decode(errors="replace").strip()
    assert error.reason == ""
