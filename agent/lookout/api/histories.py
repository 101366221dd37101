"""One job, one run or one failure, with everything that is known of it."""

from collections.abc import Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final
from urllib.parse import quote

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
from agent.lookout.query.meant import meant_by
from agent.lookout.query.reader import Reader, Reading
from agent.lookout.store.fitting import fit

router: Final = APIRouter(tags=["histories"])

_SAID: Final = 3
"""Jobs or runs that a sentence names; the problem lists them."""

History = Callable[[Reading, str], dict[str, Any] | None]


def _endpoint(noun: str, history: History) -> Callable[[str, Given, Seen], Json]:
    def read(id: str, backend: Given, sight: Seen) -> Json:  # noqa: A002 - the path names it
        with Reader(backend.store).reading(sight) as reading:
            stored = fit(f"{noun}_id", id)
            found = history(reading, stored)
            meant = meant_by(reading, stored) if found is None else []
        if found is None:
            raise Problem(HTTPStatus.NOT_FOUND, f"no-such-{noun}", _detail(noun, id, meant), meant=meant)
        return Json(found)

    return read


def _detail(noun: str, asked: str, meant: Sequence[Mapping[str, Any]]) -> str:
    """That there is no such thing, and what there is instead."""
    missing = f"there is no {noun} {quoted(asked)} here"
    if not meant:
        return f"{missing}; it may have been pruned, or its messages are still to come"
    named = [f"it is the {known['knownAs']} of {_address(known)}" for known in meant[:_SAID]]
    more = [f"of {len(meant) - _SAID} more"] if len(meant) > _SAID else []
    return f"{missing}, but {', '.join([*named, *more])}: ask for that"


def _address(meant: Mapping[str, Any]) -> str:
    """Where a job or a run that was meant is asked for."""
    noun, identity = ("jobs", meant["jobId"]) if meant["runId"] is None else ("runs", meant["runId"])
    return f"/api/v1/{noun}/{quote(identity, safe='')}"


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
