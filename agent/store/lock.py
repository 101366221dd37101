"""Locks that live as long as a transaction."""

import hashlib
from collections.abc import Iterable

from sqlalchemy import Connection, text

_SPACE = 0x6661
_LOCK = text("SELECT pg_advisory_xact_lock(:space, key) FROM unnest(CAST(:keys AS integer[])) AS wanted (key)")
"""An array is gone through from its start, so the locks are taken in its order."""


def lock_scopes(connection: Connection, scopes: Iterable[str]) -> None:
    """Serialise with every transaction that locks one of these decision scopes, until this one ends (design 4.6).

    On SQLite a transaction that writes holds the whole file already. On Postgres each scope is an advisory lock, taken
    in one order everywhere so that two batches never wait for each other.
    """
    if connection.dialect.name != "postgresql":
        return
    keys = sorted({_key(scope) for scope in scopes})
    if keys:
        connection.execute(_LOCK, {"space": _SPACE, "keys": keys})


def _key(scope: str) -> int:
    """A signed 32-bit number; two scopes that share one only wait for each other."""
    return int.from_bytes(hashlib.sha256(scope.encode()).digest()[:4], "big", signed=True)
