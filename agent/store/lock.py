"""Locks that live as long as a transaction."""

import hashlib
from collections.abc import Iterable

from sqlalchemy import Connection, text

_SPACE = 0x6661


def lock_scopes(connection: Connection, scopes: Iterable[str]) -> None:
    """Serialise with every transaction that locks one of these decision scopes, until this one ends (design 4.6).

    On SQLite a transaction that writes holds the whole file already. On Postgres each scope is an advisory lock, taken
    in one order everywhere so that two batches never wait for each other.
    """
    if connection.dialect.name != "postgresql":
        return
    for key in sorted({_key(scope) for scope in scopes}):
        connection.execute(text("SELECT pg_advisory_xact_lock(:space, :key)"), {"space": _SPACE, "key": key})


def _key(scope: str) -> int:
    """A signed 32-bit number; two scopes that share one only wait for each other."""
    return int.from_bytes(hashlib.sha256(scope.encode()).digest()[:4], "big", signed=True)
