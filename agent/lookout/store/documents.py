"""Columns of failures and log tails as JSON: ``jsonb`` on Postgres, text on SQLite."""

from typing import Any, Final

import msgspec
from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeEngine

from agent.core.evidence import LogTail
from agent.core.failure import Failure
from agent.json_reader.reader import Reader
from agent.store.columns import LargeDocument

_JSON: Final = msgspec.json.Encoder()


class _Structs(LargeDocument):
    """Values that msgspec encodes and ``reader`` decodes: the failure of a run has hundreds of values."""

    cache_ok = True
    reader: Reader[Any]

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """The type of the database."""
        if dialect.name != "postgresql":
            return Text()
        from sqlalchemy.dialects.postgresql import JSONB  # noqa: PLC0415 - imported only where it is used

        return JSONB()

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401 - any column's value
        return msgspec.to_builtins(value) if dialect.name == "postgresql" else _JSON.encode(value).decode()

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401 - any column's value
        if value is None:
            return None
        text = value.encode() if dialect.name == "sqlite" else _JSON.encode(value)
        return self.reader.decode(text)


class FailureDocument(_Structs):
    """A whole failure."""

    cache_ok = True
    reader = Reader(Failure)


class LogDocument(_Structs):
    """The ends of logs."""

    cache_ok = True
    reader = Reader(tuple[LogTail, ...])
