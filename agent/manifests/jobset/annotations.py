"""The annotations for our options of a JobSet; it stays valid for JobSet (docs/jobsets.md)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypeVar

from pydantic import Field

from agent.core.jobset.choices import AS_UPSTREAM, Choices, RestartBudget
from agent.core.jobset.words import canonical
from agent.core.retry.policy import BackoffPolicy
from agent.documents.compose import read
from agent.documents.node import Mapping, MappingEntry, Node, Scalar, find, size, text_at, write_path
from agent.documents.problem import nearest_or_all, quote
from agent.documents.shape import Shape, check
from agent.documents.source import Fault
from agent.manifests.fields import Duration

PREFIX = "failure-agent.dev/jobset-"
BUDGETS = f"{PREFIX}budgets"
DELAY = f"{PREFIX}restart-delay"
LINEAGE = f"{PREFIX}lineage"
KNOWN = (BUDGETS, DELAY, LINEAGE)

_CONTINUE, _FRESH = "continue", "fresh"


class BudgetShape(Shape):
    """One budget: by action, by the replicated job whose failure was the cause, or by both."""

    limit: Annotated[int, Field(ge=0)]
    action: (
        Literal[
            "RestartJobSet",
            "RestartJobSetAndIgnoreMaxRestarts",
            "RestartJob",
            "RestartJobAndIgnoreMaxRestarts",
            "RecreateJob",
            "InPlaceRestart",
        ]
        | None
    ) = None
    replicatedJob: str | None = None


class BudgetsShape(Shape):
    """The list of the annotation, wrapped in a mapping, because a shape describes a mapping."""

    value: Annotated[list[BudgetShape], Field(min_length=1)]


class DelayShape(Shape):
    """A delay that grows with each restart."""

    initialDelay: Duration
    maxDelay: Duration | None = None
    multiplier: Annotated[float, Field(ge=1, allow_inf_nan=False)] | None = None
    jitter: Annotated[float, Field(ge=0, le=1)] | None = None


class GrowingDelayShape(Shape):
    """The mapping of the annotation, wrapped as above."""

    value: DelayShape


class SteadyDelayShape(Shape):
    """The same delay each time, as one duration."""

    value: Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class JobSetAnnotations:
    """What a JobSet's annotations choose, and what is wrong with them."""

    choices: Choices
    faults: tuple[Fault, ...]


Shaped = TypeVar("Shaped", bound=Shape)


def read_jobset_annotations(root: Node, *, replicated_jobs: Sequence[str]) -> JobSetAnnotations:
    """Read our annotations of a JobSet; those of others are left alone. Budgets may name these replicated jobs."""
    node = find(root, ("metadata", "annotations"))
    entries = {entry.key: entry for entry in (node.entries if isinstance(node, Mapping) else ())}
    faults = list(_unknown(entries.values()))
    budgets, budget_faults = _budgets(entries.get(BUDGETS), replicated_jobs)
    delay, delay_faults = _delay(entries.get(DELAY))
    faults += [*budget_faults, *delay_faults, *_lineage(entries.get(LINEAGE))]
    if faults:
        return JobSetAnnotations(choices=AS_UPSTREAM, faults=tuple(faults))
    fresh = LINEAGE in entries and text_at(entries[LINEAGE].value) == _FRESH
    return JobSetAnnotations(choices=Choices(budgets=budgets, delay=delay, fresh=fresh), faults=())


def _unknown(entries: Iterable[MappingEntry]) -> Iterator[Fault]:
    for entry in entries:
        if entry.key.startswith(PREFIX) and entry.key not in KNOWN:
            message = f"unknown annotation {quote(entry.key)}"
            hint = nearest_or_all(entry.key, KNOWN)
            yield Fault(code="unknown-annotation", span=entry.span, path=_path(entry), message=message, hint=hint)


def _lineage(entry: MappingEntry | None) -> Iterator[Fault]:
    if entry is not None and text_at(entry.value) not in (_CONTINUE, _FRESH):
        yield _at(entry, f"expected {quote(_CONTINUE)} or {quote(_FRESH)}")


def _budgets(
    entry: MappingEntry | None, replicated_jobs: Sequence[str]
) -> tuple[tuple[RestartBudget, ...], list[Fault]]:
    shape, faults = _fit(BudgetsShape, entry)
    if shape is None or entry is None:
        return (), faults
    budgets = [
        RestartBudget(
            limit=budget.limit,
            action=None if budget.action is None else canonical(budget.action),
            replicated_job=budget.replicatedJob,
        )
        for budget in shape.value
    ]
    wrong = [f"[{place}]: {message}" for place, message in _wrong(budgets, replicated_jobs)]
    return tuple(budgets), _all_at(entry, wrong)


def _wrong(budgets: Sequence[RestartBudget], replicated_jobs: Sequence[str]) -> Iterator[tuple[int, str]]:
    seen: set[tuple[str | None, str | None]] = set()
    for place, budget in enumerate(budgets):
        key = (budget.action, budget.replicated_job)
        if key == (None, None):
            yield place, "needs `action`, `replicatedJob` or both; to limit all restarts together, set `maxRestarts`"
        if budget.replicated_job is not None and budget.replicated_job not in replicated_jobs:
            yield place, f"no replicated job is called {quote(budget.replicated_job)}"
        if key in seen:
            yield place, "covers the same restarts as an earlier one"
        seen.add(key)


def _delay(entry: MappingEntry | None) -> tuple[BackoffPolicy | None, list[Fault]]:
    if entry is not None and ":" not in (text_at(entry.value) or ""):
        steady, faults = _fit(SteadyDelayShape, entry)
        return (None if steady is None else BackoffPolicy(initial=steady.value)), faults
    growing, faults = _fit(GrowingDelayShape, entry)
    if growing is None:
        return None, faults
    backoff = growing.value
    return BackoffPolicy(
        initial=backoff.initialDelay, maximum=backoff.maxDelay, multiplier=backoff.multiplier, jitter=backoff.jitter
    ), []


def _fit(shape: type[Shaped], entry: MappingEntry | None) -> tuple[Shaped | None, list[Fault]]:
    """Compare the YAML in the text of an annotation with a shape."""
    if entry is None:
        return None, []
    documents = read(text_at(entry.value) or "", file=entry.key)
    messages = [problem.message for problem in documents.problems]
    if not messages and len(documents.roots) != 1:
        messages = ["expected one value as YAML"]
    if messages:
        return None, _all_at(entry, messages)
    fit = check(shape, _under_value(documents.roots[0], entry))
    placed = [(fault.path.removeprefix("value").removeprefix("."), fault.message) for fault in fit.faults]
    wrong = [f"{path}: {message}" if path else message for path, message in placed]
    return fit.value, _all_at(entry, wrong, hint="; ".join(fault.hint for fault in fit.faults if fault.hint))


def _under_value(root: Node, entry: MappingEntry) -> Node:
    grown = 2 if isinstance(root, Scalar) else size(root) + 1
    return Mapping(entries=(MappingEntry(key="value", span=entry.span, value=root),), span=entry.span, size=grown)


def _at(entry: MappingEntry, message: str, *, hint: str = "") -> Fault:
    return Fault(code="invalid-annotation", span=entry.value.span, path=_path(entry), message=message, hint=hint)


def _all_at(entry: MappingEntry, messages: Sequence[str], *, hint: str = "") -> list[Fault]:
    """Return everything that is wrong with an annotation as one fault, because it has one position."""
    return [_at(entry, "; ".join(messages), hint=hint)] if messages else []


def _path(entry: MappingEntry) -> str:
    return write_path(("metadata", "annotations", entry.key))
