"""One process that writes a SQLite database. Postgres takes several."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agent.store.engine import file_of, parse
from agent.store.errors import StoreError, StoreUnreachable


class OtherWriter(StoreError):
    """Another process writes this file; trying again helps only when it has ended."""


@contextmanager
def writing(url: str) -> Iterator[None]:
    """While it is entered, no other process of Lookout writes the SQLite database at this address.

    The lock is a file next to the database, which the kernel releases when the process dies, however it dies (flock).
    Raises BadStoreAddress, OtherWriter, and StoreUnreachable if there can be no such file.
    """
    file = file_of(parse(url))
    if file is None:
        yield
        return
    descriptor = _locked(file)
    try:
        yield
    finally:
        os.close(descriptor)


def _locked(file: Path) -> int:
    path = file.with_name(f"{file.name}.lock")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(path, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StoreUnreachable(f"{path} cannot be opened, which says who writes the database: {error}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        owner = _owner(descriptor)
        os.close(descriptor)
        raise OtherWriter(
            f"{file}: another failure-agent lookout writes this database{owner}; several share one only on Postgres"
        ) from error
    with suppress(OSError):  # a full disk: only the message of the next process lacks the number
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
    return descriptor


def _owner(descriptor: int) -> str:
    written = os.pread(descriptor, 20, 0).decode("ascii", "replace").strip()
    return f" (process {written})" if written.isdigit() else ""
