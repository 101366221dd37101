"""Exit code: the number that a process ends with, as a pod's status holds it."""

_SIGN, _RANGE = 1 << 31, 1 << 32


def held(code: int) -> int:
    """The code as an int32 holds it: 3221225477, as Windows writes it, is -1073741819; what needs more bits is left."""
    return code - _RANGE if _SIGN <= code < _RANGE else code
