"""Columns of failures and log tails as JSON: ``jsonb`` on Postgres, text on SQLite.

The state with which a container ended is one of the two that it has. In the document a reference stands for it: the
message of a container would be in it twice.
"""

from typing import Any, Final

import msgspec
from msgspec.structs import replace
from sqlalchemy import Dialect, Text
from sqlalchemy.types import TypeEngine

from agent.core.evidence import Container, ContainerState, LogTail, StateKind
from agent.core.failure import Failure
from agent.json_reader.reader import Reader
from agent.store.columns import LargeDocument

_JSON: Final = msgspec.json.Encoder()
_CURRENT: Final = ContainerState(kind=StateKind.ABSENT, reason="state")
_LAST: Final = ContainerState(kind=StateKind.ABSENT, reason="last_state")
"""References. No container ended with a state of this kind."""


def with_references(failure: Failure) -> Failure:
    """The failure as its document has it."""
    return _with_containers(failure, tuple(map(_referring, failure.pod.containers)))


def _referring(container: Container) -> Container:
    if container.ended is None:
        return container
    return replace(container, ended=_CURRENT if container.ended_now else _LAST)


def _resolved(container: Container) -> Container:
    """Documents of earlier versions have the state itself."""
    ended = container.ended
    if ended is None or ended.kind is not StateKind.ABSENT:
        return container
    return replace(container, ended=container.state if ended == _CURRENT else container.last_state)


def _with_containers(failure: Failure, containers: tuple[Container, ...]) -> Failure:
    return replace(failure, pod=replace(failure.pod, containers=containers))


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
    """A whole failure; what is stored has its containers ``with_references``."""

    cache_ok = True
    reader = Reader(Failure)

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:  # noqa: ANN401 - any column's value
        failure: Failure | None = super().process_result_value(value, dialect)
        if failure is None:
            return None
        return _with_containers(failure, tuple(map(_resolved, failure.pod.containers)))


class LogDocument(_Structs):
    """The ends of logs."""

    cache_ok = True
    reader = Reader(tuple[LogTail, ...])
