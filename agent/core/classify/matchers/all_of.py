"""``allOf``: every one of several matchers."""

from dataclasses import dataclass
from typing import ClassVar, Generic, TypeVar

M = TypeVar("M")


@dataclass(frozen=True, slots=True, kw_only=True)
class AllOf(Generic[M]):
    """``allOf``: every one of several matchers.

    Matchers of containers must all match the same container; without matchers it never matches.
    """

    NAME: ClassVar[str] = "allOf"

    matchers: tuple[M, ...]
