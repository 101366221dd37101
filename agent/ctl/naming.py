"""Finds what an identifier on the command line means, and shortens ids in tables so that they can be typed again."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Final

from agent.console.columns import Column, line, widened
from agent.console.exits import NotFoundError
from agent.console.program_paths import ProgramPaths
from agent.console.terminal import visible
from agent.core.failure_text.times import relative
from agent.store.records.port import SHORTEST, Ambiguous, Candidate, Found, NotFound, Records

SHORT: Final = 8
"""Characters of an id in a table, from its end; more if they are the end of another id too."""

_INDENT: Final = 2
_POD: Final = re.compile(r"(?:(?P<namespace>[a-z0-9-]+)/)?(?P<name>[a-z0-9][a-z0-9.-]*)")


def find_one(records: Records, identifier: str, *, now: datetime, advice: str = "") -> Found:
    """The one job or run with this name. Raises NotFoundError, which lists some matches if there are several.

    ``advice`` is where else to ask if there is none.
    """
    found, shown = records.named(identifier), visible(identifier)
    if isinstance(found, Found):
        return found
    if isinstance(found, NotFound):
        raise NotFoundError("\n".join(filter(None, (_unknown(found, shown), advice))))
    problems = [_problem(candidate) for candidate in found.candidates]
    raise NotFoundError(_several(found, shown, records, now=now), problems=problems)


def short_names(records: Records, ids: Collection[str]) -> Mapping[str, str]:
    """For each id its shortest end that names nothing else, for a table."""
    return records.shortest_names(ids, ends=_ends)


def candidate_lines(records: Records, candidates: Sequence[Candidate], *, now: datetime) -> Iterator[str]:
    """A heading and a line for each: what it is, when it was active, its state and its category."""
    names = short_names(records, [candidate.id for candidate in candidates])
    rows = [
        (
            candidate.kind.value,
            names[candidate.id],
            relative(min(candidate.at, now), now),
            candidate.state or "-",
            candidate.category or "-",
        )
        for candidate in candidates
    ]
    headings = [Column(heading=text) for text in ("KIND", "ID", "LAST", "STATE", "CATEGORY")]
    shown = widened(headings, rows)
    yield line([column.heading for column in shown], shown, indent=_INDENT)
    yield from (line(row, shown, indent=_INDENT) for row in rows)


def _unknown(found: NotFound, shown: str) -> str:
    said = f"the store has no job, no run and no pod {shown}"
    return f"{said}; give {SHORTEST} characters of an id or more" if found.too_short else said


def in_cluster(identifier: str) -> str:
    """How to ask about a pod that the store does not know yet; empty if no pod can have this name."""
    pod = _POD.fullmatch(identifier)
    if pod is None:
        return ""
    namespace = "" if pod["namespace"] is None else f" -n {pod['namespace']}"
    command = f"{ProgramPaths.current().spell('failctl')} classify pod {pod['name']}{namespace}"
    return f"A pod that has not failed yet, or still tries to start, is only in the cluster:\n  {command}"


def _several(found: Ambiguous, shown: str, records: Records, *, now: datetime) -> str:
    count = f"{found.count:,}{' or more' if found.or_more else ''}"
    if found.count > len(found.candidates):
        count += ", of which these are some"
    return "\n".join([f"several fit {shown}: {count}", *candidate_lines(records, found.candidates, now=now)])


def _problem(candidate: Candidate) -> dict[str, object]:
    return {
        "kind": candidate.kind.value,
        "id": candidate.id,
        "jobId": candidate.job_id,
        "at": candidate.at.isoformat(),
        "state": candidate.state or None,
        "category": candidate.category or None,
    }


def _ends(whole: str) -> Iterator[str]:
    """The ends of an id that a table may show; none if the id is hardly longer than its shortest end."""
    return (whole[-size:] for size in range(SHORT, len(whole) - SHORT // 2, SHORT // 2))
