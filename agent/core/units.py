"""Quantities as Kubernetes writes them: ``512Mi``, ``1.5G``, ``250m`` (resource.Quantity); numbers as people do."""

import re
from fractions import Fraction

_BINARY = ("Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_DECIMAL = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
_LARGE = 1 << 20
_SHORT = 6
"""Digits and suffix that are read at a glance, as in ``1024Mi``."""
_UNITS = ((86_400, "d"), (3_600, "h"), (60, "m"))
# digits and exponent are bounded, so that no text gives a number that is slow to compute with
_QUANTITY = re.compile(
    r"([+-]?)([0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})(?:[eE]([+-]?[0-9]{1,2})|([KMGTPE]i|[numkMGTPE]))?"
)


class QuantityError(ValueError):
    """An invalid quantity."""


def parse(text: str) -> Fraction:
    """The value of a quantity. Raises QuantityError."""
    found = _QUANTITY.fullmatch(text)
    if found is None:
        raise QuantityError(f"{text!r} is not a quantity")
    sign, digits, exponent, suffix = found.groups()
    number = Fraction(digits) * (-1 if sign == "-" else 1)
    if exponent is not None:
        return number * Fraction(10) ** int(exponent)
    if suffix in _BINARY:
        return number * (1 << 10 * (_BINARY.index(suffix) + 1))
    return number * Fraction(10) ** _DECIMAL[suffix or ""]


def whole_number(written: str | float | None) -> int | None:
    """The value of a quantity, such as bytes, without a fraction; ``None`` if it is not set, or is no quantity."""
    try:
        return None if written is None else int(parse(str(written)))
    except QuantityError:
        return None


def counted(count: int, noun: str, plural: str = "") -> str:
    """``1 job``, ``1,200 jobs``; ``plural`` if it is not the noun with an s."""
    return f"{count:,} {noun if count == 1 else plural or f'{noun}s'}"


def in_bytes(count: int) -> str:
    """A number of bytes with the largest binary suffix that leaves a whole number, as Kubernetes writes it."""
    size, suffix = count, ""
    for larger in _BINARY:
        if size == 0 or size % 1024:
            break
        size, suffix = size // 1024, larger
    return f"{size}{suffix}"


def about(quantity: str) -> str:
    """The same quantity as people read it: large numbers of bytes with one decimal, as ``33.9Gi``; else as written."""
    try:
        count = parse(quantity)
    except QuantityError:
        return quantity
    if count < _LARGE or len(quantity) <= _SHORT:
        return quantity
    size, suffix = float(count), ""
    for larger in _BINARY:
        if size < 1024:  # noqa: PLR2004 - what the next suffix stands for
            break
        size, suffix = size / 1024, larger
    return f"{size:.1f}".removesuffix(".0") + suffix


def in_words(seconds: float) -> str:
    """``1h30m``, ``45s``, ``0.5s``, ``0s``: at most milliseconds."""
    whole, rest = [], round(seconds, 3)
    for size, unit in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            whole.append(f"{count:.0f}{unit}")
    rest = round(rest, 3)  # divmod of floats leaves residues such as 0.0999
    return "".join(whole) if whole and not rest else f"{''.join(whole)}{rest:g}s"
