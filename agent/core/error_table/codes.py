"""(source, code) of a failure: a table over exit codes, signals, reasons, categories and occurrences."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import StrEnum
from typing import assert_never

from agent.core.classify.followers import deciding_containers
from agent.core.error_table.expression import DEFAULT_EXPRESSIONS, AttributeExpressions
from agent.core.error_table.given import JobError
from agent.core.error_table.worker_error import worker_error
from agent.core.exit_status import SIGNAL_BASE
from agent.core.failure import Failure, Occurrence


class CodeFrom(StrEnum):
    """What a code may be derived from, other than a literal number."""

    EXIT_CODE = "exitCode"
    HARVESTER = "harvester"


class DiagFrom(StrEnum):
    """Which text of a failure is the message that ``ErrorDiag`` is matched against.

    ``message`` is the first that exists of: termination message, stack trace, error of the pod, message of the pod.
    """

    MESSAGE = "message"
    TERMINATION_MESSAGE = "terminationMessage"
    STACK_TRACE = "stackTrace"
    POD_ERROR = "podError"
    CATEGORY = "category"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorOf:
    """One line: a failure that matches all of its ``on`` fields has this error; an omitted field matches any."""

    source: str
    code: int | CodeFrom
    diag: DiagFrom = DiagFrom.MESSAGE
    on_exit_codes: frozenset[int] | None = None
    on_signals: frozenset[int] | None = None
    on_reasons: frozenset[str] | None = None
    on_categories: frozenset[str] | None = None
    on_occurrences: frozenset[Occurrence] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ErrorCodes:
    """The lines, in order, and the codes that each source may have, with their names; ``None`` is any."""

    errors: tuple[ErrorOf, ...] = ()
    sources: Mapping[str, Mapping[int, str] | None] = field(default_factory=dict)
    attributes: AttributeExpressions = DEFAULT_EXPRESSIONS

    def emits(self, source: str, code: int) -> bool:
        """Whether a failure can ever have this error."""
        known = self.sources.get(source, {})
        return known is None or code in known


def errors_of(failure: Failure, lines: Sequence[ErrorOf]) -> tuple[JobError, ...]:
    """The errors of a failure: for each source the first line that matches the failure, in order of the lines."""
    found: dict[str, JobError] = {}
    for line in lines:
        if line.source not in found and (error := _error(line, failure)) is not None:
            found[line.source] = error
    return tuple(found.values())


def _error(line: ErrorOf, failure: Failure) -> JobError | None:
    if not _is_so(line, failure):
        return None
    if isinstance(line.code, int):
        return JobError(source=line.source, code=line.code, diag=_diag(line.diag, failure))
    match line.code:
        case CodeFrom.EXIT_CODE:
            code = failure.exit_code
            return JobError(source=line.source, code=code, diag=_diag(line.diag, failure)) if code else None
        case CodeFrom.HARVESTER:
            worker = worker_error(failure.pod, None, job_name="")
            return JobError(source=line.source, code=worker.code, diag=worker.diag) if worker.code else None
        case _:
            assert_never(line.code)


def _is_so(line: ErrorOf, failure: Failure) -> bool:
    asked: tuple[tuple[AbstractSet[object] | None, set[object]], ...] = (
        (line.on_exit_codes, {failure.exit_code}),
        (line.on_signals, set(_signals(failure))),
        (line.on_reasons, set(_reasons(failure))),
        (line.on_categories, set(_categories(failure))),
        (line.on_occurrences, {failure.occurrence}),
    )
    return all(wanted is None or not wanted.isdisjoint(there) for wanted, there in asked)


def _signals(failure: Failure) -> Iterator[int]:
    if failure.signal is not None:
        yield failure.signal
    elif failure.exit_code is not None and failure.exit_code > SIGNAL_BASE:
        yield failure.exit_code - SIGNAL_BASE


def _reasons(failure: Failure) -> Iterator[str]:
    """The reasons of the pod, of its containers' states, and of conditions that hold."""
    yield failure.pod.reason
    yield failure.termination_reason
    for container in deciding_containers(failure):
        yield container.state.reason
        if container.ended is not None:
            yield container.ended.reason
    for condition in failure.pod.conditions:
        if condition.status == "True":
            yield from (condition.type, condition.reason)


def _categories(failure: Failure) -> Iterator[str]:
    found = failure.classification
    yield from found.categories or (found.category,)
    yield found.category


def _diag(wanted: DiagFrom, failure: Failure) -> str:
    trace = failure.stack_trace.key_line if failure.stack_trace is not None else ""
    match wanted:
        case DiagFrom.MESSAGE:
            return failure.termination_message or trace or failure.pod_error or failure.pod.message
        case DiagFrom.TERMINATION_MESSAGE:
            return failure.termination_message
        case DiagFrom.STACK_TRACE:
            return trace
        case DiagFrom.POD_ERROR:
            return failure.pod_error or failure.pod.message
        case DiagFrom.CATEGORY:
            return failure.classification.category
        case DiagFrom.NONE:
            return ""
        case _:
            assert_never(wanted)
