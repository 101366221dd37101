"""Applies the error table to the errors of one failure.

Source: PanDAWMS/panda-server pandaserver/taskbuffer/retryModule.py.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum, auto

from agent.core.error_table import compatible, strict
from agent.core.error_table.compiled import CompiledTable
from agent.core.error_table.given import NULL, Attributes, JobError, read_code
from agent.core.error_table.outcome import Choice, Chosen, Effect, Logged, RuleFault, Stage
from agent.core.error_table.row import ActionKind, ReadingMode


class CpuTimeAnswer(Enum):
    """The result of setting a task's CPU time from its failed job, which the caller computes (``cpu_time``)."""

    SET = auto()
    NOTHING = auto()
    RAISED = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOutcome:
    """The result of the table. ``raised`` names the exception that upstream does not catch.

    ``table`` is the one to use next: compatible mode lowers limits in it permanently.
    """

    effects: tuple[Effect, ...]
    log: tuple[Logged, ...]
    faults: tuple[RuleFault, ...]
    table: CompiledTable
    raised: str | None = None


def ask(
    table: CompiledTable,
    errors: Sequence[JobError],
    *,
    attributes: Attributes,
    now: datetime,
    mode: ReadingMode = ReadingMode.STRICT,
    cpu_time: CpuTimeAnswer = CpuTimeAnswer.NOTHING,
    without: AbstractSet[ActionKind] = frozenset(),
) -> TableOutcome:
    """Evaluate the errors in turn, until rules have acted on one.

    ``without`` are actions that the caller does not support: they are logged and have no effect, and in strict mode
    they do not count as an action.
    """
    asking = _Asking(table, attributes, now, mode, cpu_time, without)
    if not table.is_empty(now):
        for error in errors:
            if asking.acted or asking.raised is not None:
                break
            asking.about(error)
    return TableOutcome(
        effects=tuple(asking.effects),
        log=tuple(asking.log),
        faults=tuple(asking.faults),
        table=asking.table,
        raised=asking.raised,
    )


class _Asking:
    def __init__(
        self,
        table: CompiledTable,
        attributes: Attributes,
        now: datetime,
        mode: ReadingMode,
        cpu_time: CpuTimeAnswer,
        without: AbstractSet[ActionKind],
    ) -> None:
        self.table = table
        self.effects: list[Effect] = []
        self.log: list[Logged] = []
        self.faults: list[RuleFault] = []
        self.acted = False
        self.raised: str | None = None
        self._attributes = attributes
        self._now = now
        self._is_strict = mode is ReadingMode.STRICT
        self._cpu_time = cpu_time
        self._without = without

    def about(self, error: JobError) -> None:
        code = self._code(error)
        if code is None:
            return
        choice = self._choose(error, code)
        self.faults += choice.faults
        for chosen in choice.chosen:
            self._act(chosen)

    def _code(self, error: JobError) -> int | None:
        try:
            return read_code(error.code)
        except ValueError:
            if error.code != NULL:
                self.faults.append(RuleFault.CODE_NOT_INT)
        except TypeError as missing:
            if self._is_strict:
                self.faults.append(RuleFault.CODE_NOT_INT)
            else:
                self.raised = type(missing).__name__
        return None

    def _choose(self, error: JobError, code: int) -> Choice:
        rules = self.table.of(error.source, code, now=self._now)
        if self._is_strict:
            return strict.choose(rules, error.diag, self._attributes)
        said = compatible.choose(rules, error.diag, self._attributes, lowered=self.table.lowered)
        self.table = replace(self.table, lowered=said.lowered)
        return said.choice

    def _act(self, chosen: Chosen) -> None:
        if chosen.kind is ActionKind.INCREASE_CPUTIME:
            self._increase_cpu_time(chosen)
        elif chosen.kind is ActionKind.LIMIT_RETRY and chosen.limit is None:
            self.faults.append(RuleFault.WITHOUT_LIMIT)
        else:
            self._do(chosen)
            self._count_as_acted(chosen)

    def _increase_cpu_time(self, chosen: Chosen) -> None:
        """Two stages: the second where the first gave nothing."""
        if not chosen.active and self._is_strict:
            self._do(chosen, Stage.FROM_FAILED_JOB)
            return
        answer = self._cpu_time if chosen.active else CpuTimeAnswer.RAISED
        self._do(chosen, Stage.FROM_FAILED_JOB, logs=answer is not CpuTimeAnswer.RAISED)
        if answer is CpuTimeAnswer.RAISED:
            self.faults.append(RuleFault.CPU_TIME_RAISED)
        if answer is not CpuTimeAnswer.SET:
            self._do(chosen, Stage.RECALCULATION)
        if answer is not CpuTimeAnswer.SET or self._is_strict:
            self._count_as_acted(chosen)

    def _do(self, chosen: Chosen, stage: Stage | None = None, *, logs: bool = True) -> None:
        if chosen.active and chosen.kind not in self._without:
            self.effects.append(Effect(action=chosen.kind, rule=chosen.rule, limit=chosen.limit, stage=stage))
        if logs:
            self.log.append(
                Logged(action=chosen.kind, rule=chosen.rule, active=chosen.active, limit=chosen.limit, stage=stage)
            )

    def _count_as_acted(self, chosen: Chosen) -> None:
        """In strict mode, a rule that only logs or whose action is not supported has not acted."""
        has_effect = chosen.active and chosen.kind not in self._without
        self.acted = self.acted or has_effect or not self._is_strict
