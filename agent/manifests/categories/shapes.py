"""The shapes of a file of error categories, in the spelling of the seed and of Armada's configuration.

Source: reference/armada-today.md 2, the seed "Error categorization", issue 3 "Classification".
"""

from typing import Annotated

from pydantic import BeforeValidator, Strict, WithJsonSchema

from agent.core.failure import Advice, CategoryAction, Origin
from agent.documents.shape import Shape
from agent.manifests.fields import ConditionName, Hint, Label, Name
from agent.manifests.matchers.shapes import (
    NODE_CONDITIONS_SCHEMA,
    ExitCodesShape,
    NodeConditionShape,
    PatternShape,
    PodEventsShape,
    Signal,
    read_node_condition,
    read_node_conditions,
)

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


def _read_action(action: object) -> object:
    """Read an empty action as none, as Armada does."""
    return None if action == "" else action


class MatcherShape(Shape):
    """One matcher, or one part of an ``allOf``; ``faults`` checks that there is exactly one."""

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
    """One category. ``faults`` checks that it has rules."""

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
