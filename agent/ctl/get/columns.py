"""The columns of lists.

Jobs of a batch system are known by their ids. What no queue has is known by its pods: their names come first, then.
"""

import shlex
from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

from agent.core.failure import Detail
from agent.core.failure_text.fault import marked_origin
from agent.core.failure_text.times import age
from agent.ctl.get.table import Field, Text, View
from agent.ctl.pod_names import qualified

_NONE: Final = timedelta(0)


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
    return "" if record.origin is None else marked_origin(record.origin, corroborated=record.corroborated)


def _pod(record: Any, _: View) -> str:  # noqa: ANN401 - as above
    return qualified(record.namespace, record.pod_name) if record.pod_name else ""


def _pod_or_job(record: Any, view: View) -> str:  # noqa: ANN401 - as above
    """A job none of whose pods was seen is known by its id."""
    return _pod(record, view) or view.short(record.job_id)


def _client_id(record: Any, view: View) -> str:  # noqa: ANN401 - as above
    return record.client_id or view.short(record.job_id)


def _details(record: Any, _: View) -> str:  # noqa: ANN401 - as above
    return details_text(record.detail)


def details_text(details: Iterable[Detail]) -> str:
    """Details as ``--detail`` takes them, quoted for a shell: a value cannot pass for another detail."""
    return " ".join(shlex.quote(f"{detail.key}={detail.value}") for detail in details)


_FIRST_POD: Final = Field(heading="POD", text=_pod_or_job, is_pod=True)
_LAST_JOB: Final = Field(heading="JOB", text=_id("job_id"), goes=9)
_GRADE: Final = Field(heading="GRADE", text=_plain("grade"), goes=3)
_EXIT: Final = Field(heading="EXIT", text=_plain("exit_code"), goes=2, right=True)
_AGO: Final = Field(heading="AGO", text=_ago("occurred_at"), goes=1, right=True)

JOBS: Final = (
    Field(heading="JOB", text=_id("job_id")),
    Field(heading="STATE", text=_plain("state")),
    Field(heading="CATEGORY", text=_category),
    Field(heading="FAULT", text=_fault),
    _GRADE,
    _EXIT,
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
    _GRADE,
    _EXIT,
    Field(heading="OCCURRENCE", text=_plain("occurrence"), goes=5),
    Field(heading="CONTAINER", text=_plain("container"), goes=6),
    Field(heading="NODE", text=_plain("node"), goes=4),
    Field(heading="QUEUE", text=_plain("queue"), goes=7),
    _AGO,
)
VERDICTS: Final = (
    Field(heading="JOB", text=_id("job_id")),
    Field(heading="DECISION", text=_plain("action")),
    Field(heading="REASON", text=_plain("reason"), goes=3),
    Field(heading="CATEGORY", text=_category),
    Field(heading="FAULT", text=_fault),
    _GRADE,
    Field(heading="POLICY", text=_plain("policy"), goes=4),
    Field(heading="NODE", text=_plain("node"), goes=5),
    Field(heading="QUEUE", text=_plain("queue"), goes=6),
    _AGO,
)
_BATCH: Final[Mapping[str, Sequence[Field]]] = {"jobs": JOBS, "runs": RUNS, "failures": FAILURES, "verdicts": VERDICTS}

_BARE: Final[Mapping[str, Sequence[Field]]] = {
    "jobs": (
        _FIRST_POD,
        Field(heading="STATE", text=_plain("state"), goes=1),
        Field(heading="CATEGORY", text=_category),
        Field(heading="FAULT", text=_fault),
        Field(heading="GRADE", text=_plain("grade"), goes=5),
        Field(heading="EXIT", text=_plain("exit_code"), goes=4, right=True),
        Field(heading="DECISION", text=_plain("action"), goes=3),
        Field(heading="RUNS", text=_plain("runs"), goes=6, right=True),
        Field(heading="NODE", text=_plain("node"), goes=7),
        Field(heading="LAST", text=_ago("last_at"), goes=2, right=True),
        _LAST_JOB,
    ),
    "runs": (
        Field(heading="POD", text=_pod, is_pod=True),
        Field(heading="PHASE", text=_plain("phase")),
        Field(heading="NODE", text=_plain("node"), goes=2),
        Field(heading="CLUSTER", text=_plain("cluster"), goes=3),
        Field(heading="FIRST", text=_ago("first_occurred_at"), goes=1, right=True),
        _LAST_JOB,
    ),
    "failures": (
        _FIRST_POD,
        *FAILURES[1:-2],
        _AGO,
        _LAST_JOB,
    ),
    "verdicts": (
        _FIRST_POD,
        Field(heading="DECISION", text=_plain("action")),
        Field(heading="CATEGORY", text=_category),
        Field(heading="FAULT", text=_fault),
        _GRADE,
        Field(heading="REASON", text=_plain("reason"), goes=4),
        Field(heading="POLICY", text=_plain("policy"), goes=5),
        Field(heading="NODE", text=_plain("node"), goes=6),
        _AGO,
        _LAST_JOB,
    ),
}
"""Without a batch system; QUEUE would be empty."""

_NAMED_JOBS: Final = (
    Field(heading="NAME", text=_client_id),
    *(Field(heading=field.heading, text=field.text, goes=field.goes or 6, right=field.right) for field in JOBS[:1]),
    *JOBS[1:],
)
"""Where jobs have client ids, which are the names that people gave them."""


def columns_of(kind: str, records: Sequence[Any]) -> Sequence[Field]:
    """The columns of these records of a kind."""
    if kind == "jobs" and any(record.client_id for record in records):
        return _NAMED_JOBS
    return _BATCH[kind] if all(record.queue for record in records) else _BARE[kind]


_WIDE: Final[Mapping[str, tuple[str, ...]]] = {
    "jobs": ("client_id", "job_set", "owner", "cluster", "namespace", "pod_name", "node", "container", "latest_run"),
    "runs": ("job_set", "owner"),
    "failures": ("run_id", "job_set", "owner", "cluster", "namespace", "pod_name", "detail", "fingerprint", "key_line"),
    "verdicts": ("run_id", "job_set", "owner", "cluster", "namespace", "pod_name", "exit_code", "not_before"),
}
"""The additional columns of a wide table."""


def wide(kind: str) -> Sequence[Field]:
    """The columns of a wide table, which are the same whatever the records are."""
    more = (
        Field(heading=name.replace("_", "-").upper(), text=_details if name == "detail" else _plain(name))
        for name in _WIDE[kind]
    )
    return (*_BATCH[kind], *more)
