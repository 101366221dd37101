"""Value: a frozen dataclass that is cheap to make.

A type checker sees ``dataclasses.dataclass``. At run time it is a struct of msgspec, which refuses every assignment
too and is made in a fifth of the time: of evidence some 25 values are made for each failure, as dataclasses a tenth of
the whole path from watch line to bytes (``bench/path.py``). ``replace`` and ``fields`` of dataclasses take it.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

T = TypeVar("T")

if TYPE_CHECKING:
    from dataclasses import dataclass as value
else:
    from dataclasses import Field, dataclass

    from msgspec import Struct, field

    _OF_ITS_OWN = frozenset({"__dict__", "__weakref__"})

    def value(*, frozen: bool, slots: bool, kw_only: bool = False) -> Callable[[type[T]], type[T]]:  # noqa: ARG001 - as dataclass has it
        """Make a class with the fields, the equality and the hash of a dataclass."""

        def make(owner: type[T]) -> type[T]:
            said = {name: _default(each) for name, each in vars(owner).items() if name not in _OF_ITS_OWN}
            # gc=False: a frozen value of immutable fields is in no cycle, so the collector need not visit it
            made = type(Struct)(owner.__name__, (Struct,), said, frozen=frozen, kw_only=kw_only, gc=False)
            made.__dataclass_fields__ = dataclass(kw_only=kw_only)(owner).__dataclass_fields__
            return made

        return make

    def _default(said: object) -> object:
        return field(default_factory=said.default_factory) if isinstance(said, Field) else said


__all__ = ["value"]
