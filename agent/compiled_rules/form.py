"""The form in which values of rules are stored: plain lists, each with the number of its type first.

A value is ``[number, {field: value}]``, without the fields that have their default; a tuple is ``[0, *members]``, a set
``[1, *members]``. The number of a type is its place in a list, so ``FORM``, which is part of the key, has all of them.
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields
from enum import Enum
from types import MappingProxyType
from typing import Any, Final, get_args

import msgspec

from agent.core.classify.matchers.exit_codes import Operator
from agent.core.classify.matchers.node_conditions import NodeCondition
from agent.core.classify.matchers.registry import AllOf, CategoryMatcher
from agent.core.classify.matchers.text import Engine, Pattern
from agent.core.classify.rules import Category, Order, Reach, Role, Rule, RuleSet
from agent.core.failure import Advice, CategoryAction, Mechanism, Origin, Proof

_TUPLE, _SET = 0, 1
_CLASSES: Final[tuple[type[Any], ...]] = (
    RuleSet,
    Category,
    Rule,
    AllOf,
    Pattern,
    NodeCondition,
    *get_args(CategoryMatcher),
)
_ENUMS: Final[tuple[type[Enum], ...]] = (
    Advice,
    CategoryAction,
    Engine,
    Mechanism,
    Operator,
    Order,
    Origin,
    Proof,
    Reach,
    Role,
)
_NUMBERS: Final[Mapping[type, int]] = MappingProxyType(
    {kind: number for number, kind in enumerate((*_CLASSES, *_ENUMS), start=_SET + 1)}
)


def pack_rules(rules: RuleSet) -> bytes:
    """Return rules as bytes. Raises TypeError for a value of a type that is not known here."""
    return msgspec.msgpack.encode(_plain(rules))


def unpack_rules(data: bytes) -> RuleSet:
    """Return the rules of ``pack_rules``."""
    rules: RuleSet = _value(msgspec.msgpack.decode(data))
    return rules


def _plain(value: object) -> object:
    number = _NUMBERS.get(type(value))
    if isinstance(value, Enum):
        return [_NUMBERS[type(value)], value.value]
    if number is not None:
        given = {field.name: getattr(value, field.name) for field in fields(type(value))}  # type: ignore[arg-type]  # of _CLASSES
        defaults = _defaults(type(value))
        kept = {name: part for name, part in given.items() if name not in defaults or defaults[name] != part}
        return [number, {name: _plain(part) for name, part in kept.items()}]
    if isinstance(value, tuple):
        return [_TUPLE, *map(_plain, value)]
    if isinstance(value, frozenset):
        return [_SET, *map(_plain, sorted(value))]
    if value is None or isinstance(value, bool | int | str):
        return value
    raise TypeError(f"rules have no values of type {type(value).__name__}")


def _defaults(of: type[Any]) -> Mapping[str, object]:
    return {field.name: field.default for field in fields(of) if field.default is not MISSING}


def _value(plain: Any) -> Any:  # noqa: ANN401 - whatever a field may be
    return _MAKERS[plain[0]](plain) if type(plain) is list else plain


def _maker(of: type[Any]) -> Callable[[Any], Any]:
    def make(plain: Any) -> Any:  # noqa: ANN401 - as _value
        return of(**{name: _MAKERS[part[0]](part) if type(part) is list else part for name, part in plain[1].items()})

    return make


def _member(of: type[Enum]) -> Callable[[Any], Enum]:
    members = {member.value: member for member in of}
    return lambda plain: members[plain[1]]


_MAKERS: Final[tuple[Callable[[Any], Any], ...]] = (
    lambda plain: tuple([_value(part) for part in plain[1:]]),
    lambda plain: frozenset([_value(part) for part in plain[1:]]),
    *map(_maker, _CLASSES),
    *map(_member, _ENUMS),
)


def _described(of: type[Any]) -> str:
    if issubclass(of, Enum):
        return f"{of.__name__} {[member.value for member in of]}"
    return f"{of.__name__} {[_described_field(field) for field in fields(of)]}"


def _described_field(field: Field[Any]) -> str:
    return field.name if field.default is MISSING else f"{field.name}={field.default!r}"


FORM: Final = "\n".join(map(_described, _NUMBERS))
"""The types, their fields and defaults, in the order of their numbers."""
