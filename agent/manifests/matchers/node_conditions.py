"""How ``onNodeConditions`` is written: a condition's type, the whole of it, or a list of either."""

from collections.abc import Sequence
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema

from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.text import Engine
from agent.documents.shape import Shape, refuse
from agent.manifests.fields import Name, StatusWord
from agent.manifests.matchers.pattern import fault_of
from agent.manifests.matchers.written import Written


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
