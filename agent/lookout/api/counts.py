"""Counts: groups and facets of lists, series and tops."""

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

from fastapi import APIRouter, Request

from agent.lookout.api.backend import Given, Json, sight_of
from agent.lookout.api.parameters import Declared, of_conditions, of_groups, of_series, of_tops, of_window
from agent.lookout.query import group_counts, outcomes, retrying, series, tops
from agent.lookout.query.columns import FAILURES, LISTS, List
from agent.lookout.query.groups import read_group_question
from agent.lookout.query.parameters import Items
from agent.lookout.query.reader import Reader, Reading
from agent.lookout.query.shapes import Facets, Groups, Series, Tops
from agent.process.clock import system_time

router: Final = APIRouter(tags=["counts"])

Read = Callable[[Items, datetime], Any]
Count = Callable[[Reading, Any], dict[str, Any]]


WINDOW: Final = (
    "Without `since`, of the last 24 hours. More than a day of runs or failures is counted from the rollups where "
    "these know all columns that are asked for (category, subcategory, origin, queue, cluster), as far back as "
    "`since=beginning`; other columns reach back 7 days. The answer says which window it counted, and by what."
)


def _endpoint(read: Read, count: Count) -> Callable[[Request, Given], Json]:
    def answer(request: Request, backend: Given) -> Json:
        question = read(request.query_params.multi_items(), system_time())
        with Reader(backend.store).reading(sight_of(request.scope)) as reading:
            return Json(count(reading, question))

    return answer


def _add(path: str, read: Read, count: Count, *, shape: type[Any], text: str, parameters: list[Declared]) -> None:
    router.add_api_route(
        path,
        _endpoint(read, count),
        methods=["GET"],
        response_model=shape,
        operation_id=path.strip("/").replace("/", "_"),
        summary=text.partition(".")[0],
        description=text,
        openapi_extra={"parameters": parameters},
    )


def _add_groups(of: List) -> None:
    _add(
        f"/groups/{of.name}",
        lambda items, now: read_group_question(of, items, by="by", now=now),
        group_counts.groups,
        shape=Groups,
        text=f"Group {of.name}. By one column or several, nested, with counts by state and by origin. {WINDOW}",
        parameters=of_groups(of, "by"),
    )
    _add(
        f"/facets/{of.name}",
        lambda items, now: read_group_question(of, items, by="of", now=now),
        group_counts.facets,
        shape=Facets,
        text=f"Values of columns of {of.name}. Of each column those where the conditions on others hold. {WINDOW}",
        parameters=of_groups(of, "of"),
    )


for _list in LISTS.values():
    _add_groups(_list)

_add(
    "/series",
    lambda items, now: series.read_series_question(items, now=now),
    series.series,
    shape=Series,
    text="Runs and failures over time. By hour, without `since` of the last 24, or by day, of the last 30. Runs count "
    "where they ended.",
    parameters=of_series(),
)
_add(
    "/tops/category",
    lambda items, now: tops.read_category_question(items, now=now),
    tops.top_categories,
    shape=Tops,
    text="Find the most frequent categories. Without `since`, of the last 7 days, by whole hours.",
    parameters=of_tops(series.COUNTED),
)
_add(
    "/tops/queue",
    lambda items, now: tops.read_queue_question(items, now=now),
    tops.worst_queues,
    shape=Tops,
    text="Find the queues whose runs fail most often. By the rate that they have at least. Without `since`, of the "
    "last 7 days, by whole hours.",
    parameters=of_tops(series.COUNTED, compared=tops.LEAST_RUNS),
)
_add(
    "/tops/node",
    lambda items, now: tops.read_node_question(items, now=now),
    tops.worst_nodes,
    shape=Tops,
    text="Find the nodes on which runs fail most often. By the rate that they have at least, so that neither busy "
    "nodes nor those with one run are first. Without `since`, of the last 7 days, by whole days in UTC.",
    parameters=of_tops(tops.NODES, compared=tops.LEAST_RUNS),
)
_add(
    "/tops/retrying",
    lambda items, now: tops.read_retrying_question(items, now=now),
    retrying.retrying,
    shape=retrying.Retrying,
    text="Find the jobs that keep failing. Those of which at least two runs failed: first those that go on, then those "
    "that have ended. Without `since`, in the last 24 hours, at most 7 days.",
    parameters=of_tops(FAILURES),
)
_add(
    "/outcomes",
    lambda items, now: outcomes.read_outcome_question(items, now=now),
    outcomes.outcomes,
    shape=outcomes.Outcomes,
    text="Count how jobs went on after a run of them had failed. Without `since`, in the last 24 hours. If more than "
    f"{outcomes.MOST:,} runs failed, the window begins later, with the latest of them.",
    parameters=[*of_conditions(FAILURES), *of_window(FAILURES)],
)
