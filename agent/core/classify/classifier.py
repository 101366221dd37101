"""Classifies a pod's evidence by the rules of a file (reference/armada-today.md 2, design 4.3)."""

from itertools import islice

from agent.core.classify.compiler import compile_program
from agent.core.classify.description import describe
from agent.core.classify.explanation import Consideration, consider
from agent.core.classify.program import NumberedRule, Program
from agent.core.classify.rules import RuleSet
from agent.core.classify.scan import Scan, bits, scan
from agent.core.classify.search import SearchFactory
from agent.core.classify.weakness import is_weak
from agent.core.evidence import Evidence
from agent.core.failure import Classification

MAX_MATCHES = 16
"""How many matching rules are described; the others are only counted."""


def compile_rules(rules: RuleSet, *, searches: SearchFactory | None = None) -> "Classifier":
    """Make a classifier of ``rules``; ``searches`` serves those that ask for the backtracking engine.

    Raises ``compiler.RulesError`` naming the rule: a pattern that does not compile, an unknown condition, patterns
    that do not fit in memory together, a backtracking rule without ``searches``.
    """
    return Classifier(compile_program(rules, searches=searches), rules)


class Classifier:
    """Compiled rules. May be used from several threads at once if its searches may."""

    __slots__ = ("_default", "_program", "_revision", "_weak")

    def __init__(self, program: Program, rules: RuleSet) -> None:
        """Made by ``compile_rules``."""
        self._program = program
        self._revision = rules.revision
        self._weak = sum(1 << number for number, one in enumerate(program.rules) if is_weak(one.rule.matcher))
        self._default = Classification(
            category=rules.default_category, subcategory=rules.default_subcategory, revision=rules.revision
        )

    @property
    def mismatches(self) -> int:
        """How often a set of patterns missed a match that a single pattern found; anything but 0 is a bug in RE2.

        One miss in ``pattern.RECHECK_EVERY`` is checked.
        """
        return sum(one.mismatches for one in self._program.sets)

    def classify(self, evidence: Evidence) -> Classification:
        """All matching categories in file order, the first one primary; without a match the file's default."""
        found = scan(self._program, evidence)
        if found.matched:
            return self._classification(found, evidence)
        if found.timed_out:
            return self._unmatched(found)
        return self._default

    def explain(self, evidence: Evidence) -> tuple[Consideration, ...]:
        """Every rule in file order, and why it did or did not match."""
        found = scan(self._program, evidence)
        return tuple(consider(self._program, number, found, evidence) for number in range(len(self._program.rules)))

    def _classification(self, found: Scan, evidence: Evidence) -> Classification:
        matched = found.matched
        # the lowest bit is the first rule in the file
        primary = self._program.rules[(matched & -matched).bit_length() - 1]
        numbers = islice(bits(matched), MAX_MATCHES)
        described = tuple([describe(self._program, number, found, evidence) for number in numbers])
        return Classification(
            category=primary.category.name,
            subcategory=primary.rule.subcategory,
            origin=primary.origin,
            hint=primary.rule.hint,
            action=primary.category.action,
            advice=primary.advice,
            matched=True,
            weak=bool(matched & -matched & self._weak),
            categories=self._categories(matched),
            matches=described,
            matches_left_out=matched.bit_count() - len(described),
            timed_out=self._timed_out(found) if found.timed_out else (),
            revision=self._revision,
        )

    def _unmatched(self, found: Scan) -> Classification:
        default = self._default
        return Classification(
            category=default.category,
            subcategory=default.subcategory,
            timed_out=self._timed_out(found),
            revision=default.revision,
        )

    def _categories(self, matched: int) -> tuple[str, ...]:
        return tuple(dict.fromkeys([self._rule(number).category.name for number in bits(matched)]))

    def _timed_out(self, found: Scan) -> tuple[str, ...]:
        unanswered = {
            atom.rule for bit in found.timed_out if (atom := self._program.atoms[bit.bit_length() - 1]) is not None
        }
        return tuple(self._rule(number).label for number in sorted(unanswered) if not found.matched >> number & 1)

    def _rule(self, number: int) -> NumberedRule:
        return self._program.rules[number]
