"""Which rules act on one error, as an operator would expect (panda-retry.md 5, third column).

The result depends on the content of rules, never on their order. An inactive rule is chosen only if it would be chosen
when active; it then only logs.
"""

from collections.abc import Iterator, Sequence

from agent.core.error_table.compiled import CompiledRule
from agent.core.error_table.given import Attributes
from agent.core.error_table.outcome import Choice, Chosen, RuleFault
from agent.core.error_table.parameters import EXCLUDED_RULES, STEPS, limit_of, split, steps_of
from agent.core.error_table.row import LIMITING, ActionKind, ErrorRule

_SAME_EFFECT = (ActionKind.INCREASE_MEMORY, ActionKind.INCREASE_MEMORY_XTIMES, ActionKind.INCREASE_CPUTIME)
"""Kinds whose rules differ only in their number: the lowest is named."""


def choose(rules: Sequence[CompiledRule], diag: str | None, attributes: Attributes) -> Choice:
    """Choose one rule of each kind: for limits and cuts of input the narrowest, in a tie the strictest."""
    chosen: list[Chosen] = []
    faults: list[RuleFault] = []
    ordered = sorted(rules, key=_stable)  # the result must not depend on the order of rows
    for kind in _SAME_EFFECT:
        chosen += _first([one for one in ordered if one.rule.action == kind], kind, (diag, attributes), faults)
    reducing = [one for one in ordered if one.rule.action == ActionKind.REDUCE_INPUT_PER_JOB]
    fitting = sorted(_holding(reducing, (diag, attributes), faults), key=_reduces)
    chosen += _with_shadow([_chosen(one, None) for one in fitting])
    limiting = [one for one in ordered if one.rule.action in LIMITING]
    chosen += _limit(list(_holding(limiting, (diag, attributes), faults)), faults)
    return Choice(chosen=tuple(chosen), faults=tuple(faults))


_Asked = tuple[str | None, Attributes]


def _first(rules: Sequence[CompiledRule], kind: ActionKind, asked: _Asked, faults: list[RuleFault]) -> Iterator[Chosen]:
    """The first active rule; before it the narrowest inactive one, if that is narrower or comes first."""
    before: list[CompiledRule] = []
    active = None
    for one in _holding(rules, asked, faults):
        if one.active:
            active = one
            break
        before.append(one)
    after = [] if active is None else [one for one in rules[rules.index(active) + 1 :] if _shadows(one, active)]
    trials = [*before, *_holding(after, asked, faults)]
    shadow = max(trials, key=lambda one: one.rule.weight, default=None)
    for chosen in (shadow, active):
        if chosen is not None:
            yield Chosen(rule=chosen.rule, kind=kind, active=chosen.active)


def _shadows(one: CompiledRule, active: CompiledRule) -> bool:
    """Whether an inactive rule is narrower than an active one."""
    return not one.active and one.rule.weight > active.rule.weight


def _holding(rules: Sequence[CompiledRule], asked: _Asked, faults: list[RuleFault]) -> Iterator[CompiledRule]:
    for one in rules:
        holds, fault = one.holds(*asked)
        if fault is not None:
            faults.append(fault)
        if holds:
            yield one


def _limit(rules: Sequence[CompiledRule], faults: list[RuleFault]) -> list[Chosen]:
    """The narrowest limit, in a tie the lowest; ``no_retry`` is lower than any. A rule without a limit is a fault."""
    good = [_chosen(one, limit_of(one.rule)) for one in rules if _says_its_limit(one.rule)]
    best = _with_shadow(sorted(good, key=_limits))
    narrowest = max((one.rule.weight for one in best if one.active), default=0)
    faults += [
        RuleFault.WITHOUT_LIMIT for one in rules if not _says_its_limit(one.rule) and one.rule.weight >= narrowest
    ]
    return best


def _says_its_limit(rule: ErrorRule) -> bool:
    return rule.action == ActionKind.NO_RETRY or limit_of(rule) is not None


def _with_shadow(best_first: Sequence[Chosen]) -> list[Chosen]:
    """The best active rule; before it the best of all, if that is inactive."""
    active = [one for one in best_first if one.active][:1]
    return [*(one for one in best_first[:1] if not one.active), *active]


def _chosen(one: CompiledRule, limit: int | None) -> Chosen:
    kind = ActionKind(one.rule.action)
    return Chosen(rule=one.rule, kind=kind, active=one.active, limit=limit if kind is ActionKind.LIMIT_RETRY else None)


def _limits(one: Chosen) -> tuple[int, int]:
    return -one.rule.weight, -1 if one.limit is None else one.limit


def _reduces(one: CompiledRule) -> tuple[int, tuple[int, ...]]:
    given = split(one.rule.parameters)
    try:
        steps: tuple[int, ...] = steps_of(given.get(STEPS))
    except ValueError:
        steps = ()
    return -one.rule.weight, (0, *steps, len(given.get(EXCLUDED_RULES, ""))) if steps else (1,)


def _stable(one: CompiledRule) -> tuple[int, str]:
    return one.rule.identity, repr(one.rule)
