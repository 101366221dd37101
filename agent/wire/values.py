"""Values of any shape <-> ``google.protobuf.Struct``, for messages that carry what records and explanations hold."""

from typing import Any, TypeVar

import msgspec
from google.protobuf import json_format
from google.protobuf.struct_pb2 import Struct

from agent.wire.error import WireError

Value = TypeVar("Value")


def to_struct(value: object) -> Struct:
    """The fields of a dataclass or struct, times and enumerations as text."""
    return json_format.ParseDict(msgspec.to_builtins(value), Struct())


def from_struct(struct: Struct, kind: type[Value]) -> Value:
    """The value of this type. Raises WireError for fields that do not fit it; unknown ones are ignored."""
    try:
        return msgspec.convert(_whole(json_format.MessageToDict(struct)), kind)
    except msgspec.ValidationError as error:
        raise WireError(str(error)) from error


def _whole(value: Any) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The same with whole numbers as integers: a Struct knows only floating-point ones."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, dict):
        return {name: _whole(member) for name, member in value.items()}
    return [_whole(element) for element in value] if isinstance(value, list) else value
