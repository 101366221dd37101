"""The errors of the store."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, OperationalError, StatementError


class StoreError(Exception):
    """The store did not do what it was asked to; see the subclasses for whether trying again helps."""


class BadStoreAddress(StoreError):
    """The address names no store this version can open; trying again cannot help."""


class StoreUnreachable(StoreError):
    """The database does not answer, or there is no store at the address; trying again later may help."""


class StoreOutdated(StoreError):
    """The tables are not at the revision that this version works with."""


class RowRefused(StoreError):
    """The database refuses one of the rows; trying the same rows again cannot help."""


class LeadershipLost(StoreError):
    """Another process is the leader, or has been since: nothing was written. Stop what only the leader does."""


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise StoreUnreachable, RowRefused or StoreError for SQLAlchemy's errors.

    The driver's own error is not chained: it quotes the row, and rows must not reach the log.
    """
    try:
        yield
    except StatementError as error:
        raise _translate(error).with_traceback(error.__traceback__) from None


def _translate(error: StatementError) -> StoreError:
    said = _first_line(error)
    if not isinstance(error, DBAPIError):
        return RowRefused(said)
    if error.connection_invalidated or isinstance(error, OperationalError | InterfaceError):
        return StoreUnreachable(said)
    return RowRefused(said) if isinstance(error, DataError | IntegrityError) else StoreError(said)


def _first_line(error: StatementError) -> str:
    """The driver's message without the statement and its values."""
    said = str(error.orig if error.orig is not None else error)
    return said.partition("\n")[0]
