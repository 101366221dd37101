"""Which rules act on one error, as an operator would expect (docs/error-table.md, Modes).

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
        chosen += _first(
            [compiled for compiled in ordered if compiled.rule.action == kind], kind, (diag, attributes), faults
        )
    reducing = [compiled for compiled in ordered if compiled.rule.action == ActionKind.REDUCE_INPUT_PER_JOB]
    fitting = sorted(_holding(reducing, (diag, attributes), faults), key=_reduces)
    chosen += _with_shadow([_chosen(compiled, None) for compiled in fitting])
    limiting = [compiled for compiled in ordered if compiled.rule.action in LIMITING]
    chosen += _limit(list(_holding(limiting, (diag, attributes), faults)), faults)
    return Choice(chosen=tuple(chosen), faults=tuple(faults))


_Asked = tuple[str | None, Attributes]


def _first(rules: Sequence[CompiledRule], kind: ActionKind, asked: _Asked, faults: list[RuleFault]) -> Iterator[Chosen]:
    """The first active rule; before it the narrowest inactive one, if that is narrower or comes first."""
    before: list[CompiledRule] = []
    active = None
    for compiled in _holding(rules, asked, faults):
        if compiled.active:
            active = compiled
            break
        before.append(compiled)
    after = (
        []
        if active is None
        else [compiled for compiled in rules[rules.index(active) + 1 :] if _shadows(compiled, active)]
    )
    trials = [*before, *_holding(after, asked, faults)]
    shadow = max(trials, key=lambda trial: trial.rule.weight, default=None)
    for chosen in (shadow, active):
        if chosen is not None:
            yield Chosen(rule=chosen.rule, kind=kind, active=chosen.active)


def _shadows(compiled: CompiledRule, active: CompiledRule) -> bool:
    """Whether an inactive rule is narrower than an active one."""
    return not compiled.active and compiled.rule.weight > active.rule.weight


def _holding(rules: Sequence[CompiledRule], asked: _Asked, faults: list[RuleFault]) -> Iterator[CompiledRule]:
    for compiled in rules:
        holds, fault = compiled.holds(*asked)
        if fault is not None:
            faults.append(fault)
        if holds:
            yield compiled


def _limit(rules: Sequence[CompiledRule], faults: list[RuleFault]) -> list[Chosen]:
    """The narrowest limit, in a tie the lowest; ``no_retry`` is lower than any. A rule without a limit is a fault."""
    good = [_chosen(compiled, limit_of(compiled.rule)) for compiled in rules if _says_its_limit(compiled.rule)]
    best = _with_shadow(sorted(good, key=_limits))
    narrowest = max((chosen.rule.weight for chosen in best if chosen.active), default=0)
    faults += [
        RuleFault.WITHOUT_LIMIT
        for compiled in rules
        if not _says_its_limit(compiled.rule) and compiled.rule.weight >= narrowest
    ]
    return best


def _says_its_limit(rule: ErrorRule) -> bool:
    return rule.action == ActionKind.NO_RETRY or limit_of(rule) is not None


def _with_shadow(best_first: Sequence[Chosen]) -> list[Chosen]:
    """The best active rule; before it the best of all, if that is inactive."""
    active = [chosen for chosen in best_first if chosen.active][:1]
    return [*(chosen for chosen in best_first[:1] if not chosen.active), *active]


def _chosen(compiled: CompiledRule, limit: int | None) -> Chosen:
    kind = ActionKind(compiled.rule.action)
    return Chosen(
        rule=compiled.rule, kind=kind, active=compiled.active, limit=limit if kind is ActionKind.LIMIT_RETRY else None
    )


def _limits(chosen: Chosen) -> tuple[int, int]:
    return -chosen.rule.weight, -1 if chosen.limit is None else chosen.limit


def _reduces(compiled: CompiledRule) -> tuple[int, tuple[int, ...]]:
    given = split(compiled.rule.parameters)
    try:
        steps: tuple[int, ...] = steps_of(given.get(STEPS))
    except ValueError:
        steps = ()
    return -compiled.rule.weight, (0, *steps, len(given.get(EXCLUDED_RULES, ""))) if steps else (1,)


def _stable(compiled: CompiledRule) -> tuple[int, str]:
    return compiled.rule.identity, repr(compiled.rule)
