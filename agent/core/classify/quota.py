"""Refusals by ResourceQuota, as the API server writes them (Kubernetes, plugin/resourcequota/controller.go).

``exceeded quota: q, requested: limits.cpu=4, used: limits.cpu=1, limited: limits.cpu=2``: each list has the resources
that are exceeded, and no blank.
"""

import re
from fractions import Fraction
from typing import Final

from agent.core.units import QuantityError, parse

_BEGINNING: Final = "xceeded quota: "
# possessive: a text that repeats the beginning, but never gets to the end, is read once and not again from each place
_REFUSAL: Final = re.compile(
    _BEGINNING + r"[^\s,]{1,253}+, requested: (\S{1,2000}+) used: \S{1,2000}+ limited: (\S{1,2000}+)"
)
_CUT_OFF: Final = ("..", "\u2026")
_AROUND: Final = ".;:,\"'\\)]}>"
"""What may follow the last amount where a text quotes the refusal."""


def request_exceeds_quota(text: str) -> bool:
    """Whether a refusal says that one request alone is larger than what the quota allows in all."""
    return _BEGINNING in text and any(map(_is_too_large, _REFUSAL.finditer(text)))


def _is_too_large(refusal: re.Match[str]) -> bool:
    requested, limited = map(_amounts, refusal.groups())
    return any(amount > limited[name] for name, amount in requested.items() if name in limited)


def _amounts(listed: str) -> dict[str, Fraction]:
    """The amount of each resource. One that cannot be read, or was cut off, cannot be compared and is left out."""
    amounts = {}
    for pair in listed.split(","):
        name, _, amount = pair.partition("=")
        if amount.endswith(_CUT_OFF):
            continue
        try:
            amounts[name] = parse(amount.rstrip(_AROUND))
        except QuantityError:
            continue
    return amounts
