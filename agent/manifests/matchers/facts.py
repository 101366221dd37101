"""How matchers of anything but a text are written: facts of a pod and its node, and an existing classification.

A signal may be given by name or number (signal(7), x86 and ARM), exit codes as a pod holds them or as Windows writes
them, a node condition as its type, the whole of it, or a list of either.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field, Strict, WithJsonSchema

from agent.core.classify.matchers.category import Category, FailureCategory
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.corroborated import Corroborated
from agent.core.classify.matchers.exit_codes import ExitCodes, Operator
from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.classify.matchers.namespaces import Namespaces
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.origin import FailureOrigin
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.matchers.text import Engine
from agent.core.exit_status import HIGHEST_SIGNAL, SIGNALS, as_int32
from agent.core.failure import Grade, Origin
from agent.documents.checked import Finder, Steps
from agent.documents.node import Scalar, items
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import Shape, refuse
from agent.documents.source import Fault
from agent.manifests.fields import ConditionName, Name, StatusWord
from agent.manifests.matchers.pattern import fault_of
from agent.manifests.matchers.written import Written, repeated_values

_HIGHEST_CODE = 255
_NTSTATUS_ERRORS = 0xC000_0000
"""The lowest NTSTATUS of severity error (MS-ERREF 2.3), without a sign."""


class ExitCodesShape(Shape):
    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[int], Field(min_length=1)]


def compile_exit_codes(shape: ExitCodesShape) -> ExitCodes:
    return ExitCodes(operator=shape.operator, values=as_int32_set(shape.values))


def as_int32_set(codes: Iterable[int]) -> frozenset[int]:
    """The codes as the int32 of a pod's status holds them: 3221225477, as Windows writes it, is -1073741819."""
    return frozenset(map(as_int32, codes))


def _is_usual(code: int) -> bool:
    return 0 <= code <= _HIGHEST_CODE or _NTSTATUS_ERRORS <= code < 1 << 32


def exit_code_findings(matcher: ExitCodes, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    listed = (*at, "values")
    for number, node in items(finder.get(listed)):
        code = node.value if isinstance(node, Scalar) else None
        place = (*listed, number)
        if code == 0 and matcher.operator is Operator.IN:
            yield finder.finding("never-matches", "exit code 0 never matches", at=place, hint="delete it")
        if isinstance(code, int) and not _is_usual(code):
            yield finder.finding(
                "unusual-exit-code",
                f"exit codes are between 0 and {_HIGHEST_CODE} on Linux, and NTSTATUS errors on Windows",
                at=place,
            )
    yield from repeated_values(finder, at=listed)


OnExitCodes = Annotated[
    ExitCodesShape | None,
    Written(matcher=ExitCodes, compile=compile_exit_codes, tag="ExitCodes", findings=exit_code_findings),
]


def read_signal(signal: object) -> object:
    """Read a signal by name or number."""
    if isinstance(signal, str):
        if signal not in SIGNALS:
            raise refuse("unknown-signal", f"unknown signal {quote(signal)}", hint=nearest_or_all(signal, [*SIGNALS]))
        return SIGNALS[signal]
    if isinstance(signal, int) and not 1 <= signal <= HIGHEST_SIGNAL:
        raise refuse("out-of-range", f"signals are numbered from 1 to {HIGHEST_SIGNAL}")
    return signal


Signal = Annotated[
    int,
    BeforeValidator(read_signal),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": HIGHEST_SIGNAL}, {"enum": [*SIGNALS]}]}),
]
"""A signal, by name or number."""


def compile_signals(numbers: Sequence[int]) -> Signals:
    return Signals(values=frozenset(numbers))


OnSignals = Annotated[
    list[Signal] | None, Written(matcher=Signals, compile=compile_signals, tag="Signals", is_list=True)
]


def compile_conditions(names: Sequence[str]) -> Conditions:
    return Conditions(names=tuple(names))


OnConditions = Annotated[
    list[ConditionName] | None, Written(matcher=Conditions, compile=compile_conditions, tag="Conditions", is_list=True)
]


class NamespacesShape(Shape):
    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[Name], Field(min_length=1)]


def compile_namespaces(shape: NamespacesShape) -> Namespaces:
    return Namespaces(operator=shape.operator, values=frozenset(shape.values))


def namespace_findings(matcher: Namespaces, finder: Finder, *, at: Steps) -> Iterator[Fault]:
    del matcher
    yield from repeated_values(finder, at=(*at, "values"))


OnNamespaces = Annotated[
    NamespacesShape | None,
    Written(matcher=Namespaces, compile=compile_namespaces, tag="Namespaces", findings=namespace_findings),
]


def _check_pattern(pattern: str) -> str:
    fault = fault_of(pattern, Engine.RE2)
    if fault is not None:
        raise refuse("invalid-pattern", fault.message, hint=fault.hint)
    return pattern


class NodeConditionShape(Shape):
    """One of ``onNodeConditions``."""

    type: Name
    status: Annotated[Literal["True", "False", "Unknown"], StatusWord] = "True"
    reason: str | None = None
    pattern: Annotated[str, AfterValidator(_check_pattern)] | None = None


_CONDITION_SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "status": {"enum": ["True", "False", "Unknown", True, False]},
        "reason": {"type": "string"},
        "pattern": {"type": "string", "description": "RE2, found in the condition's reason or its message."},
    },
    "required": ["type"],
    "additionalProperties": False,
}


NODE_CONDITIONS_SCHEMA: dict[str, object] = {
    "anyOf": [
        {"type": "string"},
        _CONDITION_SCHEMA,
        {"type": "array", "items": {"anyOf": [{"type": "string"}, _CONDITION_SCHEMA]}},
    ]
}
"""What an editor may complete: a condition's type, the whole of it, or a list of either."""


def read_node_condition(condition: object) -> object:
    """Read ``MemoryPressure`` as ``{type: MemoryPressure}``."""
    return {"type": condition} if isinstance(condition, str) else condition


def read_node_conditions(conditions: object) -> object:
    """Read one condition as a list of one."""
    return [conditions] if isinstance(conditions, str | dict) else conditions


def compile_node_conditions(shapes: Sequence[NodeConditionShape]) -> NodeConditions:
    return NodeConditions(
        any_of=tuple(
            NodeCondition(
                type=condition.type,
                status=condition.status,
                reason=condition.reason or None,
                pattern=condition.pattern or None,
            )
            for condition in shapes
        )
    )


OnNodeConditions = Annotated[
    Annotated[
        list[Annotated[NodeConditionShape, BeforeValidator(read_node_condition)]],
        BeforeValidator(read_node_conditions),
        WithJsonSchema(NODE_CONDITIONS_SCHEMA),
    ]
    | None,
    Written(matcher=NodeConditions, compile=compile_node_conditions, tag="NodeConditions"),
]


def compile_failure_category(names: Sequence[str]) -> FailureCategory:
    return FailureCategory(names=tuple(names))


def compile_category(name: str) -> Category:
    return Category(category=name)


OnFailureCategory = Annotated[
    list[Name] | None, Written(matcher=FailureCategory, compile=compile_failure_category, is_list=True)
]

# ``onSubcategory`` narrows it, and is no matcher.
OnCategory = Annotated[Name | None, Written(matcher=Category, compile=compile_category)]


def compile_origin(origins: Sequence[Origin]) -> FailureOrigin:
    return FailureOrigin(origins=tuple(origins))


OnOrigin = Annotated[
    list[Annotated[Origin, Strict(False)]] | None,
    Written(matcher=FailureOrigin, compile=compile_origin, is_list=True),
]


def compile_min_grade(least: Grade) -> MinGrade:
    return MinGrade(least=least)


OnMinGrade = Annotated[Annotated[Grade, Strict(False)] | None, Written(matcher=MinGrade, compile=compile_min_grade)]
"""``minGrade``: how well the advice is known, at least."""


def compile_corroborated(value: bool) -> Corroborated:  # noqa: FBT001 - the value itself
    return Corroborated(value=value)


OnCorroborated = Annotated[bool | None, Written(matcher=Corroborated, compile=compile_corroborated)]
