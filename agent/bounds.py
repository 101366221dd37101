"""How large and how deep one object from outside may be, and how long its numbers; checked before parsing.

The bounds hold for each object, never for a stream: a list of a million pods has a million small objects. Without them
20 KB of ``[`` take 1 GB in one parser, and the stack in another; 4,301 digits end the process in a third.
"""

import re
from typing import Final

MAX_BYTES: Final = 4 << 20
"""The largest object, in bytes. etcd takes none above 1.5 MiB."""

MAX_LEVELS: Final = 100
"""The deepest nesting of lists and mappings in an object. protobuf has the same limit."""

MAX_DIGITS: Final = 640
"""The longest number, in characters. Python converts numbers of this length however low its limit is set."""

TOO_LARGE: Final = f"larger than {MAX_BYTES >> 20} MiB"
TOO_DEEP: Final = f"nested more than {MAX_LEVELS} levels deep"
LONG_NUMBER: Final = f"unreadable: a number in it has more than {MAX_DIGITS} digits"

_STEPS: Final = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
_TOKEN: Final = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)
_TEXT: Final = re.compile(rb'"[^"]*"?')
_ONE_KIND: Final = bytes.maketrans(b"[]", b"{}")
_TEXT_OR_NUMBER: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"?+|[-+.0-9eE]++', re.DOTALL)
_STRIDE: Final = 128
_SAMPLES: Final = MAX_DIGITS // _STRIDE
_OF_NUMBERS: Final = bytes(ord("9" if chr(byte) in "-+.0123456789eE" else " ") for byte in range(256))
_SAMPLED_NUMBER: Final = b"9" * _SAMPLES
_EACH_SAMPLED_NUMBER: Final = re.compile(rb"(?=[-+.0-9eE]{%d})" % _SAMPLES)
_PART_OF_NUMBER: Final = re.compile(rb"[-+.0-9eE]*+")
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in b'[]{}"')


class OutOfBoundsError(ValueError):
    """An object is too large, nested too deeply or has a number that is too long; the text says which."""


def check(json: bytes) -> None:
    """Look at the JSON of one object. Raises OutOfBoundsError."""
    if len(json) > MAX_BYTES:
        raise OutOfBoundsError(TOO_LARGE)
    check_levels(json)
    check_numbers(json)


def check_levels(json: bytes) -> None:
    """Look at the nesting of JSON. Raises OutOfBoundsError."""
    if _may_exceed(json, MAX_LEVELS) and _is_beyond(json, MAX_LEVELS):
        raise OutOfBoundsError(TOO_DEEP)


def check_numbers(json: bytes) -> None:
    """Look at the length of the numbers in JSON. Raises OutOfBoundsError."""
    # A number that is too long is longer than this many strides: one byte of each is enough to see that there is none.
    sample = json[::_STRIDE]
    if _SAMPLED_NUMBER not in sample.translate(_OF_NUMBERS):
        return
    # In a tenth of all pods these bytes are digits, signs or an e by chance: then what is between them decides.
    if _is_number_between(json, sample) and long_number(json) is not None:
        raise OutOfBoundsError(LONG_NUMBER)


def _is_number_between(json: bytes, sample: bytes) -> bool:
    """Whether all bytes from the first to the last of some sampled in a row are those of a number."""
    starts = (found.start() * _STRIDE for found in _EACH_SAMPLED_NUMBER.finditer(sample))
    return any(_PART_OF_NUMBER.fullmatch(json, at, at + (_SAMPLES - 1) * _STRIDE + 1) for at in starts)


def long_number(json: bytes) -> int | None:
    """Return where a number begins that is too long; digits in texts do not count."""
    tokens = (token.span() for token in _TEXT_OR_NUMBER.finditer(json))
    return next((at for at, end in tokens if end - at > MAX_DIGITS and json[at : at + 1] != b'"'), None)


def _may_exceed(json: bytes, most: int) -> bool:
    """Whether JSON may be nested more than ``most`` deep; it is asked for everything, so only C works on the bytes."""
    if json.count(b"{") + json.count(b"[") <= most:
        return False
    brackets = _brackets(json)
    for taken in range(most + 1):
        if len(brackets) + taken <= most:
            return False
        # Without its innermost pairs the rest is nested one level less.
        left = brackets.replace(b"{}", b"")
        if len(left) == len(brackets):
            return taken + left.count(b"{") > most
        brackets = left
    return True


def _brackets(json: bytes) -> bytes:
    """Return the brackets outside texts, all written as ``{`` and ``}``."""
    # Two quotes side by side change nothing: what stood between others is text before and after they are gone.
    kept = _without_escapes(json).translate(_ONE_KIND, _OTHERS).replace(b'""', b"")
    return _TEXT.sub(b"", kept) if b'"' in kept else kept


def _without_escapes(json: bytes) -> bytes:
    return json.replace(rb"\\", b"").replace(rb"\"", b"") if b"\\" in json else json


def _is_beyond(json: bytes, most: int) -> bool:
    """Whether a level beyond ``most`` opens."""
    depth, in_text = 0, False
    for token in _TOKEN.finditer(json):
        if token.group() == b'"':
            in_text = not in_text
        elif not in_text:
            depth += _STEPS.get(token.group(), 0)
        if depth > most:
            return True
    return False
