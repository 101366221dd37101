"""JSON web tokens signed with a shared secret (RFC 7519, HS256): what Pulsar knows people by."""

import base64
import hashlib
import hmac
import json
from datetime import datetime


def sign(secret: bytes, subject: str, *, expires_at: datetime | None = None) -> str:
    """A token of ``subject``; without ``expires_at`` it is good for ever."""
    claims: dict[str, str | int] = {"sub": subject}
    if expires_at is not None:
        claims["exp"] = int(expires_at.timestamp())
    parts = [json.dumps(part, separators=(",", ":")).encode() for part in ({"alg": "HS256"}, claims)]
    signed = ".".join(map(_encoded, parts))
    return f"{signed}.{_encoded(hmac.digest(secret, signed.encode(), hashlib.sha256))}"


def _encoded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).rstrip(b"=").decode()
