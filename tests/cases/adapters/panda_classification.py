"""PanDA's cases of its error classification."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.core.error_table.classification import SOURCES, Classified, classify
from agent.core.error_table.given import NULL, JobError
from agent.core.error_table.row import ACTIVE, ClassificationRow, ReadingMode
from tests.cases.adapters.panda_patterns import SEARCHES

Words = Mapping[str, Any]


def tell(given: Words, mode: ReadingMode) -> Words:
    """The row that decided, and what follows. A query that fails gives no rows."""
    said = classified(given.get("rules"), job_errors(given.get("job") or {}), mode)
    row = said.row
    logged = [] if row is None or row.error_class != "system" else [_line(row)]
    return {
        "matched_rule": None if row is None else row.identity,
        "error_class": None if row is None else row.error_class,
        "active": None if row is None else row.active == ACTIVE,
        "effects": [{"call": "increase_max_failure"}] if said.credits else [],
        "action_log": logged,
        "error_log": [fault.value for fault in said.faults],
    }


def classified(rows: Sequence[Words] | None, errors: Sequence[JobError], mode: ReadingMode) -> Classified:
    """What the classification says of these errors."""
    return classify([row_of(row) for row in rows or ()], errors, mode=mode, searches=SEARCHES)


def row_of(row: Words) -> ClassificationRow:
    """A row of a case."""
    return ClassificationRow(
        identity=row["id"],
        source=row["error_source"],
        code=row["error_code"],
        diag=row["error_diag"] or "",
        error_class=row["error_class"],
        active=row["active"],
    )


def job_errors(job: Words) -> list[JobError]:
    """The job's errors in PanDA's order; a message that is not there reads as the text NULL."""
    found = []
    for source in SOURCES:
        code, diag = job.get(f"{source}Code"), job.get(f"{source}Diag")
        if code:
            found.append(JobError(source=f"{source}Code", code=code, diag=NULL if diag is None else diag))
    return found


def _line(row: ClassificationRow) -> Words:
    return {
        "action": "increase_max_failure",
        "active": row.active == ACTIVE,
        "error_id": row.identity,
        "error_source": row.source,
        "error_code": row.code,
    }
