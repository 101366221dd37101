"""The shapes of a ``RetryPolicy``. Source: the seed "Configurable retry policies"; ``name`` of a rule is ours."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, Strict

from agent.core.classify.rules import Operator
from agent.core.retry.policy import DEFAULT_RULE, Action, Avoidance
from agent.manifests.duration import Duration
from agent.manifests.field_types import ConditionName, Name
from agent.manifests.problem import quote
from agent.manifests.shape import Shape, refuse

MATCHERS = ("onConditions", "onExitCodes", "onTerminationMessage", "onFailureCategory", "onCategory")
"""The matchers of which a rule has exactly one; ``onSubcategory`` narrows ``onCategory``."""

_DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")


def _check_policy_name(name: str) -> str:
    if not _DNS_LABEL.fullmatch(name):
        hint = "lower case letters, digits and -, with a letter or digit at both ends"
        raise refuse("invalid-name", f"{quote(name)} is not a name for a policy", hint=hint)
    return name


def _check_rule_name(name: str) -> str:
    if name == DEFAULT_RULE:
        raise refuse("reserved-name", f"{quote(name)} is what retries by `defaultAction` are counted under")
    return name


Limit = Annotated[int, Field(ge=0, lt=2**32)]
"""A number of retries; 0 allows none."""


class ExitCodesShape(Shape):
    """``onExitCodes``."""

    operator: Annotated[Operator, Strict(False)]
    values: Annotated[list[int], Field(min_length=1)]


class PatternShape(Shape):
    """``onTerminationMessage``."""

    pattern: str


class BackoffShape(Shape):
    """``backoff``; what is left out is the next level's."""

    initialDelay: Duration | None = None
    maxDelay: Duration | None = None
    multiplier: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None


class AntiAffinityShape(Shape):
    """``antiAffinity``."""

    mode: Annotated[Avoidance, Strict(False)]


class RuleShape(Shape):
    """One rule; that it has exactly one matcher is looked at elsewhere."""

    action: Annotated[Action, Strict(False)]
    name: Annotated[Name, AfterValidator(_check_rule_name)] | None = None
    containerName: str | None = None
    includeInitContainers: bool | None = None
    onConditions: list[ConditionName] | None = None
    onExitCodes: ExitCodesShape | None = None
    onTerminationMessage: PatternShape | None = None
    onFailureCategory: list[Name] | None = None
    onCategory: Name | None = None
    onSubcategory: Name | None = None
    retryLimit: Limit | None = None
    antiAffinity: AntiAffinityShape | None = None
    backoff: BackoffShape | None = None


class SpecShape(Shape):
    """``spec``."""

    retryLimit: Limit | None = None
    defaultAction: Annotated[Action, Strict(False)] | None = None
    backoff: BackoffShape | None = None
    antiAffinity: AntiAffinityShape | None = None
    rules: list[RuleShape] | None = None


class MetadataShape(Shape):
    """``metadata``."""

    name: Annotated[Name, AfterValidator(_check_policy_name)]


class RetryPolicyShape(Shape):
    """A whole document."""

    apiVersion: Literal["armadaproject.io/v1"]
    kind: Literal["RetryPolicy"]
    metadata: MetadataShape
    spec: SpecShape
