"""Makes the message of a request, and JSON of a message, by protobuf's JSON mapping."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from http import HTTPStatus
from itertools import chain
from typing import Any, Final

import msgspec
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from agent.bounds import OutOfBoundsError
from agent.json_reader.reader import read_value
from agent.lookout.api.problems import Fault, Problem, first_of, quoted
from agent.lookout.api.scheduler.methods import Method

Fields = Mapping[str, FieldDescriptor]
"""Fields by their names in JSON."""

At = Callable[[str, str, str], Fault]
"""A fault of what has a name: the message, and the fix."""

_LONGEST_NAME: Final = 200
_YES_NO: Final = {"true": True, "false": False}


def open_fields(method: Method) -> Fields:
    """The fields that neither the path has nor its words say."""
    taken = {*method.in_path, *method.fixed}
    return {field.json_name: field for field in method.call.input_type.fields if field.name not in taken}


def message_of(method: Method, *, path: Mapping[str, str], query: Sequence[tuple[str, str]], body: bytes) -> Message:
    """The message of a request. Raises Problem, which names what is wrong and what would be right."""
    faults: Iterable[Fault]
    if method.has_body:
        faults = _strays((name for name, _ in query), {}, at=_in_query)
        values, wrong = _of_body(open_fields(method), body)
    else:
        faults = _repeated(query)
        values, wrong = _of_query(open_fields(method), query)
    if faults := first_of(chain(faults, wrong)):
        raise _refused(faults)
    message = GetMessageClass(method.call.input_type)()
    ParseDict({**values, **method.fixed, **path}, message)
    return message


def json_of(message: Message) -> Mapping[str, Any]:
    """A message as JSON, with fields that have no value."""
    found: Mapping[str, Any] = MessageToDict(message, always_print_fields_with_no_presence=True)
    return found


def _of_body(fields: Fields, body: bytes) -> tuple[Mapping[str, Any], Iterable[Fault]]:
    try:
        values = read_value(body)
    except (OutOfBoundsError, msgspec.DecodeError, UnicodeDecodeError) as error:
        return {}, [Fault(path="body", message=f"not JSON that can be read: {error}", fix="send one object")]
    if not isinstance(values, dict):
        return {}, [Fault(path="body", message="not an object", fix=f"send an object with {_any_of(fields)}")]
    return values, chain(_strays(values, fields, at=_in_body), _misfits(values, fields, at=_in_body))


def _of_query(fields: Fields, query: Sequence[tuple[str, str]]) -> tuple[Mapping[str, Any], Iterable[Fault]]:
    values = {name: _typed(fields.get(name), text) for name, text in query}
    return values, chain(_strays(values, fields, at=_in_query), _misfits(values, fields, at=_in_query))


def _typed(field: FieldDescriptor | None, text: str) -> str | bool:
    """The value that a parameter writes. Numbers may stay as they are written."""
    is_yes_no = field is not None and field.cpp_type == FieldDescriptor.CPPTYPE_BOOL
    return _YES_NO.get(text, text) if is_yes_no else text


def _strays(names: Iterable[str], fields: Fields, *, at: At) -> Iterable[Fault]:
    for name in names:
        if name not in fields:
            near = get_close_matches(name[:_LONGEST_NAME], fields, n=1)
            fix = f"did you mean {near[0]}?" if near else f"there is {_any_of(fields)}"
            yield at(name, f"there is no {quoted(name)} here", fix)


def _misfits(values: Mapping[str, Any], fields: Fields, *, at: At) -> Iterable[Fault]:
    for name in fields.keys() & values.keys():
        if values[name] is None:  # which ParseDict takes for a field that is not there
            yield at(name, f"not {_form_of(fields[name])}: null", "leave it out")
            continue
        try:
            ParseDict({name: values[name]}, _new(fields[name]))
        except ParseError as error:
            yield at(name, f"not {_form_of(fields[name])}: {quoted(str(error))}", "")


def _repeated(query: Sequence[tuple[str, str]]) -> Iterable[Fault]:
    names = [name for name, _ in query]
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            yield _in_query(name, "it is given more than once", "give it once")


def _in_query(name: str, message: str, fix: str) -> Fault:
    return Fault(parameter=name[:_LONGEST_NAME], message=message, fix=fix)


def _in_body(name: str, message: str, fix: str) -> Fault:
    return Fault(path=name[:_LONGEST_NAME], message=message, fix=fix)


def _new(field: FieldDescriptor) -> Message:
    """An empty message of those that have a field."""
    message = field.containing_type
    assert message is not None  # noqa: S101 - only extensions are of no message, and there are none
    return GetMessageClass(message)()


def _form_of(field: FieldDescriptor) -> str:
    """What the value of a field is, in words."""
    form = {
        FieldDescriptor.CPPTYPE_BOOL: "true or false",
        FieldDescriptor.CPPTYPE_STRING: "a text",
        FieldDescriptor.CPPTYPE_INT32: "a whole number",
        FieldDescriptor.CPPTYPE_INT64: "a whole number",
    }[field.cpp_type]
    return f"a list, each {form}" if field.is_repeated else form


def _any_of(fields: Fields) -> str:
    return ", ".join(fields) or "nothing"


def _refused(faults: Sequence[Fault]) -> Problem:
    detail = "; ".join(f"{fault.parameter or fault.path}: {fault.message}" for fault in faults)
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-request", detail, faults=faults)
