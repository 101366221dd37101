"""How large and how deep one object from outside may be; checked before parsing.

The bounds hold for each object, never for a stream: a list of a million pods has a million small objects. Without them
20 KB of ``[`` take 1 GB in one parser, and the stack in another.
"""

import re
from typing import Final

MAX_BYTES: Final = 4 << 20
"""The largest object, in bytes. etcd takes none above 1.5 MiB."""

MAX_LEVELS: Final = 100
"""The deepest nesting of lists and mappings in an object. protobuf has the same limit."""

TOO_LARGE: Final = f"larger than {MAX_BYTES >> 20} MiB"
TOO_DEEP: Final = f"nested more than {MAX_LEVELS} levels deep"

_STEPS: Final = {b"{": 1, b"[": 1, b"}": -1, b"]": -1}
_TOKEN: Final = re.compile(rb'\\.|["\[\]{}]', re.DOTALL)
_TEXT: Final = re.compile(rb'"[^"]*"?')
_ONE_KIND: Final = bytes.maketrans(b"[]", b"{}")
_OTHERS: Final = bytes(byte for byte in range(256) if byte not in b'[]{}"')


class OutOfBoundsError(ValueError):
    """An object is too large or nested too deeply; the text says which."""


def check(json: bytes) -> None:
    """Look at the JSON of one object. Raises OutOfBoundsError."""
    if len(json) > MAX_BYTES:
        raise OutOfBoundsError(TOO_LARGE)
    check_levels(json)


def check_levels(json: bytes, *, around: int = 0) -> None:
    """Look at the nesting of JSON whose objects stand ``around`` levels deep in it. Raises OutOfBoundsError."""
    if _may_exceed(json, MAX_LEVELS + around) and _first_beyond(json, MAX_LEVELS + around) is not None:
        raise OutOfBoundsError(TOO_DEEP)


class Levels:
    """Follows the nesting of JSON that comes in chunks; the objects stand ``around`` levels deep in it."""

    def __init__(self, *, around: int = 0) -> None:
        self._left = MAX_LEVELS + around
        self._state = b""

    def follow(self, chunk: bytes) -> int | None:
        """Take the next chunk. Return where in it one level too many opens; then nothing may follow."""
        # Whether the last chunk ended in a text or an escape is written before this one, as JSON itself would.
        json = self._state + chunk
        if _may_exceed(json, self._left) and (found := _first_beyond(json, self._left)) is not None:
            return found - len(self._state)
        brackets = _brackets(json)
        self._left += brackets.count(b"}") - brackets.count(b"{")
        self._state = _state_after(json)
        return None


def _state_after(json: bytes) -> bytes:
    escapes = (len(json) - len(json.rstrip(b"\\"))) % 2 == 1
    in_text = _without_escapes(json).count(b'"') % 2 == 1
    return (b'"' if in_text else b"") + (b"\\" if escapes else b"")


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


def _first_beyond(json: bytes, most: int) -> int | None:
    """Return where a level beyond ``most`` opens."""
    depth, in_text = 0, False
    for token in _TOKEN.finditer(json):
        if token.group() == b'"':
            in_text = not in_text
        elif not in_text:
            depth += _STEPS.get(token.group(), 0)
        if depth > most:
            return token.start()
    return None
