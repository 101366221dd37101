"""The shapes of a file of error categories, in the spelling of the seed and of Armada's configuration.

Source: reference/armada-today.md 2, the seed "Error categorization", issue 3 "Classification".
"""

from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, Strict, WithJsonSchema

from agent.core.classify.rules import Engine, Operator
from agent.core.exit_status import HIGHEST_SIGNAL
from agent.core.failure import Advice, CategoryAction, Origin
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import Shape, refuse
from agent.manifests.field_types import ConditionName, Hint, Label, Name, StatusWord
from agent.manifests.signal_names import SIGNALS

MATCHERS = (
    "onConditions",
    "onExitCodes",
    "onTerminationMessage",
    "onPodError",
    "onPodEvents",
    "onNodeConditions",
    "onNodeLog",
    "onLogTail",
    "onSignals",
)
"""The matchers of which a rule, and each part of an ``allOf``, has exactly one."""


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


def _read_action(action: object) -> object:
    """Read an empty action as none, as Armada does."""
    return None if action == "" else action


Signal = Annotated[
    int,
    BeforeValidator(read_signal),
    WithJsonSchema({"anyOf": [{"type": "integer", "minimum": 1, "maximum": HIGHEST_SIGNAL}, {"enum": [*SIGNALS]}]}),
]
"""A signal, by name or number."""


class ExitCodesShape(Shape):
    """``onExitCodes``."""

    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[int], Field(min_length=1)]


class PatternShape(Shape):
    """``onTerminationMessage``, ``onPodError``, ``onNodeLog``, ``onLogTail``."""

    pattern: str
    engine: Annotated[Engine, Strict(False)] = Engine.RE2


class PodEventsShape(Shape):
    """``onPodEvents``."""

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


class MatcherShape(Shape):
    """One matcher, or one part of an ``allOf``; that it is exactly one is looked at elsewhere."""

    onConditions: list[ConditionName] | None = None
    onExitCodes: ExitCodesShape | None = None
    onTerminationMessage: PatternShape | None = None
    onPodError: PatternShape | None = None
    onPodEvents: PodEventsShape | None = None
    onNodeConditions: (
        Annotated[
            list[Annotated[NodeConditionShape, BeforeValidator(read_node_condition)]],
            BeforeValidator(read_node_conditions),
            WithJsonSchema(NODE_CONDITIONS_SCHEMA),
        ]
        | None
    ) = None
    onNodeLog: PatternShape | None = None
    onLogTail: PatternShape | None = None
    onSignals: list[Signal] | None = None


class RuleShape(MatcherShape):
    """One rule. ``origin``, ``retry`` and ``allOf`` are ours; the rest is Armada's or the seed's."""

    allOf: list[MatcherShape] | None = None
    containerName: str | None = None
    subcategory: Label | None = None
    hint: Hint | None = None
    origin: Annotated[Origin, Strict(False)] | None = None
    retry: Annotated[Advice, Strict(False)] | None = None


class CategoryShape(Shape):
    """One category. That it has rules is looked at elsewhere."""

    name: Name
    rules: list[RuleShape] | None = None
    action: Annotated[CategoryAction | None, Strict(False), BeforeValidator(_read_action)] = None
    origin: Annotated[Origin, Strict(False)] | None = None
    retry: Annotated[Advice, Strict(False)] | None = None


class BlockShape(Shape):
    """Armada's ``application.errorCategories``."""

    enabled: bool | None = None
    defaultCategory: Label | None = None
    defaultSubcategory: Label | None = None
    categories: list[CategoryShape] | None = None


class ListFile(Shape):
    """A file in the seed's spelling."""

    errorCategories: list[CategoryShape]


class BlockFile(Shape):
    """A file in Armada's spelling."""

    errorCategories: BlockShape
