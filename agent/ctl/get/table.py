"""Records as lines in columns that fit the terminal. Their texts come from pods, so all of them are made visible."""

import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from agent.console.columns import Column, line, widened
from agent.core.failure import Detail
from agent.core.failure_text.fault import short_fault
from agent.core.failure_text.times import age

_GAPS: Final = (2, 1)
_NONE: Final = timedelta(0)


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """What the texts of a table depend on: the time, and how ids are shortened."""

    now: datetime
    short: Callable[[str], str]


Text = Callable[[Any, View], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """A column of a table. ``goes`` is the order in which narrow terminals hide it; 0 is never hidden."""

    heading: str
    text: Text
    goes: int = 0
    right: bool = False


def table(records: Sequence[Any], fields: Sequence[Field], *, view: View, columns: int | None) -> Iterator[str]:
    """A heading and a line for each record; ``columns`` is the terminal's width, ``None`` without a terminal."""
    texts = [[field.text(record, view) or "-" for field in fields] for record in records]
    kept, gap = _fitting(fields, texts, columns)
    shown = widened([Column(heading=fields[at].heading, right=fields[at].right) for at in kept], _only(texts, kept))
    yield line([column.heading for column in shown], shown, gap=gap)
    yield from (line(row, shown, gap=gap) for row in _only(texts, kept))


def _fitting(fields: Sequence[Field], texts: Sequence[Sequence[str]], columns: int | None) -> tuple[list[int], int]:
    """The columns that are kept, and the spaces between them: fewer spaces before fewer columns."""
    shown = widened([Column(heading=field.heading) for field in fields], texts)
    kept = list(range(len(fields)))
    while True:
        for gap in _GAPS:
            if columns is None or sum(shown[at].width for at in kept) + gap * (len(kept) - 1) <= columns:
                return kept, gap
        leaving = max(kept, key=lambda at: fields[at].goes)
        if fields[leaving].goes == 0:
            return kept, _GAPS[-1]
        kept.remove(leaving)


def _only(texts: Sequence[Sequence[str]], kept: Sequence[int]) -> list[list[str]]:
    return [[row[at] for at in kept] for row in texts]


def _plain(name: str) -> Text:
    return lambda record, _: _shown(getattr(record, name))


def _shown(value: object) -> str:
    return "" if value is None else str(value)


def _id(name: str) -> Text:
    return lambda record, view: view.short(getattr(record, name))


def _attempt(record: Any, _: View) -> str:  # noqa: ANN401 - as _category
    """From 1, as ``explain`` counts; events count from 0."""
    return "" if record.attempt is None else str(record.attempt + 1)


def _ago(name: str) -> Text:
    return lambda record, view: age(max(view.now - getattr(record, name), _NONE))


def _category(record: Any, _: View) -> str:  # noqa: ANN401 - records of several kinds have one
    return "/".join(part for part in (record.category, record.subcategory) if part)


def _fault(record: Any, _: View) -> str:  # noqa: ANN401 - as above
    return "" if record.origin is None else short_fault(record.origin)


def _pod(record: Any, _: View) -> str:  # noqa: ANN401 - as above
    return f"{record.namespace}/{record.pod_name}"


def _details(record: Any, _: View) -> str:  # noqa: ANN401 - as above
    return details_text(record.detail)


def details_text(details: Iterable[Detail]) -> str:
    """Details as ``--detail`` takes them, quoted for a shell: a value cannot pass for another detail."""
    return " ".join(shlex.quote(f"{detail.key}={detail.value}") for detail in details)


JOBS: Final = (
    Field(heading="JOB", text=_id("job_id")),
    Field(heading="STATE", text=_plain("state")),
    Field(heading="CATEGORY", text=_category),
    Field(heading="FAULT", text=_fault),
    Field(heading="GRADE", text=_plain("grade"), goes=3),
    Field(heading="EXIT", text=_plain("exit_code"), goes=2, right=True),
    Field(heading="DECISION", text=_plain("action")),
    Field(heading="RUNS", text=_plain("runs"), goes=4, right=True),
    Field(heading="QUEUE", text=_plain("queue"), goes=5),
    Field(heading="LAST", text=_ago("last_at"), goes=1, right=True),
)
RUNS: Final = (
    Field(heading="RUN", text=_id("run_id")),
    Field(heading="JOB", text=_id("job_id"), goes=2),
    Field(heading="PHASE", text=_plain("phase")),
    Field(heading="ATTEMPT", text=_attempt, goes=4, right=True),
    Field(heading="QUEUE", text=_plain("queue"), goes=5),
    Field(heading="CLUSTER", text=_plain("cluster"), goes=6),
    Field(heading="NODE", text=_plain("node"), goes=3),
    Field(heading="POD", text=_pod, goes=7),
    Field(heading="FIRST", text=_ago("first_occurred_at"), goes=1, right=True),
)
FAILURES: Final = (
    Field(heading="JOB", text=_id("job_id")),
    Field(heading="CATEGORY", text=_category),
    Field(heading="FAULT", text=_fault),
    Field(heading="GRADE", text=_plain("grade"), goes=3),
    Field(heading="EXIT", text=_plain("exit_code"), goes=2, right=True),
    Field(heading="OCCURRENCE", text=_plain("occurrence"), goes=5),
    Field(heading="CONTAINER", text=_plain("container"), goes=6),
    Field(heading="NODE", text=_plain("node"), goes=4),
    Field(heading="QUEUE", text=_plain("queue"), goes=7),
    Field(heading="AGO", text=_ago("occurred_at"), goes=1, right=True),
)
VERDICTS: Final = (
    Field(heading="JOB", text=_id("job_id")),
    Field(heading="DECISION", text=_plain("action")),
    Field(heading="REASON", text=_plain("reason"), goes=3),
    Field(heading="CATEGORY", text=_category),
    Field(heading="FAULT", text=_fault),
    Field(heading="GRADE", text=_plain("grade"), goes=2),
    Field(heading="POLICY", text=_plain("policy"), goes=4),
    Field(heading="NODE", text=_plain("node"), goes=5),
    Field(heading="QUEUE", text=_plain("queue"), goes=6),
    Field(heading="AGO", text=_ago("occurred_at"), goes=1, right=True),
)

WIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "jobs": ("client_id", "job_set", "cluster", "namespace", "container", "latest_run"),
    "runs": ("job_set",),
    "failures": ("run_id", "job_set", "cluster", "namespace", "pod_name", "detail", "fingerprint", "key_line"),
    "verdicts": ("run_id", "job_set", "cluster", "namespace", "exit_code", "not_before"),
}
"""The additional columns of a wide table."""


def wide(fields: Sequence[Field], kind: str) -> tuple[Field, ...]:
    """The columns of a wide table."""
    more = (
        Field(heading=name.replace("_", "-").upper(), text=_details if name == "detail" else _plain(name))
        for name in WIDE[kind]
    )
    return (*fields, *more)
