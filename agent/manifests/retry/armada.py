"""Armada's shipped retry policies, ``armadaproject.io/v1beta1``.

Source: armadaproject/armada at 207cc9e04, internal/server/retrypolicy/validation.go and pkg/api/submit.proto.
"""

from collections.abc import Iterator
from enum import IntEnum
from typing import Annotated, Literal

from pydantic import BeforeValidator, WithJsonSchema

from agent.core.classify.matchers.category import Category
from agent.core.retry.choices import Action, Avoidance, AvoidScope, Exhausted, Strength
from agent.core.retry.dialect import V1BETA1
from agent.core.retry.growth import MemoryGrowth
from agent.core.retry.policy import AntiAffinity, RetryPolicy, Rule
from agent.documents.node import Node
from agent.documents.problem import quote
from agent.documents.shape import Fit, Shape, check, refuse
from agent.documents.source import Fault
from agent.manifests.fields import Label, Name
from agent.manifests.retry.compile import compile_give_up, compile_window
from agent.manifests.retry.shapes import AmountShape, Limit, PolicyName, TimesShape

GROUP = "armadaproject.io/"
API_VERSION = f"{GROUP}v1beta1"
PREFIX = "RETRY_ACTION_"

# What avoidSameNode means in Armada: never again on a node where a run failed, and fail when none is left.
_EVERY_NODE = AntiAffinity(
    mode=Avoidance.NODE, strength=Strength.REQUIRED, scope=AvoidScope.ALL, exhausted=Exhausted.FAIL
)


class RetryAction(IntEnum):
    """The enum of Armada's API."""

    UNSPECIFIED = 0
    FAIL = 1
    RETRY = 2


def read_action(written: object) -> RetryAction:
    """The action for a word or a number. Raises ValueError for anything else.

    ``Fail`` and ``Retry`` in any case, the enum's own names, 1 and 2.
    """
    if isinstance(written, str):
        if written.startswith(PREFIX) and written.removeprefix(PREFIX) in RetryAction.__members__:
            return RetryAction[written.removeprefix(PREFIX)]
        if written.upper() in ("FAIL", "RETRY"):
            return RetryAction[written.upper()]
    elif isinstance(written, int) and not isinstance(written, bool) and written in (1, 2):
        return RetryAction(written)
    raise ValueError(f"unknown action {written!r}")


def write_action(number: int) -> str:
    """The word that Armada writes. Raises ValueError for an unknown number."""
    return RetryAction(number).name.capitalize()


def to_action(written: object) -> Action:
    """The action of a field, which must be one of the two."""
    try:
        action = read_action(written)
    except ValueError:
        action = RetryAction.UNSPECIFIED
    if action is RetryAction.UNSPECIFIED:
        found = quote(written) if isinstance(written, str) else repr(written)
        raise refuse("unknown-value", f"{found} is neither Fail nor Retry")
    return Action.FAIL if action is RetryAction.FAIL else Action.RETRY


ActionWord = Annotated[Action, BeforeValidator(to_action), WithJsonSchema({"enum": ["Fail", "Retry"]})]


class AffinityShape(Shape):
    avoidSameNode: bool | None = None


class ResourcesShape(Shape):
    memory: AmountShape | None = None


class MutateShape(Shape):
    affinity: AffinityShape | None = None
    resources: ResourcesShape | None = None


class RuleShape(TimesShape):
    action: ActionWord
    onCategory: Name
    onSubcategory: Label | None = None
    mutate: MutateShape | None = None


class ArmadaPolicyShape(TimesShape):
    apiVersion: Literal["armadaproject.io/v1beta1"]
    kind: Literal["RetryPolicy"]
    name: PolicyName
    retryLimit: Limit | None = None
    defaultAction: ActionWord
    rules: list[RuleShape] | None = None


def read_armada_policy(root: Node) -> tuple[RetryPolicy | None, Iterator[Fault]]:
    """The policy of a document, and its faults; a limit that is not written is 0, as in proto3."""
    fit: Fit[ArmadaPolicyShape] = check(ArmadaPolicyShape, root)
    return (None if fit.value is None else _policy(fit.value)), iter(fit.faults)


def _policy(shape: ArmadaPolicyShape) -> RetryPolicy:
    return RetryPolicy(
        name=shape.name,
        rules=tuple(_rule(rule) for rule in shape.rules or ()),
        default_action=shape.defaultAction,
        retry_limit=shape.retryLimit or 0,
        give_up=compile_give_up(shape),
        window=compile_window(shape),
        dialect=V1BETA1,
    )


def _rule(shape: RuleShape) -> Rule:
    affinity = shape.mutate.affinity if shape.mutate else None
    resources = shape.mutate.resources if shape.mutate else None
    memory = resources.memory if resources else None
    return Rule(
        matcher=Category(category=shape.onCategory, subcategory=shape.onSubcategory or None),
        action=shape.action,
        anti_affinity=_EVERY_NODE if affinity and affinity.avoidSameNode else AntiAffinity(),
        memory=MemoryGrowth(factor=memory.factor, static=memory.static) if memory else None,
        give_up=compile_give_up(shape),
        window=compile_window(shape),
    )
