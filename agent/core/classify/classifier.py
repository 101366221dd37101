"""Classifies a pod's evidence by the rules of a file.

Under ``order: file`` it does what armadaproject/armada internal/executor/categorizer does; ``order: evidence`` is ours.
"""

import dataclasses
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from agent.core.classify.compiler import compile_program
from agent.core.classify.description import describe
from agent.core.classify.detail import details
from agent.core.classify.explanation import Consideration, consider
from agent.core.classify.followers import deciding_part, may_change
from agent.core.classify.grouping import SignalMasks
from agent.core.classify.pattern import AT_ONCE, WHEN_SEARCHED
from agent.core.classify.program import NumberedRule, Program
from agent.core.classify.rules import Order, RuleSet, is_weak
from agent.core.classify.scan import Scan, bits, scan
from agent.core.classify.search import SearchFactory
from agent.core.classify.unasked import Primary, Unasked
from agent.core.classify.weighing import refused_as_followers, weigh
from agent.core.evidence import Evidence
from agent.core.failure import Classification, Grade, Hypothesis

MAX_MATCHES = 16
"""How many matching rules are described; the others are only counted."""


def compile_rules(rules: RuleSet, *, searches: SearchFactory | None = None) -> "Classifier":
    """Make a classifier of ``rules``; ``searches`` serves those that ask for the backtracking engine.

    Raises ``compiler.RulesError`` naming the rule: a pattern that does not compile, an unknown condition, patterns
    that do not fit in memory together, a backtracking rule without ``searches``.
    """
    return Classifier(compile_program(rules, searches=searches, compiling=AT_ONCE), rules)


def compile_checked(rules: RuleSet, *, searches: SearchFactory | None = None) -> "Classifier":
    """Make a classifier of rules that ``compile_rules`` accepts, as it does those that ship.

    Patterns are compiled when the first text is searched for them: for a process that classifies one pod.
    """
    return Classifier(compile_program(rules, searches=searches, compiling=WHEN_SEARCHED), rules)


class Early(NamedTuple):
    """An answer without logs and backtracking searches; ``settled``: none of them could have given another one."""

    given: Classification
    settled: bool


class _Answer(NamedTuple):
    """An answer, and what it rests on; ``primary`` is ``None`` if no rule matched."""

    given: Classification
    primary: Primary | None
    found: Scan
    part: Evidence


class Classifier:
    """Compiled rules. May be used from several threads at once if its searches may."""

    __slots__ = ("_at_once", "_by_evidence", "_default", "_masks", "_program", "_revision", "_unasked", "_weak")

    def __init__(self, program: Program, rules: RuleSet) -> None:
        """Made by ``compile_rules``."""
        self._program = program
        self._at_once = dataclasses.replace(program, deferred=())
        self._unasked = Unasked.of(program)
        self._revision = rules.revision
        self._masks = SignalMasks.of(program)
        self._by_evidence = rules.order is Order.EVIDENCE
        self._weak = sum(1 << number for number, rule in enumerate(program.rules) if is_weak(rule.rule.matcher))
        self._default = Classification(
            category=rules.default_category, subcategory=rules.default_subcategory, revision=rules.revision
        )

    @property
    def mismatches(self) -> int:
        """How often a set of patterns missed a match that a single pattern found; anything but 0 is a bug in RE2.

        One miss in ``pattern.RECHECK_EVERY`` is checked.
        """
        return sum(patterns.mismatches for patterns in self._program.sets)

    @property
    def steps(self) -> int:
        """How many steps all patterns are compiled to: how long a search may take for each byte of a text."""
        return sum(patterns.steps for patterns in self._program.sets)

    def classify(self, evidence: Evidence) -> Classification:
        """The matching categories, the primary one first; without a match the file's default.

        Under ``order: file`` the first match in file order is primary, under ``order: evidence`` the one with the best
        evidence.
        """
        return self._answer(self._program, evidence).given

    def classify_early(self, evidence: Evidence, *, logs: Collection[str]) -> Early:
        """The answer to evidence without log tails, without a backtracking search: in a time that only texts decide.

        ``logs`` are the containers whose logs will be read for the answer of ``classify``.
        """
        answer = self._answer(self._at_once, evidence)
        if answer.primary is None or (self._by_evidence and may_change(evidence.pod.containers, logs)):
            return Early(answer.given, settled=False)
        overturned = self._unasked.may_overturn(answer.primary, answer.found, answer.part, logs=logs)
        return Early(answer.given, settled=not overturned)

    def explain(self, evidence: Evidence) -> tuple[Consideration, ...]:
        """Every rule in file order, and why it did or did not match, or was refused."""
        if not self._by_evidence:
            found = scan(self._program, evidence)
            return tuple([consider(self._program, number, found, evidence) for number in self._numbers()])
        return tuple(self._considered(evidence))

    def _classification(self, found: Scan, evidence: Evidence, numbers: Sequence[int], *, weak: bool) -> Classification:
        """The result for the rules with these numbers, the primary one first."""
        primary = self._rule(numbers[0])
        described = tuple([describe(self._program, number, found, evidence) for number in numbers[:MAX_MATCHES]])
        return Classification(
            category=primary.category.name,
            subcategory=primary.rule.subcategory,
            origin=primary.origin,
            hint=primary.rule.hint,
            action=primary.category.action,
            advice=primary.advice,
            matched=True,
            weak=weak,
            categories=self._categories(numbers),
            matches=described,
            matches_left_out=len(numbers) - len(described),
            timed_out=self._timed_out(found) if found.timed_out else (),
            revision=self._revision,
            detail=details(self._program, numbers[0], found, evidence) if self._program.named else (),
        )

    def _answer(self, program: Program, evidence: Evidence) -> _Answer:
        if self._by_evidence:
            return self._weighed(program, evidence)
        found = scan(program, evidence)
        numbers = tuple(bits(found.matched))
        if not numbers:
            return _Answer(self._unmatched(found), None, found, evidence)
        given = self._classification(found, evidence, numbers, weak=bool(self._weak >> numbers[0] & 1))
        return _Answer(given, Primary(number=numbers[0]), found, evidence)

    def _weighed(self, program: Program, evidence: Evidence) -> _Answer:
        part, followers = deciding_part(evidence)
        result = weigh(program, self._masks, scan(program, part), part)
        found, known = result.found, result.known
        given = (
            self._classification(found, part, result.candidates, weak=known.weak)
            if result.candidates
            else self._unmatched(found)
        )
        refused = self._hypotheses(result.refused, found, part)
        left_out = len(result.refused)
        if followers:
            every = scan(program, evidence)
            more = refused_as_followers(program, followers, every=every, deciding=found)
            refused += self._hypotheses(more, every, evidence)
            left_out += len(more)
        given = replace(
            given,
            mechanism=result.mechanism,
            corroborated=known.corroborated,
            grade=known.grade,
            proof=self._rule(result.candidates[0]).rule.proof if known.grade is Grade.PROVEN else None,
            hypotheses=tuple(refused[:MAX_MATCHES]),
            hypotheses_left_out=max(left_out - MAX_MATCHES, 0),
        )
        numbers, group = result.candidates, result.group
        primary = Primary(number=numbers[0], group=group, ended=result.mechanism) if numbers else None
        return _Answer(given, primary, found, part)

    def _considered(self, evidence: Evidence) -> Iterator[Consideration]:
        """Every rule under ``order: evidence``; one that only a follower matches is shown where it matches."""
        part, followers = deciding_part(evidence)
        result = weigh(self._program, self._masks, scan(self._program, part), part)
        every = scan(self._program, evidence) if followers else result.found
        more = refused_as_followers(self._program, followers, every=every, deciding=result.found)
        for number in self._numbers():
            if number in more:
                yield consider(self._program, number, every, evidence, refused=more[number])
            else:
                refused = result.refused.get(number, "")
                yield consider(self._program, number, result.found, part, refused=refused)

    def _hypotheses(self, refused: Mapping[int, str], found: Scan, evidence: Evidence) -> list[Hypothesis]:
        return [
            Hypothesis(match=describe(self._program, number, found, evidence), refused=why)
            for number, why in list(refused.items())[:MAX_MATCHES]
        ]

    def _numbers(self) -> range:
        return range(len(self._program.rules))

    def _unmatched(self, found: Scan) -> Classification:
        return replace(self._default, timed_out=self._timed_out(found)) if found.timed_out else self._default

    def _categories(self, numbers: Sequence[int]) -> tuple[str, ...]:
        return tuple(dict.fromkeys([self._rule(number).category.name for number in numbers]))

    def _timed_out(self, found: Scan) -> tuple[str, ...]:
        unanswered = {
            atom.rule for bit in found.timed_out if (atom := self._program.atoms[bit.bit_length() - 1]) is not None
        }
        return tuple(self._rule(number).label for number in sorted(unanswered) if not found.matched >> number & 1)

    def _rule(self, number: int) -> NumberedRule:
        return self._program.rules[number]
