"""JSON Schema of messages, by protobuf's JSON mapping (https://protobuf.dev/programming-guides/json/)."""

from collections.abc import Mapping
from typing import Any, Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor

Schema = Mapping[str, Any]

_SCALARS: Final[Mapping[int, Schema]] = {
    FieldDescriptor.CPPTYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.CPPTYPE_STRING: {"type": "string"},
    FieldDescriptor.CPPTYPE_INT32: {"type": "integer", "minimum": -(2**31), "maximum": 2**31 - 1},
    FieldDescriptor.CPPTYPE_DOUBLE: {"type": "number"},
    # JavaScript's numbers are too short for it, so it is written as a string.
    FieldDescriptor.CPPTYPE_INT64: {"type": "string", "pattern": "^-?[0-9]{1,18}$"},
}
_WELL_KNOWN: Final[Mapping[str, Schema]] = {
    "google.protobuf.Timestamp": {"type": "string", "format": "date-time"},
    "google.protobuf.Struct": {"type": "object", "additionalProperties": True},
}


def of_message(message: Descriptor, *, but: frozenset[str] = frozenset()) -> Schema:
    """A message as an object; ``but`` are fields that it lacks, because they are elsewhere in the request."""
    if message.full_name in _WELL_KNOWN:
        return _WELL_KNOWN[message.full_name]
    fields = {field.json_name: of_field(field) for field in message.fields if field.name not in but}
    return {"type": "object", "properties": fields, "additionalProperties": False}


def of_field(field: FieldDescriptor) -> Schema:
    """A field, with all of its values if it is repeated."""
    entry = field.message_type
    if entry is not None and entry.GetOptions().map_entry:
        return {"type": "object", "additionalProperties": of_field(entry.fields_by_name["value"])}
    return {"type": "array", "items": _of_value(field)} if field.is_repeated else _of_value(field)


def _of_value(field: FieldDescriptor) -> Schema:
    if field.message_type is not None:
        return of_message(field.message_type)
    if field.enum_type is not None:
        return {"type": "string", "enum": [value.name for value in field.enum_type.values]}
    return _SCALARS[field.cpp_type]
