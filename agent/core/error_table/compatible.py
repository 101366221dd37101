"""Which rules act on one error, as PanDA chooses them at 9cc36033, defects included.

The order of rows decides, and in a tie the lower limit is written into the table, where it stays for later jobs.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agent.core.error_table.compiled import CompiledRule
from agent.core.error_table.given import Attributes
from agent.core.error_table.outcome import Choice, Chosen, RuleFault
from agent.core.error_table.parameters import MAX_ATTEMPT, as_int, split
from agent.core.error_table.row import LIMITING, ActionKind

_FIRST_ROW_WINS = (
    ActionKind.INCREASE_MEMORY,
    ActionKind.INCREASE_MEMORY_XTIMES,
    ActionKind.INCREASE_CPUTIME,
    ActionKind.REDUCE_INPUT_PER_JOB,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """A choice, and the limits that were overwritten, by the position of their rule."""

    choice: Choice
    lowered: Mapping[int, str]


def choose(
    rules: Sequence[CompiledRule], diag: str | None, attributes: Attributes, *, lowered: Mapping[int, str]
) -> Lowered:
    """Choose the first row of each kind, and the narrowest limit; a tie keeps the first row with the lower text."""
    faults: list[RuleFault] = []
    chosen = []
    for kind in _FIRST_ROW_WINS:
        of_kind = (compiled for compiled in rules if compiled.rule.action == kind)
        first = next(_holding(of_kind, (diag, attributes), faults), None)
        if first is not None:
            chosen.append(Chosen(rule=first.rule, kind=kind, active=first.active))
    limiting = (compiled for compiled in rules if compiled.rule.action in LIMITING)
    limits = _Limits(lowered)
    best = limits.scan(_holding(limiting, (diag, attributes), faults), faults)
    if best is not None:
        kind = ActionKind(best.rule.action)
        written = limits.of(best) if kind is ActionKind.LIMIT_RETRY else None
        limit = None if written is None else as_int(written)
        chosen.append(Chosen(rule=best.rule, kind=kind, active=best.active, limit=limit))
    return Lowered(choice=Choice(chosen=tuple(chosen), faults=tuple(faults)), lowered=limits.lowered)


def _holding(
    rules: Iterator[CompiledRule], asked: tuple[str | None, Attributes], faults: list[RuleFault]
) -> Iterator[CompiledRule]:
    for compiled in rules:
        holds, fault = compiled.holds(*asked)
        if fault is not None:
            faults.append(fault)
        if holds:
            yield compiled


class _Limits:
    """The limits of rules as texts, as they are now."""

    def __init__(self, lowered: Mapping[int, str]) -> None:
        self.lowered = dict(lowered)

    def of(self, compiled: CompiledRule) -> str | None:
        return self.lowered.get(compiled.position, split(compiled.rule.parameters).get(MAX_ATTEMPT))

    def scan(self, rules: Iterator[CompiledRule], faults: list[RuleFault]) -> CompiledRule | None:
        """The narrowest; a tie with a row that has no limit ends the scan."""
        best: CompiledRule | None = None
        for compiled in rules:
            if best is None or compiled.rule.weight > best.rule.weight:
                best = compiled
            elif compiled.rule.weight == best.rule.weight:
                limits = self.of(best), self.of(compiled)
                if limits[0] is None or limits[1] is None:
                    faults.append(RuleFault.NOT_PROPERLY_DEFINED)
                    break
                # as texts, as upstream compares them: "10" is lower than "9"
                self.lowered[best.position] = min(limits[0], limits[1])
        return best
