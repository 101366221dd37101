"""The value of a plain scalar: YAML 1.2's core schema, so ``no`` is text and ``12:30:45`` is not a number.

Source: YAML 1.2.2, section 10.3.2 (core schema). A number with a leading zero means 511 in one version of
YAML and 777 in the other, so it is refused rather than guessed.
"""

import re
from dataclasses import dataclass

from agent.documents.node import Value
from agent.documents.problem import quote

_NULLS = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_OCTAL = re.compile(r"0o[0-7]+")
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]+")
_LEADING_ZERO = re.compile(r"[-+]?0[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
# int() and float() of a very long text are slow, and no number of 64 bits needs more digits.
_WIDEST_NUMBER = 64
_LARGEST = 2**63

_TAG = "tag:yaml.org,2002:"
_TAGGED: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class InvalidScalar:
    """An ambiguous scalar: a stable code, and the reason."""

    code: str
    message: str
    hint: str


def meaning(text: str, *, tag: str | None, plain: bool) -> Value | InvalidScalar:
    """Return the value of a scalar; ``plain`` is one without quotes."""
    if tag is not None:
        return resolve_tagged(text, tag)
    return resolve(text) if plain else text


def resolve(text: str) -> Value | InvalidScalar:
    """Return the value of a plain scalar without a tag. Integers are within 64 signed bits."""
    if text in _NULLS:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _LEADING_ZERO.fullmatch(text):
        return _ambiguous(text)
    if _looks_like_a_number(text):
        return _number(text)
    return text


def resolve_tagged(text: str, tag: str) -> Value | InvalidScalar:
    """Return the value of a scalar with this tag: ``!!str 1`` is text."""
    if tag in ("!", f"{_TAG}str"):
        return text
    allowed = _TAGGED.get(tag.removeprefix(_TAG)) if tag.startswith(_TAG) else None
    if allowed is None:
        return unsupported_tag(tag)
    value = resolve(text)
    if isinstance(value, InvalidScalar) or type(value) in allowed:
        return value
    return wrong_tag(text, tag.removeprefix(_TAG))


def wrong_tag(text: str, name: str) -> InvalidScalar:
    """Return the error for a scalar that is not what its tag says."""
    return InvalidScalar(
        code="wrong-tag", message=f"{quote(text)} is not of the type !!{name}", hint="leave the tag out"
    )


def unsupported_tag(tag: str) -> InvalidScalar:
    """Return the error for a tag that is not supported."""
    shown = f"!!{tag.removeprefix(_TAG)}" if tag.startswith(_TAG) else tag
    return InvalidScalar(
        code="unsupported-tag", message=f"the tag {quote(shown)} is not supported", hint="leave the tag out"
    )


def _looks_like_a_number(text: str) -> bool:
    return any(shape.fullmatch(text) for shape in (_INTEGER, _OCTAL, _HEXADECIMAL, _FLOAT, _NOT_FINITE))


def _number(text: str) -> Value | InvalidScalar:
    if len(text) > _WIDEST_NUMBER:
        return too_large(text)
    if _INTEGER.fullmatch(text):
        return _bounded(int(text), text)
    if _OCTAL.fullmatch(text) or _HEXADECIMAL.fullmatch(text):
        return _bounded(int(text, 0), text)
    if _NOT_FINITE.fullmatch(text):
        return too_large(text)
    value = float(text)
    return too_large(text) if value in (float("inf"), float("-inf")) else value


def _bounded(value: int, text: str) -> int | InvalidScalar:
    return value if -_LARGEST <= value < _LARGEST else too_large(text)


def too_large(text: str) -> InvalidScalar:
    """Return the error for a number that has no value here."""
    shown = text if len(text) <= _WIDEST_NUMBER else f"{text[:_WIDEST_NUMBER]}..."
    return InvalidScalar(
        code="number-out-of-range", message=f"{shown} is not a finite number of 64 bits", hint="if it is text, quote it"
    )


def _ambiguous(text: str) -> InvalidScalar:
    digits = text.lstrip("+-")
    if len(text) > _WIDEST_NUMBER:
        return too_large(text)
    if set(digits) & set("89"):
        message = f"{text} has a leading zero, which means different things in different versions of YAML"
        return InvalidScalar(
            code="ambiguous-number", message=message, hint=f'write {int(digits)}, or "{text}" if it is text'
        )
    message = f"{text} is {int(digits, 8)} (octal) in YAML 1.1 and {int(digits)} in YAML 1.2"
    hint = f'write {int(digits)}, 0o{digits.lstrip("0") or "0"}, or "{text}" if it is text'
    return InvalidScalar(code="ambiguous-number", message=message, hint=hint)
