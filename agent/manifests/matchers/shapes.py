"""The fields of matchers that rule files and retry policies share, and what editors may complete in them."""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, Strict, WithJsonSchema

from agent.core.classify.rules import Engine, Operator
from agent.core.exit_status import HIGHEST_SIGNAL
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import Shape, refuse
from agent.manifests.fields import Name, StatusWord
from agent.manifests.matchers.signals import SIGNALS


def read_signal(signal: object) -> object:
    """Read a signal by name or number."""
    if isinstance(signal, str):
        if signal not in SIGNALS:
            raise refuse("unknown-signal", f"unknown signal {quote(signal)}", hint=nearest_or_all(signal, [*SIGNALS]))
        return SIGNALS[signal]
    if isinstance(signal, int) and not 1 <= signal <= HIGHEST_SIGNAL:
        raise refuse("out-of-range", f"signals are numbered from 1 to {HIGHEST_SIGNAL}")
    return signal


def read_node_condition(condition: object) -> object:
    """Read ``MemoryPressure`` as ``{type: MemoryPressure}``."""
    return {"type": condition} if isinstance(condition, str) else condition


def read_node_conditions(conditions: object) -> object:
    """Read one condition as a list of one."""
    return [conditions] if isinstance(conditions, str | dict) else conditions


Signal = Annotated[
    int,
    BeforeValidator(read_signal),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": HIGHEST_SIGNAL}, {"enum": [*SIGNALS]}]}),
]
"""A signal, by name or number."""


class ExitCodesShape(Shape):
    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[int], Field(min_length=1)]


class PatternShape(Shape):
    """``onTerminationMessage``, ``onPodError``, ``onNodeLog``, ``onLogTail``."""

    pattern: str
    engine: Annotated[Engine, Strict(False)] = Engine.RE2


class PodEventsShape(Shape):
    regexp: str
    type: Literal["Normal", "Warning"]
    reason: str | None = None
    engine: Annotated[Engine, Strict(False)] = Engine.RE2


class NodeConditionShape(Shape):
    """One of ``onNodeConditions``."""

    type: Name
    status: Annotated[Literal["True", "False", "Unknown"], StatusWord] = "True"
    reason: str | None = None


_CONDITION_SCHEMA = {
    "type": "object",
    "properties": {
        "type": {"type": "string"},
        "status": {"enum": ["True", "False", "Unknown", True, False]},
        "reason": {"type": "string"},
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
