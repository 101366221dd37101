"""Retry policies as values: what a ``RetryPolicy`` document compiles to (armadaproject/armada#4683).

``None`` means absent, 0 is a number: a ``retry_limit`` of 0 allows no retry. A field that a rule omits comes from the
policy, and from the settings if both omit it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import lru_cache

from agent.core.classify.matchers.registry import Matcher
from agent.core.limit import Charge
from agent.core.retry.choices import Action, Avoidance, AvoidScope, Exhausted, PolicyMode, Strength
from agent.core.retry.dialect import V1, Dialect
from agent.core.retry.growth import MemoryGrowth

DEFAULT_POLICY = "default"
"""The policy that always exists and that nobody can delete (armadaproject/armada#4683, "Scheduler Config")."""

DEFAULT_RULE = "default"
"""The reserved rule name under which retries granted by a ``defaultAction`` count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AntiAffinity:
    """``antiAffinity``; each field that is omitted comes from the policy.

    ``max_nodes`` keeps the most recent, ``expire_after`` counts from the failure on the node.
    """

    mode: Avoidance | None = None
    strength: Strength | None = None
    scope: AvoidScope | None = None
    expire_after: timedelta | None = None
    max_nodes: int | None = None
    exhausted: Exhausted | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackoffPolicy:
    """The delay before a retry; each field that is omitted comes from the next level (rule, policy, settings).

    ``jitter`` is the largest random share of the delay, 0 to 1, to subtract; a run of at least ``reset_after`` resets
    the delays.
    """

    initial: timedelta | None = None
    maximum: timedelta | None = None
    multiplier: float | None = None
    jitter: float | None = None
    reset_after: timedelta | None = None


@dataclass(frozen=True, slots=True)
class GiveUp:
    """``giveUpAfter``: no retry so long after the job's first run began. Time between runs counts if ``waiting``."""

    after: timedelta
    waiting: bool = True


@dataclass(frozen=True, slots=True)
class Window:
    """``window``: a number of retries within a time, and no more."""

    retries: int
    per: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One rule. ``container`` is ``containerName``; naming an init container includes it.

    ``include_init`` is ``includeInitContainers``. ``name`` is optional and not in Armada: it keeps a rule's count when
    its matcher is edited. ``charge`` is the budget for its retries; ``None``: depends on the failure.
    """

    matcher: Matcher
    action: Action
    name: str | None = None
    container: str | None = None
    include_init: bool = False
    retry_limit: int | None = None
    backoff: BackoffPolicy = BackoffPolicy()
    anti_affinity: AntiAffinity = AntiAffinity()
    memory: MemoryGrowth | None = None
    charge: Charge | None = None
    give_up: GiveUp | None = None
    window: Window | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RetryPolicy:
    """A policy: rules in file order, the first that matches decides.

    ``default_action`` applies if no rule matches; ``None`` (not set) means Fail. ``budgets`` limit the retries
    charged to each class, whichever rule granted them; ``window`` those under any of its rules.
    ``usable_by_annotation``: whether jobs may name it.
    """

    name: str
    rules: tuple[Rule, ...] = ()
    default_action: Action | None = None
    retry_limit: int | None = None
    backoff: BackoffPolicy = BackoffPolicy()
    anti_affinity: AntiAffinity = AntiAffinity()
    budgets: Mapping[Charge, int] = field(default_factory=dict)
    give_up: GiveUp | None = None
    window: Window | None = None
    mode: PolicyMode = PolicyMode.LIVE
    usable_by_annotation: bool = True
    dialect: Dialect = V1


@lru_cache(maxsize=1024)
def merge_backoff(specific: BackoffPolicy, general: BackoffPolicy) -> BackoffPolicy:
    """The more specific of two levels; the other provides omitted fields."""
    return BackoffPolicy(
        initial=specific.initial if specific.initial is not None else general.initial,
        maximum=specific.maximum if specific.maximum is not None else general.maximum,
        multiplier=specific.multiplier if specific.multiplier is not None else general.multiplier,
        jitter=specific.jitter if specific.jitter is not None else general.jitter,
        reset_after=specific.reset_after if specific.reset_after is not None else general.reset_after,
    )


def merge_anti_affinity(specific: AntiAffinity, general: AntiAffinity) -> AntiAffinity:
    """The more specific of two levels; the other provides omitted fields."""
    return AntiAffinity(
        mode=specific.mode if specific.mode is not None else general.mode,
        strength=specific.strength if specific.strength is not None else general.strength,
        scope=specific.scope if specific.scope is not None else general.scope,
        expire_after=specific.expire_after if specific.expire_after is not None else general.expire_after,
        max_nodes=specific.max_nodes if specific.max_nodes is not None else general.max_nodes,
        exhausted=specific.exhausted if specific.exhausted is not None else general.exhausted,
    )


PROPOSED_BACKOFF = BackoffPolicy(initial=timedelta(0), maximum=timedelta(minutes=10), multiplier=2.0)
"""``defaultBackoff`` of armadaproject/armada#4683: no delay, unless an initial delay is set somewhere."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrySettings:
    """``retryPolicy:`` of the scheduler's settings.

    ``enabled`` switches only retry policies; without them the legacy formula decides, with ``max_attempted_runs``.
    ``global_max_retries`` caps all retries of one lineage, whoever grants them; 0 stops all, ``None`` is no cap.
    ``gang_settle`` is how long to wait for later failures of a gang.
    """

    enabled: bool = False
    global_max_retries: int | None = 20
    default_policy_name: str | None = None
    default_backoff: BackoffPolicy = PROPOSED_BACKOFF
    max_attempted_runs: int = 3
    gang_settle: timedelta = timedelta(seconds=5)
