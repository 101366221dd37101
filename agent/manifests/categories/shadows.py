"""Rules that never decide, because rules that come before them match whatever they match.

Under ``order: file`` those that come before are the earlier ones. Under ``order: evidence`` a wrapper comes behind
every cause, and a rule that is for some mechanisms or for the final region only decides nothing elsewhere.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from agent.core.classify.rules import Order, Reach, Role, Rule, RuleSet
from agent.core.failure import Mechanism
from agent.documents.checked import Finder, Steps
from agent.documents.source import Fault
from agent.manifests.matchers.shadow import Covered

_Scope = tuple[frozenset[Mechanism] | None, Reach]
_EVERYWHERE: _Scope = (None, Reach.ANY)


class _Before:
    """What the rules added so far decide, by the mechanisms and the region that they are for."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._by_scope: dict[_Scope, Covered] = {}

    def cover(self, rule: Rule) -> bool:
        scope = self._scope(rule)
        return any(before.covers(rule) for wider, before in self._by_scope.items() if _includes(wider, scope))

    def add(self, rule: Rule) -> None:
        self._by_scope.setdefault(self._scope(rule), Covered()).add(rule)

    def _scope(self, rule: Rule) -> _Scope:
        return (rule.after, rule.region) if self._order is Order.EVIDENCE else _EVERYWHERE


def _includes(wider: _Scope, scope: _Scope) -> bool:
    if wider[1] is Reach.FINAL and scope[1] is not Reach.FINAL:
        return False
    if wider[0] is None or scope[0] is None:
        return wider[0] is scope[0]  # without `after` it depends on the evidence
    return scope[0] <= wider[0]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A rule, its file and its category, both by number, and its place in the category."""

    rule: Rule
    file: int
    category: int
    index: int


def _in_turn(files: Iterable[RuleSet], order: Order) -> list[_Placed]:
    """The rules of these files in the order in which they decide."""
    every = [
        _Placed(rule, file, number, index)
        for file, rules in enumerate(files)
        for number, category in enumerate(rules.categories)
        for index, rule in enumerate(category.rules)
    ]
    return sorted(every, key=lambda placed: placed.rule.role is Role.WRAPPER) if order is Order.EVIDENCE else every


def shadows(rules: RuleSet, finder: Finder, *, listed: Steps) -> Iterator[Fault]:
    """Yield a finding for each rule of one file that other rules there hide."""
    within: dict[int, _Before] = {}
    before, pending, last = _Before(rules.order), list[Rule](), -1
    for placed in _in_turn([rules], rules.order):
        if placed.category != last:
            for rule in pending:
                before.add(rule)
            pending, last = [], placed.category
        here = within.setdefault(placed.category, _Before(rules.order))
        place = (*listed, placed.category, "rules", placed.index)
        if here.cover(placed.rule):
            message = "earlier rules in this category match everything that this one matches"
            yield finder.finding("duplicate-rule", message, at=place, hint="delete it")
        elif before.cover(placed.rule):
            message = (
                "earlier categories match everything that this rule matches, so it never makes its category primary"
            )
            yield finder.finding("shadowed-rule", message, at=place, hint="move the narrower category up")
        here.add(placed.rule)
        pending.append(placed.rule)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hidden:
    """A rule that one of another file hides: the number of its file, its place there, and the number of the other."""

    file: int
    category: int
    index: int
    by: int


def hidden(files: Sequence[RuleSet], order: Order) -> Iterator[Hidden]:
    """Yield each rule and each other file with rules that hide it."""
    before = [_Before(order) for _ in files]
    for placed in _in_turn(files, order):
        for number, earlier in enumerate(before):
            if number != placed.file and earlier.cover(placed.rule):
                yield Hidden(file=placed.file, category=placed.category, index=placed.index, by=number)
        before[placed.file].add(placed.rule)
