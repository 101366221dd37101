"""Pages of lists: jobs, runs and failures."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from agent.lookout.query.columns import FAILURES, JOBS, RUNS
from agent.lookout.query.job_rows import jobs_by_id
from agent.lookout.query.job_scan import job_scan
from agent.lookout.query.question import Question
from agent.lookout.query.reader import Reading
from agent.lookout.query.run_rows import runs_by_id
from agent.lookout.query.run_scan import run_scan
from agent.lookout.query.scan import COUNTED, Scan
from agent.lookout.query.shapes import Count, Page
from agent.lookout.query.text_search import check_searchable

_Items = Callable[[Reading, Sequence[str]], list[dict[str, Any]]]

_LISTS: Final[Mapping[str, tuple[Callable[[Question, str], Scan], _Items]]] = {
    JOBS.name: (job_scan, jobs_by_id),
    RUNS.name: (run_scan, runs_by_id),
    FAILURES.name: (run_scan, runs_by_id),
}


def page(reading: Reading, question: Question) -> dict[str, Any]:
    """The page of a list that is asked for."""
    make_scan, items = _LISTS[question.of.name]
    check_searchable(reading, question.conditions)
    scan = make_scan(question, reading.dialect)
    places = scan.page(reading, limit=question.limit, after=question.after)
    shown = places[: question.limit]
    row = {
        "items": items(reading, [str(place[-1]) for place in shown]),
        "next": question.cursor(shown[-1]) if len(places) > len(shown) else None,
        "since": question.since,
        "until": question.until,
        "sort": str(question.sort),
        "count": _count(scan.count(reading)) if question.count else None,
    }
    return Page.of(row)


def _count(number: int) -> dict[str, Any]:
    more = number == COUNTED
    shown = number - more
    return Count.of({"number": shown, "more": more, "text": f"{shown:,}+" if more else f"{shown:,}"})
