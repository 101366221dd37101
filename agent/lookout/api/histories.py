"""One job, one run or one failure, with everything that is known of it."""

from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter

from agent.lookout.api.backend import Given, Json, Seen
from agent.lookout.api.problems import Problem, quoted
from agent.lookout.query.histories import (
    FailureHistory,
    JobHistory,
    RunHistory,
    failure_history,
    job_history,
    run_history,
)
from agent.lookout.query.reader import Reader, Reading

router: Final = APIRouter(tags=["histories"])

History = Callable[[Reading, str], dict[str, Any] | None]


def _endpoint(noun: str, history: History) -> Callable[[str, Given, Seen], Json]:
    def read(id: str, backend: Given, sight: Seen) -> Json:  # noqa: A002 - the path names it
        with Reader(backend.store).reading(sight) as reading:
            found = history(reading, id)
        if found is None:
            detail = f"there is no {noun} {quoted(id)} here; it may have been pruned, or its messages are still to come"
            raise Problem(HTTPStatus.NOT_FOUND, f"no-such-{noun}", detail)
        return Json(found)

    return read


def _add(noun: str, history: History, shape: type[Any], text: str) -> None:
    router.add_api_route(
        f"/{noun}s/{{id:path}}",  # an id may have slashes
        _endpoint(noun, history),
        methods=["GET"],
        response_model=shape,
        operation_id=f"read_{noun}",
        summary=f"Read one {noun}",
        description=text,
    )


_add("job", job_history, JobHistory, "A job, its attempts with the verdicts between them, and what people asked of it.")
_add("run", run_history, RunHistory, "A run, its failures with all evidence, and what was decided.")
_add("failure", failure_history, FailureHistory, "One failure, in words and with all evidence.")
