"""Value: a frozen dataclass that is cheap to make.

A type checker sees ``dataclasses.dataclass`` and refuses every assignment to a field. At run time nothing guards
against one: the guard makes construction 2.4 times as slow, and of evidence some 25 values are made for each failure,
a tenth of the whole path from watch line to bytes (``bench/path.py``).
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:
    from dataclasses import dataclass

    def value(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[type[T]], type[T]]:
        """Make a dataclass with equality and hash by fields; ``frozen`` is for the type checker."""
        return dataclass(unsafe_hash=frozen, slots=slots, kw_only=kw_only)


__all__ = ["value"]
