"""The database driver's errors in the store's words."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError, InterfaceError, OperationalError, StatementError

from agent.store.errors import RowRefused, StoreError, StoreUnreachable


@contextmanager
def in_our_words() -> Iterator[None]:
    """Raise StoreUnreachable, RowRefused or StoreError for what SQLAlchemy raises."""
    try:
        yield
    except (OperationalError, InterfaceError) as error:
        raise StoreUnreachable(_first_line(error)) from error
    except DBAPIError as error:
        if error.connection_invalidated:
            raise StoreUnreachable(_first_line(error)) from error
        refused = isinstance(error, DataError | IntegrityError)
        raise (RowRefused if refused else StoreError)(_first_line(error)) from error
    except StatementError as error:
        raise RowRefused(_first_line(error)) from error


def _first_line(error: StatementError) -> str:
    """What the driver said, without the statement and its values: those are not for logs."""
    said = str(error.orig if error.orig is not None else error)
    return said.partition("\n")[0]
