"""``allOf``: every one of several matchers."""

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(Generic[M]):
    """``allOf``: every one of several matchers.

    Those that look at a container must all hold for one and the same container; without matchers it never holds.
    """

    NAME: ClassVar[str] = "allOf"

    matchers: tuple[M, ...]
