"""How ``onExitCodes`` is written; exit codes as a pod holds them; findings about impossible and repeated values."""

from collections.abc import Iterable, Iterator
from typing import Annotated

from pydantic import Field, Strict

from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.exit_status import as_int32
from agent.documents.checked import Finder, Steps
from agent.documents.node import Scalar, items, plain
from agent.documents.shape import Shape
from agent.documents.source import Fault
from agent.manifests.matchers.written import Written

_HIGHEST_CODE = 255
_NTSTATUS_ERRORS = 0xC000_0000
"""The lowest NTSTATUS of severity error (MS-ERREF 2.3), without a sign."""


class ExitCodesShape(Shape):
    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[int], Field(min_length=1)]


def compile_exit_codes(shape: ExitCodesShape) -> ExitCodes:
    return ExitCodes(operator=shape.operator, values=as_int32_set(shape.values))


OnExitCodes = Annotated[ExitCodesShape | None, Written(matcher=ExitCodes, compile=compile_exit_codes, tag="ExitCodes")]


def as_int32_set(codes: Iterable[int]) -> frozenset[int]:
    """The codes as the int32 of a pod's status holds them: 3221225477, as Windows writes it, is -1073741819."""
    return frozenset(map(as_int32, codes))


def _is_usual(code: int) -> bool:
    return 0 <= code <= _HIGHEST_CODE or _NTSTATUS_ERRORS <= code < 1 << 32


def exit_code_findings(operator: Operator, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    """Yield the findings about the exit code matcher at this path."""
    listed = (*at, "values")
    for number, node in items(finder.get(listed)):
        code = node.value if isinstance(node, Scalar) else None
        place = (*listed, number)
        if code == 0 and operator is Operator.IN:
            yield finder.finding("never-matches", "exit code 0 never matches", at=place, hint="delete it")
        if isinstance(code, int) and not _is_usual(code):
            yield finder.finding(
                "unusual-exit-code",
                f"exit codes are between 0 and {_HIGHEST_CODE} on Linux, and NTSTATUS errors on Windows",
                at=place,
            )
    yield from repeated_values(finder, at=listed)


def repeated_values(finder: Finder, *, at: Steps) -> Iterator[Fault]:
    """Yield a finding for each value that is in the list twice."""
    seen: set[object] = set()
    for number, item in items(finder.get(at)):
        value = plain(item)
        # Lists and mappings are not hashable; the shape reports them.
        if not isinstance(value, str | int):
            continue
        if value in seen:
            yield finder.finding("repeated-value", f"{value} is given twice", at=(*at, number), hint="delete it")
        seen.add(value)
