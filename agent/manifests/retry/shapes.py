"""The shapes of a ``RetryPolicy``. Source: armadaproject/armada#4683, the proposal; the rest is ours."""

import re
from datetime import timedelta
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, ConfigDict, Field, Strict, model_validator

from agent.core.retry.choices import Action, Avoidance, AvoidScope, PolicyMode, Strength
from agent.core.retry.policy import DEFAULT_RULE
from agent.documents.problem import quote
from agent.documents.shape import Shape, refuse
from agent.manifests.fields import Bytes, Duration, Name
from agent.manifests.matchers.listed import PolicyMatchers
from agent.manifests.matchers.written import written_in

API_VERSION = "armadaproject.io/v1"

_DNS_LABEL = re.compile(r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?")


def _check_policy_name(name: str) -> str:
    if not _DNS_LABEL.fullmatch(name):
        hint = "use lower case a-z, digits and -, with a-z or a digit at both ends"
        raise refuse("invalid-name", f"{quote(name)} is not a valid name of a policy", hint=hint)
    return name


def _check_rule_name(name: str) -> str:
    if name == DEFAULT_RULE:
        raise refuse("reserved-name", f"{quote(name)} is reserved: retries by `defaultAction` are counted under it")
    return name


def _check_time(time: timedelta) -> timedelta:
    if not time:
        raise refuse("no-time", "must be longer than 0s")
    return time


Limit = Annotated[int, Field(ge=0, lt=2**32)]
"""A number of retries; 0 allows none."""

PolicyName = Annotated[Name, AfterValidator(_check_policy_name)]
"""The name of a policy: a DNS label."""


class BackoffShape(Shape):
    """``backoff``; a field that is left out is taken from the next level. ``jitter`` and ``resetAfter`` are ours."""

    initialDelay: Duration | None = None
    maxDelay: Duration | None = None
    multiplier: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None
    jitter: Annotated[float, Field(ge=0, le=1)] | None = None
    resetAfter: Duration | None = None


class AntiAffinityShape(Shape):
    """``antiAffinity``; all but ``mode`` is ours."""

    mode: Annotated[Avoidance, Strict(False)] | None = None
    strength: Annotated[Strength, Strict(False)] | None = None
    scope: Annotated[AvoidScope, Strict(False)] | None = None
    expireAfter: Duration | None = None
    maxNodes: Annotated[int, Field(ge=1)] | None = None


class AmountShape(Shape):
    """``mutate.resources.memory`` in any dialect: exactly one of a factor and a static amount."""

    static: Bytes | None = None
    factor: float | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "AmountShape":
        if (self.static is None) == (self.factor is None):
            both = ", not both" if self.static is not None else ""
            raise refuse("one-amount", f"set exactly one of static and factor{both}")
        if self.factor is not None and not self.factor > 1:
            raise refuse("small-factor", f"factor {self.factor:g} must be greater than 1.0")
        return self


class MemoryShape(AmountShape):
    """``mutate.resources.memory``: ours names the ceiling of one container."""

    max: Bytes


class ResourcesShape(Shape):
    memory: MemoryShape


class MutateShape(Shape):
    resources: ResourcesShape


class BudgetsShape(Shape):
    """``budgets``: how many retries a class of failures gets, whichever rule grants them."""

    application: Limit | None = None
    infra: Limit | None = None
    preemption: Limit | None = None
    neverStarted: Limit | None = None
    oom: Limit | None = None


class WindowShape(Shape):
    """``window``: a number of retries within a time, and no more."""

    retries: Limit
    per: Annotated[Duration, AfterValidator(_check_time)]


class TimesShape(Shape):
    """The limits in time of a rule or policy, ours in every dialect."""

    giveUpAfter: Annotated[Duration, AfterValidator(_check_time)] | None = None
    countWaiting: bool | None = None
    window: WindowShape | None = None

    @model_validator(mode="after")
    def _waits_for_something(self) -> Self:
        if self.countWaiting is not None and self.giveUpAfter is None:
            raise refuse("no-give-up", "countWaiting says how `giveUpAfter` counts: set giveUpAfter, or delete it")
        return self


class MatcherShape(PolicyMatchers):
    """One matcher, or one part of an ``allOf``; ``load`` checks that there is exactly one."""


SINGLE_MATCHERS = written_in(MatcherShape)
"""The matchers; each part of an ``allOf`` has exactly one."""

MATCHERS = (*SINGLE_MATCHERS, "allOf")
"""The matchers; a rule has exactly one."""


class RuleShape(MatcherShape, TimesShape):
    model_config = ConfigDict(json_schema_extra={"oneOf": [{"required": [name]} for name in MATCHERS]})

    action: Annotated[Action, Strict(False)]
    name: Annotated[Name, AfterValidator(_check_rule_name)] | None = None
    containerName: str | None = None
    includeInitContainers: bool | None = None
    allOf: list[MatcherShape] | None = None
    retryLimit: Limit | None = None
    antiAffinity: AntiAffinityShape | None = None
    backoff: BackoffShape | None = None
    charge: Literal["application", "infra", "preemption", "neverStarted", "oom"] | None = None
    mutate: MutateShape | None = None


class SpecShape(TimesShape):
    retryLimit: Limit | None = None
    defaultAction: Annotated[Action, Strict(False)] | None = None
    backoff: BackoffShape | None = None
    antiAffinity: AntiAffinityShape | None = None
    budgets: BudgetsShape | None = None
    mode: Annotated[PolicyMode, Strict(False)] | None = None
    usableByAnnotation: bool | None = None
    rules: list[RuleShape] | None = None


class MetadataShape(Shape):
    name: PolicyName


class RetryPolicyShape(Shape):
    apiVersion: Literal["armadaproject.io/v1", "armadaproject.io/v1beta1"]
    kind: Literal["RetryPolicy"]
    metadata: MetadataShape
    spec: SpecShape
