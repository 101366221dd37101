"""The lists: jobs, runs and failures."""

from collections.abc import Callable
from typing import Any, Final

from fastapi import APIRouter, Request

from agent.lookout.api.backend import Given, Json, sight_of
from agent.lookout.api.parameters import of_page
from agent.lookout.query.columns import FAILURES, JOBS, RUNS, List
from agent.lookout.query.lists import page
from agent.lookout.query.question import read_question
from agent.lookout.query.reader import Reader
from agent.lookout.query.shapes import Job, Page, Run
from agent.process.clock import system_time

router: Final = APIRouter(tags=["lists"])


def _endpoint(of: List) -> Callable[[Request, Given], Json]:
    def find(request: Request, backend: Given) -> Json:
        question = read_question(of, request.query_params.multi_items(), now=system_time())
        with Reader(backend.store).reading(sight_of(request.scope)) as reading:
            return Json(page(reading, question))

    return find


def _add(of: List, item: type[Any], text: str) -> None:
    router.add_api_route(
        f"/{of.name}",
        _endpoint(of),
        methods=["GET"],
        response_model=Page[item],  # type: ignore[valid-type]  # given as a value
        operation_id=f"find_{of.name}",
        summary=f"Find {of.name}",
        description=text,
        openapi_extra={"parameters": of_page(of)},
    )


_add(
    JOBS,
    Job,
    "Jobs, the newest first. Conditions on runs are about one run of the job: with state=still-failed, or waiting, the "
    "latest one.",
)
_add(RUNS, Run, "Runs, the newest first.")
_add(FAILURES, Run, "Runs that failed, the latest failure first: of each the first failure that says why.")
