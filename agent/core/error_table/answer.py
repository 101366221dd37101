"""The result of the error table for one failure of ours: limits, and what the next run gets."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from agent.core.classify.search import SearchFactory
from agent.core.error_table.classification import classify
from agent.core.error_table.codes import ErrorCodes
from agent.core.error_table.compiled import CompiledTable
from agent.core.error_table.cpu_time import FACTOR
from agent.core.error_table.engine import CpuTimeAnswer, TableOutcome, ask
from agent.core.error_table.given import Attributes, JobError
from agent.core.error_table.memory import UPSTREAM, Ladder
from agent.core.error_table.outcome import Effect, Stage
from agent.core.error_table.row import ACTIVE, ActionKind, ErrorRule, ReadingMode
from agent.core.history import MostRuns
from agent.core.limit import Limit, Reason

_NOT_OURS = frozenset({ActionKind.REDUCE_INPUT_PER_JOB})
"""Actions that do not apply to our jobs, which have no input files to reduce."""

_MEMORY = (ActionKind.INCREASE_MEMORY, ActionKind.INCREASE_MEMORY_XTIMES)


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorRules:
    """The table and its mode. ``xtimes`` is the factor of ``increase_memory_xtimes``, since our jobs set none.

    ``searches`` runs the patterns of classification rows that RE2 cannot run.
    """

    table: CompiledTable
    codes: ErrorCodes
    mode: ReadingMode = ReadingMode.STRICT
    ladder: Ladder = UPSTREAM
    xtimes: float = 2.0
    searches: SearchFactory | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoreMemory:
    """More memory for the container that ran out: the next step of the ladder, or a multiple of what it had."""

    rule: str
    ladder: Ladder | None = None
    factor: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableAnswer:
    """The result of the table. Every effect names its rule.

    ``limits`` were checked and allow or forbid; ``most_runs`` is the lowest limit that applies from now on;
    ``time_factor`` says how much longer the next run may take. ``notes`` describe what inactive rules would have done,
    what does not apply to our jobs, and problems with rules. ``error_rules`` is the table for the next failure.
    """

    limits: tuple[Limit, ...] = ()
    most_runs: MostRuns | None = None
    memory: tuple[MoreMemory, ...] = ()
    time_factor: float | None = None
    notes: tuple[str, ...] = ()
    error_rules: ErrorRules | None = None


NO_ANSWER = TableAnswer()
"""The result without a table."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TableQuery:
    """The query: the errors of a failure, the attributes of the job, and its number of runs, including this one.

    ``most_runs`` is the lowest limit that rules have set so far; limits are only ever lowered.
    """

    errors: Sequence[JobError]
    attributes: Attributes
    runs: int
    most_runs: MostRuns | None = None


def ask_table(error_rules: ErrorRules, asked: TableQuery, *, now: datetime) -> TableAnswer:
    """Apply the table to one failure of ours."""
    said = ask(
        error_rules.table,
        asked.errors,
        attributes=asked.attributes,
        now=now,
        mode=error_rules.mode,
        cpu_time=CpuTimeAnswer.SET,
        without=_NOT_OURS,
    )
    holding = [_most_runs(effect, asked.runs) for effect in said.effects if _limits(effect)]
    known = asked.most_runs
    if known is not None and not any(limit.source == known.source and limit.runs <= known.runs for limit in holding):
        holding.insert(0, known)
    return TableAnswer(
        limits=tuple(_limit(limit, asked.runs) for limit in holding),
        most_runs=min(holding, key=lambda limit: limit.runs, default=None),
        memory=tuple(_memory(effect, error_rules) for effect in said.effects if effect.action in _MEMORY),
        time_factor=FACTOR if any(effect.action is ActionKind.INCREASE_CPUTIME for effect in said.effects) else None,
        notes=tuple(_notes(said, error_rules, asked)),
        error_rules=replace(error_rules, table=said.table),
    )


def rule_words(rule: ErrorRule) -> str:
    """The name of a rule in explanations."""
    return f"error rule {rule.identity} ({rule.action})"


def _limits(effect: Effect) -> bool:
    return effect.action in (ActionKind.NO_RETRY, ActionKind.LIMIT_RETRY)


def _most_runs(effect: Effect, runs: int) -> MostRuns:
    """``no_retry`` allows only the runs that were made."""
    return MostRuns(runs=runs if effect.limit is None else effect.limit, source=rule_words(effect.rule))


def _limit(most: MostRuns, runs: int) -> Limit:
    return Limit("runs made", runs, most.runs, most.source, Reason.ERROR_TABLE, runs < most.runs)


def _memory(effect: Effect, error_rules: ErrorRules) -> MoreMemory:
    words = rule_words(effect.rule)
    if effect.action is ActionKind.INCREASE_MEMORY:
        return MoreMemory(rule=words, ladder=error_rules.ladder)
    return MoreMemory(rule=words, factor=error_rules.xtimes)


def _notes(said: TableOutcome, error_rules: ErrorRules, asked: TableQuery) -> Iterator[str]:
    for logged in said.log:
        words = rule_words(logged.rule)
        if not logged.active:
            limit = "" if logged.limit is None else f" to {logged.limit} runs in all"
            yield f"{words} would have acted{limit}, but is not active"
        elif logged.action is ActionKind.REDUCE_INPUT_PER_JOB:
            yield f"{words} is not applicable: our jobs have no input files to cut"
        elif logged.stage is Stage.FROM_FAILED_JOB:
            yield f"{words}: the next run may take {FACTOR:g} times as long"
    for fault in said.faults:
        yield f"error table: {fault}"
    if said.raised is not None:
        yield f"error table: PanDA raises {said.raised} here and asks no further rules"
    rows = error_rules.table.table.classification
    found = classify(rows, asked.errors, mode=error_rules.mode, searches=error_rules.searches)
    for row in (found.would_have, found.row):
        if row is not None:
            active = row.active == ACTIVE
            text = f"{row.error_class} (row {row.identity})"
            yield f"error class: {text}" if active else f"error class: would be {text} if that row were active"
