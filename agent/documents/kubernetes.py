"""The value of a scalar for the API server, which has its own variant of YAML 1.1: ``010`` is 8, and ``yes`` is true.

Source: sigs.k8s.io/yaml v1.6.0, ``YAMLToJSON`` in yaml.go (the API server's serializer for YAML and kubectl call it),
and below it go.yaml.in/yaml/v2, ``resolve`` in resolve.go and ``scalar`` in decode.go. What the program answered stands
in tests/documents/readings.yaml. A number becomes JSON on its way into an object, so ``1e3`` is a whole number.
"""

import base64
import binascii
import re
from decimal import Decimal

from agent.documents.node import Value
from agent.documents.scalar import InvalidScalar, too_large, wrong_tag

_TAG = "tag:yaml.org,2002:"
_TRUE = ("y", "yes", "true", "on")
_FALSE = ("n", "no", "false", "off")
_WORDS: dict[str, Value] = {
    **{spelt: True for word in _TRUE for spelt in (word, word.title(), word.upper())},
    **{spelt: False for word in _FALSE for spelt in (word, word.title(), word.upper())},
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
}
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

# After removing underscores; they may be anywhere after the first character.
_INTEGER = re.compile(
    r"(?P<sign>[-+]?)(?:0[xX](?P<x>[0-9a-fA-F]+)|0[bB](?P<b>[01]+)|0[oO]?(?P<o>[0-7]+)|(?P<d>0|[1-9][0-9]*))"
)
_BASES = {"x": 16, "b": 2, "o": 8, "d": 10}
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
# What begins with a dot is read by another function, which takes underscores between digits only.
_FRACTION = re.compile(r"\.[0-9]+(?:_[0-9]+)*(?:[eE][-+]?[0-9]+(?:_[0-9]+)*)?")

_LARGEST = 2**63
_LARGEST_UNSIGNED = 2**64
# A decimal number of more digits is no integer of 64 bits.
_MOST_DIGITS = 20
# Go writes larger ones with an exponent, and reads no whole number out of that.
_LARGEST_WHOLE = 1e21

_TAGGED: dict[str, tuple[type, ...]] = {
    "int": (int,),
    "float": (int, float),
    "bool": (bool,),
    "null": (type(None),),
}


def meaning(text: str, *, tag: str | None, plain: bool) -> Value | InvalidScalar:
    """Return the value of a scalar. With an unknown tag it is text."""
    if tag is None:
        return _as_json(_resolve(text), text) if plain else text
    if tag == f"{_TAG}binary":
        return _decoded(text)
    name = tag.removeprefix(_TAG)
    if name not in _TAGGED:
        return text
    value = _resolve(text)
    return _as_json(value, text) if type(value) in _TAGGED[name] else wrong_tag(text, name)


def key(value: Value) -> str | None:
    """Return the key that a value is: numbers and booleans become text."""
    if isinstance(value, bool):
        return "true" if value else "false"
    # Go formats a key like 1.5 by its own rules; nobody intends one.
    return str(value) if isinstance(value, str | int) else None


def _resolve(text: str) -> Value:
    if text in _WORDS:
        return _WORDS[text]
    if _NOT_FINITE.fullmatch(text):
        return float(text.lower().replace(".", ""))
    if text[0] == ".":
        return _float(text, text) if _FRACTION.fullmatch(text) else text
    return _number(text) if text[0] in "+-0123456789" else text


def _number(text: str) -> Value:
    digits = text.replace("_", "")
    if found := _INTEGER.fullmatch(digits):
        value = _integer(found)
        if value is not None:
            return value
    return _float(digits, text) if _FLOAT.fullmatch(digits) else text


def _integer(found: re.Match[str]) -> int | None:
    """Return the integer, ``None`` if it has more than 64 bits, or more than 63 with a sign."""
    group = found.lastgroup or ""
    written = found[group].lstrip("0")
    if group == "d" and len(written) > _MOST_DIGITS:
        return None
    value = int(f"{found['sign']}{written or 0}", _BASES[group])
    if -_LARGEST <= value < _LARGEST:
        return value
    return value if not found["sign"] and value < _LARGEST_UNSIGNED else None


def _float(digits: str, text: str) -> float | str:
    value = float(digits)
    return text if value in (float("inf"), float("-inf")) else value


def _as_json(value: Value, text: str) -> Value | InvalidScalar:
    """Return what is left of a value once it has been JSON: a whole number is an integer, and all are finite."""
    if not isinstance(value, float):
        return value
    if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN alone is not equal to itself
        return too_large(text)
    whole = value.is_integer() and abs(value) < _LARGEST_WHOLE
    return int(Decimal(repr(value))) if whole else value


def _decoded(text: str) -> str | InvalidScalar:
    try:
        return base64.b64decode("".join(text.splitlines()), validate=True).decode(errors="replace")
    except (binascii.Error, ValueError):
        return wrong_tag(text, "binary")
