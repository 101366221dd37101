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


@pytest.mark.parametrize(
    ("message", "by_admission"),
    [
        ('pods "a" is forbidden: exceeded quota: q, requested: pods=1, used: pods=10, limited: pods=10', True),
        ('pods "a" is forbidden: unable to create new content in namespace ml because it is being terminated', True),
        ('admission webhook "policy.example" denied the request: it cannot run as root', True),
        ('pods is forbidden: User "agent" cannot create resource "pods" in API group "" in the namespace "ml"', False),
        ('pods "a" is forbidden: User "agent" cannot get resource "pods" in API group "" in the namespace "ml"', False),
        ("<html>Forbidden</html>", False),
    ],
)
def test_a_403_comes_from_admission_or_lacks_a_permission(message: str, *, by_admission: bool) -> None:
    assert Forbidden(403, "Forbidden", message).by_admission is by_admission
