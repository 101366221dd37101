import base64
import json
from datetime import UTC, datetime

from tests.servers.json_web_token import sign

EXAMPLE = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZ2VudCJ9."


def claims(token: str) -> object:
    part = token.split(".")[1]
    return json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))


def test_its_parts_are_as_the_standard_writes_them() -> None:
    token = sign(b"secret", "agent")

    assert token.startswith(EXAMPLE)
    assert "=" not in token
    assert len(token.split(".")[2]) == 43


def test_whom_it_is_of_and_until_when() -> None:
    assert claims(sign(b"secret", "agent")) == {"sub": "agent"}
    end = datetime(2026, 1, 2, 3, 4, 5, 600_000, tzinfo=UTC)
    assert claims(sign(b"secret", "agent", expires_at=end)) == {"sub": "agent", "exp": 1767323045}


def test_another_secret_signs_otherwise() -> None:
    assert sign(b"secret", "agent") != sign(b"another", "agent")
