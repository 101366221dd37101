"""Locks on decision scopes, held until the transaction ends."""

import hashlib
from collections.abc import Iterable

from sqlalchemy import Connection, text

_SPACE = 0x6661
"""Keeps our advisory locks apart from those of other programs in the database."""
_LOCK = text("SELECT pg_advisory_xact_lock(:space, key) FROM unnest(CAST(:keys AS integer[])) AS wanted (key)")
"""``unnest`` reads an array from its start, so the locks are taken in the order of the keys."""

_TRY = text("SELECT pg_try_advisory_xact_lock(:space, :key)")


def lock_scopes(connection: Connection, scopes: Iterable[str]) -> None:
    """Serialise with every transaction that locks one of these decision scopes, until this one ends.

    This is the step ``lock`` of docs/protocol.md. On SQLite a writing transaction holds the whole file already. On
    Postgres each scope is an advisory lock; all take them in ascending order, so that two batches never deadlock.
    """
    if connection.dialect.name != "postgresql":
        return
    keys = sorted({_key(scope) for scope in scopes})
    if keys:
        connection.execute(_LOCK, {"space": _SPACE, "keys": keys})


def try_lock_scope(connection: Connection, scope: str) -> bool:
    """Lock a scope until the transaction ends, unless another transaction has it: then return ``False`` at once."""
    if connection.dialect.name != "postgresql":
        return True
    return bool(connection.scalar(_TRY, {"space": _SPACE, "key": _key(scope)}))


def _key(scope: str) -> int:
    """A signed 32-bit number. Two scopes that share one wait for each other without need, which does no harm."""
    return int.from_bytes(hashlib.sha256(scope.encode()).digest()[:4], "big", signed=True)
