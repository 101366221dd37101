"""Corrections over HTTP: made by people who know better, shown, and exported to judge rules by."""

import uuid
from collections.abc import Iterator
from http import HTTPStatus
from itertools import chain
from typing import Annotated, Final

import msgspec
from fastapi import APIRouter, Query, Request
from pydantic import Field, StringConstraints
from starlette.responses import Response, StreamingResponse

from agent.core.failure import Origin
from agent.lookout.api.backend import Given, Json, Seen
from agent.lookout.api.parameters import AFTER
from agent.lookout.api.problems import Fault, Problem, Submitted, quoted
from agent.lookout.query.corrections import (
    FIRST,
    Correction,
    Corrections,
    corrections,
    found_failure,
    labelled,
    of_id,
    page,
)
from agent.lookout.query.question import MOST, USUAL
from agent.lookout.query.reader import Reader
from agent.lookout.query.sight import Sight
from agent.lookout.store.corrections import LONGEST_REASON, Corrected, store
from agent.process.clock import system_time
from agent.wire import caller

router: Final = APIRouter(tags=["corrections"])

Word = Annotated[str, StringConstraints(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f/]*$")]


class NewCorrection(Submitted):
    """What a failure was instead of what the rules say."""

    failure_id: str = Field(
        alias="failureId", max_length=500, description="The event of the failure, or of what amends it."
    )
    category: Word = Field(description="The right category.")
    subcategory: Word | None = Field(default=None, description="The right subcategory, if there is one.")
    origin: Origin = Field(description="Who really caused it.")
    retryable: bool | None = Field(
        default=None, description="Whether the unchanged job may succeed when it runs again; null if that is not known."
    )
    reason: str = Field(default="", max_length=LONGEST_REASON, description="How one can see that.")


def _unreadable(given: NewCorrection) -> Iterator[Fault]:
    """Texts that people cannot read: of spaces only, or names with characters that no one sees, such as bidi marks."""
    for path, text, fix in (
        ("category", given.category, "write the name of a category, such as memory"),
        ("subcategory", given.subcategory or "", "write its name, or leave it out"),
        ("reason", given.reason, "write how one can see that, or leave it out"),
    ):
        if text and not any(character.isprintable() and not character.isspace() for character in text):
            yield Fault(path=path, message="it has no visible character", fix=fix)
        elif path != "reason" and not text.isprintable():
            yield Fault(path=path, message=f"{text!a} has a character that is not visible", fix="write it without")


@router.post(
    "/corrections",
    operation_id="correct_failure",
    summary="Say what a failure really was",
    status_code=HTTPStatus.CREATED,
    response_model=Correction,
)
def correct(given: NewCorrection, request: Request, backend: Given, sight: Seen) -> Json:
    """Keep a correction with all that is known of the failure. It changes neither the failure nor what was decided."""
    if faults := list(_unreadable(given)):
        detail = "; ".join(f"{fault.path}: {fault.message}; {fault.fix}" for fault in faults)
        raise Problem(HTTPStatus.BAD_REQUEST, "invalid-request", detail, faults=faults)
    with Reader(backend.store).reading(sight) as reading:
        found = found_failure(reading, given.failure_id)
    if found is None:
        detail = (
            f"there is no failure {quoted(given.failure_id)} here; take failureId of a run, or eventId of a failure"
        )
        raise Problem(HTTPStatus.NOT_FOUND, "no-such-failure", detail)
    place, failure = found
    corrected = Corrected(
        category=given.category,
        subcategory=given.subcategory or "",
        origin=given.origin,
        retryable=given.retryable,
        reason=given.reason.replace("\x00", ""),
        by=caller.decode(request.headers.get(caller.WHO, "")),
        at=system_time(),
    )
    correction_id = str(uuid.uuid4())
    with backend.changes.writing(backend.store, frozenset({place.job_id})) as connection:
        store(connection, correction_id, corrected, place=place, failure=failure)
    with Reader(backend.store).reading(sight) as reading:
        (made,) = corrections(reading, of_id(correction_id), most=1)
    return Json(made, HTTPStatus.CREATED)


@router.get("/corrections", operation_id="find_corrections", summary="Read corrections", response_model=Corrections)
def find(
    backend: Given,
    sight: Seen,
    run_id: Annotated[str | None, Query(alias="runId")] = None,
    limit: Annotated[int, Query(ge=1, le=MOST)] = USUAL,
    after: Annotated[str | None, Query(description=AFTER)] = None,
) -> Json:
    """Corrections of all runs or of one, the latest first."""
    with Reader(backend.store).reading(sight) as reading:
        return Json(page(reading, run_id=run_id, limit=limit, after=after, now=system_time()))


@router.get(
    "/corrections/export",
    operation_id="export_corrections",
    summary="Export corrected failures",
    response_class=Response,
    responses={200: {"description": "A labelled failure on each line.", "content": {"application/x-ndjson": {}}}},
)
def export(backend: Given, sight: Seen) -> Response:
    """Each corrected failure with its evidence and its label, on a line, for `failctl evaluate`."""
    lines = _lines(Reader(backend.store), sight)
    first = next(lines)  # before the status is sent: the database may not answer
    return StreamingResponse(chain([first], lines), media_type="application/x-ndjson")


def _lines(reader: Reader, sight: Sight) -> Iterator[bytes]:
    """All lines, some at a time: each may have tens of kilobytes of logs."""
    after: str | None = FIRST
    while after is not None:
        with reader.reading(sight) as reading:
            found, after = labelled(reading, after=after)
        yield b"".join(msgspec.json.encode(line) + b"\n" for line in found)
