"""Which policies are in effect for a job (armadaproject/armada#4683, "Policy Resolution and Composition")."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta

from agent.core.limit import Charge
from agent.core.retry.choices import Action, PolicyMode
from agent.core.retry.compiled import CompiledPolicy
from agent.core.retry.dialect import V1, Dialect


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The lowest limit that any policy sets for one class, and the policy."""

    limit: int
    policy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InEffect:
    """The policies that decide, in order, and what they specify together.

    ``names`` and ``versions`` are of the same policies; ``None`` is that of one from a file.
    ``default_limit`` is the lowest ``retryLimit`` of a policy, which applies to retries by ``defaultAction``.
    ``shadow`` is what would be in effect if the policies in shadow were live, ``None`` if there are none; ``shadows``
    names them. ``skipped`` are policies that were named but are not in effect, and why; ``notes`` say so.
    """

    policies: tuple[CompiledPolicy, ...] = ()
    names: tuple[str, ...] = ()
    versions: tuple[int | None, ...] = ()
    dialect: Dialect = V1
    default_action: Action = Action.FAIL
    default_limit: Budget | None = None
    budgets: Mapping[Charge, Budget] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    shadow: "InEffect | None" = None
    shadows: tuple[str, ...] = ()


def longest_window(policies: Collection[CompiledPolicy]) -> timedelta | None:
    """The longest ``window`` of these policies and their rules; ``None`` if there is none."""
    of_policies = [compiled.policy.window for compiled in policies]
    of_rules = [rule.window for compiled in policies for rule in compiled.policy.rules]
    return max((window.per for window in (*of_policies, *of_rules) if window is not None), default=None)


def resolve_policies(
    known: Mapping[str, CompiledPolicy],
    *,
    queue: Sequence[str] = (),
    annotation: Sequence[str] = (),
    default: str | None = None,
) -> InEffect:
    """The policies of the queue, then of the annotation, each once; the default if neither names a live one.

    A policy that no longer exists, or that jobs may not name, is skipped with a note. The default does not replace a
    policy that no longer exists: if no policy is left, the legacy formula decides.
    """
    skipped: dict[str, str] = {}
    usable = [name for name in annotation if name in queue or _is_usable(known.get(name), name, skipped)]
    names = list(dict.fromkeys([*queue, *usable]))
    shadowed = {name for name in names if name in known and known[name].policy.mode is PolicyMode.SHADOW}
    if default is not None and not set(names) - shadowed:
        # first, because the first policy sets the dialect and the default action; the others are in shadow
        names = list(dict.fromkeys([default, *names]))
    found: list[CompiledPolicy] = []
    for name in names:
        if name in known:
            found.append(known[name])
        else:
            skipped[name] = "there is no such policy"
    return in_effect(found, skipped=skipped)


def in_effect(policies: Iterable[CompiledPolicy], *, skipped: Mapping[str, str] | None = None) -> InEffect:
    """These policies together, separate from those in shadow; ``skipped`` were also named and cannot be used.

    A policy with another dialect than the first is skipped with a note: they count differently, so their limits cannot
    be combined.
    """
    left_out = dict(skipped or {})
    alike = _alike(policies, left_out)
    live = [compiled for compiled in alike if compiled.policy.mode is PolicyMode.LIVE]
    shadows = tuple(compiled.policy.name for compiled in alike if compiled.policy.mode is PolicyMode.SHADOW)
    return _together(live, skipped=left_out, shadow=_together(alike) if shadows else None, shadows=shadows)


def _alike(policies: Iterable[CompiledPolicy], skipped: dict[str, str]) -> list[CompiledPolicy]:
    """The policies with the dialect of the first live policy; if none is live, with that of the first."""
    given = list(policies)
    leading = next(
        (compiled for compiled in given if compiled.policy.mode is PolicyMode.LIVE), given[0] if given else None
    )
    alike = []
    for compiled in given:
        if leading is not None and compiled.policy.dialect != leading.policy.dialect:
            theirs, ours = compiled.policy.dialect.name, leading.policy.dialect.name
            skipped[compiled.policy.name] = f"{theirs} counts differently from {ours}"
        else:
            alike.append(compiled)
    return alike


def _together(
    policies: Sequence[CompiledPolicy],
    *,
    skipped: Mapping[str, str] | None = None,
    shadow: InEffect | None = None,
    shadows: tuple[str, ...] = (),
) -> InEffect:
    why_not = skipped or {}
    notes = tuple(f"policy {name} is skipped: {why}" for name, why in why_not.items())
    if not policies:
        return InEffect(skipped=why_not, notes=notes, shadow=shadow, shadows=shadows)
    limits = [
        Budget(limit=limit, policy=compiled.policy.name)
        for compiled in policies
        if (limit := compiled.policy.retry_limit) is not None
    ]
    return InEffect(
        policies=tuple(policies),
        names=tuple(compiled.policy.name for compiled in policies),
        versions=tuple(compiled.version for compiled in policies),
        dialect=policies[0].policy.dialect,
        default_action=_default_action(policies),
        default_limit=min(limits, key=lambda budget: budget.limit, default=None),
        budgets=_budgets(policies),
        skipped=why_not,
        notes=notes,
        shadow=shadow,
        shadows=shadows,
    )


def _is_usable(policy: CompiledPolicy | None, name: str, skipped: dict[str, str]) -> bool:
    if policy is None or policy.policy.usable_by_annotation:
        return True
    skipped[name] = "jobs may not name it (usableByAnnotation: false)"
    return False


def _default_action(policies: Sequence[CompiledPolicy]) -> Action:
    """Retry if the first says so and no later one sets Fail. Unset means Fail in the first, no effect in others."""
    first, *later = (policy.policy.default_action for policy in policies)
    return Action.RETRY if first is Action.RETRY and Action.FAIL not in later else Action.FAIL


def _budgets(policies: Sequence[CompiledPolicy]) -> dict[Charge, Budget]:
    lowest: dict[Charge, Budget] = {}
    for compiled in policies:
        for charge, limit in compiled.policy.budgets.items():
            if charge not in lowest or limit < lowest[charge].limit:
                lowest[charge] = Budget(limit=limit, policy=compiled.policy.name)
    return lowest
