"""Compiles a rule set to a ``Program`` and finds every invalid pattern."""

from collections import defaultdict
from collections.abc import Sequence
from typing import assert_never

from agent.core.classify.conditions import CONDITIONS
from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.matcher import WORDS, NumberMatcher, PodMatcher
from agent.core.classify.matchers.node_conditions import NodeCondition, NodeConditions
from agent.core.classify.matchers.output import Output
from agent.core.classify.matchers.pod_error import PodError
from agent.core.classify.matchers.pod_events import PodEvents
from agent.core.classify.matchers.registry import TEXTS, AllOf, CategoryMatcher
from agent.core.classify.matchers.termination_message import TerminationMessage
from agent.core.classify.matchers.text import AnyText, TextMatcher, backtracks
from agent.core.classify.pattern import Compiling, PatternError, PatternSet
from agent.core.classify.pod_facts import PodFact
from agent.core.classify.program import (
    Atom,
    Conjunction,
    ContainerTables,
    Deferred,
    Gate,
    NumberedRule,
    NumberTable,
    PodTables,
    Program,
)
from agent.core.classify.quoting import Errors, Messages, join
from agent.core.classify.region import MARKED
from agent.core.classify.rules import Order, Role, Rule, RuleSet
from agent.core.classify.search import SearchFactory
from agent.core.classify.signs import (
    EndedKind,
    EndedReason,
    EndedSilently,
    EventReason,
    PodConditionIs,
    PodIs,
    PodReason,
    PodReasonPrefix,
    Sign,
    WaitingReason,
)
from agent.core.classify.survived import GOES_ON
from agent.core.evidence import ContainerKind

_OTHER_TEXTS = [kind for kind in TEXTS if kind not in (TerminationMessage, PodError, PodEvents, Output)]
"""Kinds of text that have no separate table."""


class RulesError(ValueError):
    """A rule set that cannot be compiled; the text names the rule and the reason."""


def compile_program(rules: RuleSet, *, searches: SearchFactory | None, compiling: Compiling) -> Program:
    """Compile ``rules``. Raises ``RulesError``, also for backtracking rules where there are no ``searches``."""
    compiler = _Compiler(rules, searches, compiling)
    for number, entry in enumerate(compiler.rules):
        compiler.add_rule(number, entry)
    return compiler.program()


class _Compiler:
    """Collects the masks rule by rule."""

    def __init__(self, rules: RuleSet, searches: SearchFactory | None, compiling: Compiling) -> None:
        self.rules = tuple(
            NumberedRule.of(category, rule, index=index)
            for category in rules.categories
            for index, rule in enumerate(category.rules)
        )
        self._searches, self._compiling = searches, compiling
        self._by_evidence = rules.order is Order.EVIDENCE
        self._atoms: list[Atom | None] = [None] * len(self.rules)
        self._parts: list[tuple[int, ...]] = []
        self._conjunctions: dict[int, Conjunction] = {}
        self._corroborating: dict[int, int] = defaultdict(int)
        self._deferred: list[Deferred] = []
        self._numbers: dict[type[NumberMatcher], list[tuple[NumberMatcher, int]]] = defaultdict(list)
        self._texts: dict[type[AnyText], dict[str, int]] = defaultdict(lambda: defaultdict(int))
        self._by_name: dict[str, int] = defaultdict(int)
        self._anywhere = 0
        self._reasons: dict[str, int] = defaultdict(int)
        self._reason_prefixes: dict[str, int] = defaultdict(int)
        self._conditions: Gate[tuple[str, str]] = Gate()
        self._event_reasons: dict[str, int] = defaultdict(int)
        self._facts: dict[PodFact, int] = defaultdict(int)
        self._ended: dict[str, int] = defaultdict(int)
        self._ended_cleanly: dict[str, int] = defaultdict(int)
        self._ended_silently = 0
        self._kinds: dict[ContainerKind, int] = defaultdict(int)
        self._waiting: dict[str, int] = defaultdict(int)
        self._event_gate: Gate[str] = Gate()
        self._asked: list[tuple[PodMatcher, int]] = []
        self._node_conditions: Gate[tuple[str, str]] = Gate()
        self._node_patterns: dict[tuple[str, str], list[tuple[NodeCondition, int]]] = defaultdict(list)

    def add_rule(self, number: int, entry: NumberedRule) -> None:
        """Give the rule's matchers their bits."""
        rule = entry.rule
        if not isinstance(rule.matcher, AllOf):
            atom = Atom(matcher=rule.matcher, container=rule.container, rule=number)
            self._atoms[number] = atom
            self._parts.append((number,))
            self._add_atom(atom, bit=1 << number, siblings=0)
        else:
            self._conjoin(number, rule, rule.matcher.matchers)
        self._add_corroborating(number, rule)

    def _add_corroborating(self, number: int, rule: Rule) -> None:
        for matcher in rule.corroborated_by:
            atom, bit = Atom(matcher=matcher, container=None, rule=number), 1 << len(self._atoms)
            self._atoms.append(atom)
            self._corroborating[number] |= bit
            self._add_atom(atom, bit=bit, siblings=0)

    def _conjoin(self, number: int, rule: Rule, matchers: Sequence[CategoryMatcher]) -> None:
        """Give the matchers of an ``allOf`` their bits; the bit of the first one triggers the check of all.

        A backtracking matcher inside is searched only if the cheap ones match. Without matchers it never matches.
        """
        atoms = [Atom(matcher=matcher, container=rule.container, rule=number) for matcher in matchers]
        first = len(self._atoms)
        bits = {first + offset: atom for offset, atom in enumerate(atoms)}
        self._atoms += atoms
        self._parts.append(tuple(bits))
        cheap = sum(1 << bit for bit, atom in bits.items() if not backtracks(atom.matcher))
        for bit, atom in bits.items():
            self._add_atom(atom, bit=1 << bit, siblings=cheap)
        if bits:
            self._conjunctions[first] = Conjunction(rule=1 << number, required=sum(1 << bit for bit in bits))

    def _add_atom(self, atom: Atom, *, bit: int, siblings: int) -> None:
        if atom.container is None:
            self._anywhere |= bit
        else:
            self._by_name[atom.container] |= bit
        match matcher := atom.matcher:
            case NumberMatcher():
                self._numbers[type(matcher)].append((matcher, bit))
            case PodMatcher():
                self._asked.append((matcher, bit))
            case Conditions(names=names):
                for name in names:
                    self._add_condition(name, atom, bit=bit)
            case NodeConditions(any_of=any_of):
                self._add_node_conditions(any_of, bit=bit)
            case TextMatcher():
                self._add_text(matcher, atom, bit=bit, siblings=siblings)
            case _:
                assert_never(matcher)

    def _add_node_conditions(self, any_of: Sequence[NodeCondition], *, bit: int) -> None:
        for condition in any_of:
            key = condition.type, condition.status
            if condition.pattern is None:
                self._node_conditions.add(key, condition.reason, bit=bit)
            else:
                self._node_patterns[key].append((condition, bit))

    def _add_text(self, matcher: AnyText, atom: Atom, *, bit: int, siblings: int) -> None:
        if isinstance(matcher, PodEvents):
            self._event_gate.add(matcher.type, matcher.reason, bit=bit)
        label = self.rules[atom.rule].label
        try:
            if backtracks(matcher):
                self._defer(matcher, atom, bit=bit, siblings=siblings)
            else:
                self._compiling.check(matcher.pattern.text)
                for kind in matcher.kinds():
                    self._texts[kind][matcher.pattern.text] |= bit
        except PatternError as error:
            raise RulesError(f"{label}: {matcher.NAME}: {error}") from error

    def _defer(self, matcher: AnyText, atom: Atom, *, bit: int, siblings: int) -> None:
        if self._searches is None:
            raise PatternError("no backtracking engine is available")
        search = self._searches(matcher.pattern.text)
        every = atom.rule != bit.bit_length() - 1
        self._deferred.append(Deferred(bit=bit, atom=atom, matcher=matcher, search=search, needs=siblings, every=every))

    def _add_condition(self, name: str, atom: Atom, *, bit: int) -> None:
        condition = CONDITIONS.get(name)
        if condition is None:
            raise RulesError(f'{self.rules[atom.rule].label}: unknown condition "{name}"')
        for sign in (*condition.in_pod, *condition.in_container):
            self._add_sign(sign, bit=bit)

    def _add_sign(self, sign: Sign, *, bit: int) -> None:
        match sign:
            case PodReason(reason=reason):
                self._reasons[reason] |= bit
            case PodReasonPrefix(prefix=prefix):
                self._reason_prefixes[prefix] |= bit
            case PodConditionIs(type=kind, status=status, reason=reason):
                self._conditions.add((kind, status), reason, bit=bit)
            case EventReason(reason=reason):
                self._event_reasons[reason] |= bit
            case PodIs(fact=fact):
                self._facts[fact] |= bit
            case EndedReason(reason=reason, cleanly=cleanly):
                (self._ended_cleanly if cleanly else self._ended)[reason] |= bit
            case EndedKind(kind=kind):
                self._kinds[kind] |= bit
            case EndedSilently():
                self._ended_silently |= bit
            case WaitingReason(reason=reason):
                self._waiting[reason] |= bit
            case _:
                assert_never(sign)

    def program(self) -> Program:
        going_on, marked = (self._listen(GOES_ON), self._listen(MARKED)) if self._by_evidence else (0, 0)
        messages, errors = join(self._set(TerminationMessage), self._set(PodError), self._compiling)
        containers, pod = self._container_tables(messages), self._pod_tables(errors)
        every = (
            *((messages.every, messages.anchored) if messages is not None else ()),
            errors.patterns if errors is not None else None,
            pod.events,
            *(patterns for _, patterns in pod.texts),
        )
        return Program(
            rules=self.rules,
            atoms=tuple(self._atoms),
            parts=tuple(self._parts),
            containers=containers,
            pod=pod,
            deferred=tuple(self._deferred),
            conjunctions=self._conjunctions,
            triggers=sum(1 << first for first in self._conjunctions),
            wrappers=sum(1 << number for number, rule in enumerate(self.rules) if rule.rule.role is Role.WRAPPER),
            going_on=going_on,
            marked=marked,
            rule_mask=(1 << len(self.rules)) - 1,
            named={
                bit: atom.matcher.details
                for bit, atom in enumerate(self._atoms)
                if atom is not None and isinstance(atom.matcher, TextMatcher) and atom.matcher.details
            },
            corroborating=dict(self._corroborating),
            sets=tuple(patterns for patterns in every if patterns is not None),
        )

    def _listen(self, pattern: str) -> int:
        """Search each text of programs for this, too, and return its bit. Most texts lack it and need no more work."""
        bit = 1 << len(self._atoms)
        self._atoms.append(None)
        self._anywhere |= bit
        for kind, masks in self._texts.items():
            if kind.BASIS in WORDS:
                masks[pattern] |= bit
        return bit

    def _container_tables(self, messages: Messages | None) -> ContainerTables:
        return ContainerTables(
            anywhere=self._anywhere,
            by_name=dict(self._by_name),
            numbers=tuple(NumberTable.of(kind, matchers) for kind, matchers in self._numbers.items()),
            ended=dict(self._ended),
            ended_cleanly=dict(self._ended_cleanly),
            ended_silently=self._ended_silently,
            kinds=dict(self._kinds),
            waiting=dict(self._waiting),
            messages=messages,
        )

    def _pod_tables(self, errors: Errors | None) -> PodTables:
        return PodTables(
            reasons=dict(self._reasons),
            reason_prefixes=tuple(self._reason_prefixes.items()),
            conditions=self._conditions,
            event_reasons=dict(self._event_reasons),
            facts=tuple(self._facts.items()),
            asked=tuple(self._asked),
            errors=errors,
            event_gate=self._event_gate,
            events=self._set(PodEvents),
            node_conditions=self._node_conditions,
            node_patterns={key: tuple(rules) for key, rules in self._node_patterns.items()},
            texts=tuple((kind, found) for kind in _OTHER_TEXTS if (found := self._set(kind)) is not None),
        )

    def _set(self, kind: type[AnyText]) -> PatternSet | None:
        masks = self._texts.get(kind)
        try:
            return self._compiling.together(masks) if masks else None
        except PatternError as error:
            raise RulesError(f"{kind.NAME}: {error}") from error
