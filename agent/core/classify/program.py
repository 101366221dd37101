"""A rule set compiled to bits: the tables for the scan over a pod's evidence.

Rules are numbered over the whole file, in file order, so the lowest matching bit is the primary rule. A single matcher
sets its rule's bit. The matchers inside an ``allOf`` have their own bits above those of all rules, and the rule's bit
is derived from them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from agent.core.classify.matchers.matcher import NumberMatcher, PodMatcher
from agent.core.classify.matchers.node_conditions import NodeCondition
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.text import AnyText
from agent.core.classify.pattern import PatternSet
from agent.core.classify.pod_facts import PodFact
from agent.core.classify.quoting import Errors, Messages
from agent.core.classify.rules import Category, Rule
from agent.core.classify.search import Search
from agent.core.evidence import Container, ContainerKind
from agent.core.failure import Advice, DetailKey, Origin

Key = TypeVar("Key")

NEAR = 256
"""Numbers below this, such as the exit codes of Linux, are looked up in a list."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberedRule:
    """One rule, its category, and its index there, from 0. The category provides what the rule does not set."""

    category: Category
    rule: Rule
    index: int
    origin: Origin
    advice: Advice | None

    @classmethod
    def of(cls, category: Category, rule: Rule, *, index: int) -> "NumberedRule":
        """The rule, with what its category gives."""
        return cls(
            category=category,
            rule=rule,
            index=index,
            origin=rule.origin or category.origin or Origin.UNKNOWN,
            advice=rule.advice or category.advice,
        )

    @property
    def label(self) -> str:
        """The name of the rule for people: ``cuda_error/xid rule 2``, with ``of nvidia`` in a pack."""
        subcategory = f"/{self.rule.subcategory}" if self.rule.subcategory else ""
        pack = f" of {self.category.pack}" if self.category.pack else ""
        return f"{self.category.name}{subcategory} rule {self.index}{pack}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Atom:
    """One matcher with its own bit; ``rule`` is the number of its rule, ``container`` the one it is limited to."""

    matcher: CategoryMatcher
    container: str | None
    rule: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Conjunction:
    """One ``allOf``: its rule's bit, and the bits of its matchers, which must all be set."""

    rule: int
    required: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Deferred:
    """A backtracking matcher: searched last, and only if the bits in ``needs`` are already set."""

    bit: int
    atom: Atom
    matcher: AnyText
    search: Search
    needs: int
    every: bool
    """Whether every text is searched, because in an ``allOf`` the container of the match matters."""


class Gate(Generic[Key]):
    """Masks by key, or by key and reason if a rule gives a reason."""

    __slots__ = ("_any", "_exact")

    def __init__(self) -> None:
        self._any: dict[Key, int] = {}
        self._exact: dict[tuple[Key, str], int] = {}

    def add(self, key: Key, reason: str | None, *, bit: int) -> None:
        """Add ``bit`` for this key and, if given, this reason."""
        if reason is None:
            self._any[key] = self._any.get(key, 0) | bit
        else:
            self._exact[key, reason] = self._exact.get((key, reason), 0) | bit

    def mask(self, key: Key, reason: str) -> int:
        """The bits of the key alone, and those of key and reason together."""
        return self._any.get(key, 0) | self._exact.get((key, reason), 0)

    def __bool__(self) -> bool:
        return bool(self._any or self._exact)


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberTable:
    """Masks by number, for the matchers of one kind of number; ``far`` computes those that ``near`` lacks."""

    number_of: Callable[[Container], int | None]
    near: tuple[int, ...]
    far: Callable[[int], int]

    @classmethod
    def of(cls, kind: type[NumberMatcher], matchers: Sequence[tuple[NumberMatcher, int]]) -> "NumberTable":
        """The table for these matchers, each with its bit."""

        def mask(number: int) -> int:
            return sum(bit for matcher, bit in matchers if matcher.matches(number))

        return cls(number_of=kind.number_of, near=tuple(map(mask, range(NEAR))), far=lru_cache(maxsize=NEAR)(mask))


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerTables:
    """The tables for containers. ``anywhere`` has the bits of rules without a container name."""

    anywhere: int
    by_name: Mapping[str, int]
    numbers: tuple[NumberTable, ...]
    ended: Mapping[str, int]
    ended_cleanly: Mapping[str, int]
    ended_silently: int
    kinds: Mapping[ContainerKind, int]
    waiting: Mapping[str, int]
    messages: Messages | None

    def scope(self, name: str) -> int:
        """The bits that may be set by the container of this name."""
        return self.anywhere | self.by_name.get(name, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTables:
    """The tables for the pod, its events, its node and its logs.

    ``conditions``, ``node_conditions`` and, for those with a pattern, ``node_patterns`` are keyed by type and status.
    ``asked`` has the matchers that have no table and are asked about each pod.
    ``texts`` has the patterns for all other kinds of text, by kind.
    """

    reasons: Mapping[str, int]
    reason_prefixes: tuple[tuple[str, int], ...]
    conditions: Gate[tuple[str, str]]
    event_reasons: Mapping[str, int]
    facts: tuple[tuple[PodFact, int], ...]
    asked: tuple[tuple[PodMatcher, int], ...]
    errors: Errors | None
    event_gate: Gate[str]
    events: PatternSet | None
    node_conditions: Gate[tuple[str, str]]
    node_patterns: Mapping[tuple[str, str], tuple[tuple[NodeCondition, int], ...]]
    texts: tuple[tuple[type[AnyText], PatternSet], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """A compiled rule set.

    ``atoms`` is indexed by bit number; a rule that is an ``allOf`` has ``None`` there. ``parts`` is indexed by
    rule: the bit numbers of its matchers. ``triggers`` has the bits that trigger the check of an ``allOf``, the
    keys of ``conjunctions``; ``rule_mask`` has the bits of all rules, ``wrappers`` of those with that role.
    ``going_on`` is the bit of texts with lines after which the program went on, ``marked`` of those with the start of
    a report; 0 under ``order: file``. ``corroborating`` has, by rule, the bits of the matchers that confirm it;
    ``named``, by bit, the keys of the details that the pattern gives.
    """

    rules: tuple[NumberedRule, ...]
    atoms: tuple[Atom | None, ...]
    parts: tuple[tuple[int, ...], ...]
    containers: ContainerTables
    pod: PodTables
    deferred: tuple[Deferred, ...]
    conjunctions: Mapping[int, Conjunction]
    triggers: int
    rule_mask: int
    wrappers: int
    going_on: int
    marked: int
    corroborating: Mapping[int, int]
    named: Mapping[int, tuple[DetailKey, ...]]
    sets: tuple[PatternSet, ...]
