"""The error table, compiled: its patterns, and its rules by (source, code)."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from agent.core.classify.search import SearchFactory
from agent.core.error_table.diag import Answer, Diag, compile_diag
from agent.core.error_table.given import Attributes
from agent.core.error_table.outcome import RuleFault
from agent.core.error_table.row import ACTIVE, ErrorRule, ErrorTable


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledRule:
    """A rule, its position in the table, whether rule and action are active, and its pattern."""

    rule: ErrorRule
    position: int
    active: bool
    diag: Diag | None = None

    def holds(self, diag: str | None, attributes: Attributes) -> tuple[bool, RuleFault | None]:
        """Whether everything that the rule sets matches; the pattern is checked first, and may be invalid."""
        fault = None
        if self.diag is not None:
            answer = self.diag.ask(diag)
            fault = _FAULTS.get(answer)
            if answer is not Answer.YES:
                return False, fault
        rule = self.rule
        asked = (
            (rule.architecture, attributes.architecture),
            (rule.release, attributes.release),
            (rule.work_queue, attributes.work_queue),
        )
        return all(not wanted or wanted == given for wanted, given in asked), fault


_FAULTS = {Answer.BAD: RuleFault.BAD_REGEXP, Answer.TIMED_OUT: RuleFault.DIAG_TIMED_OUT}


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledTable:
    """The rules of a table, in its order. ``lowered`` are limits that compatible mode overwrote, by position."""

    table: ErrorTable
    rules: tuple[CompiledRule, ...]
    by_error: Mapping[tuple[str, int | str], tuple[CompiledRule, ...]]
    lowered: Mapping[int, str] = field(default_factory=dict)

    def of(self, source: str, code: int, *, now: datetime) -> tuple[CompiledRule, ...]:
        """The rules of one error that have not expired."""
        return _unexpired(self.by_error.get((source, code), ()), now)

    def is_empty(self, now: datetime) -> bool:
        """Whether no rule is left that has not expired."""
        return not _unexpired(self.rules, now)


def compile_table(table: ErrorTable, *, searches: SearchFactory | None = None) -> CompiledTable:
    """Compile a table. A rule with an action that is not in the actions table is dropped, as by upstream's join.

    ``searches`` runs the patterns that RE2 cannot run.
    """
    active = {action.name: action.active == ACTIVE for action in table.actions}
    rules = tuple(
        CompiledRule(
            rule=rule,
            position=position,
            active=rule.active == ACTIVE and active[rule.action],
            diag=compile_diag(rule.diag, searches) if rule.diag else None,
        )
        for position, rule in enumerate(table.rules)
        if rule.action in active
    )
    by_error: dict[tuple[str, int | str], list[CompiledRule]] = defaultdict(list)
    for compiled in rules:
        by_error[compiled.rule.source, compiled.rule.code].append(compiled)
    return CompiledTable(table=table, rules=rules, by_error={key: tuple(found) for key, found in by_error.items()})


def _unexpired(rules: Sequence[CompiledRule], now: datetime) -> tuple[CompiledRule, ...]:
    return tuple(compiled for compiled in rules if not compiled.rule.expired(now))
