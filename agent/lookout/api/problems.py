"""Errors of the API, as ``application/problem+json`` (RFC 9457): everything that is refused or fails passes here."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from itertools import islice
from typing import Any, Final, Self

import msgspec
import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from agent.lookout.api.document import methods_at
from agent.lookout.api.head import with_head
from agent.lookout.query.meant import Meant
from agent.lookout.query.refusal import Refused, TooSlow
from agent.store.errors import RowRefused, StoreOutdated, StoreUnreachable

_log = structlog.get_logger(__name__)

RETRY_SECONDS: Final = 5
"""After which a client may ask again while the database does not answer."""

MOST_FAULTS: Final = 50
"""Faults of one request that are said: it may have as many as it has bytes, and each takes a while to find."""

_MOST_INVALID: Final = 1_000
"""Faults of a body that are made into what a client reads, on the loop of the server: a million take 20 s."""

_LONGEST_QUOTE: Final = 200
"""Characters of a client's own text that an error repeats."""


class Fault(BaseModel):
    """One thing that is wrong with a request, and how to fix it."""

    code: str | None = Field(default=None, description="A name of this kind of fault, where it has one: the linter's.")
    parameter: str | None = Field(default=None, description="The query parameter or the part of the path.")
    path: str | None = Field(default=None, description="The field of the body, with dots.")
    line: int | None = Field(default=None, description="The line of a submitted text, from 1.")
    column: int | None = Field(default=None, description="The column of a submitted text, from 1.")
    message: str = Field(description="What is wrong.")
    fix: str = Field(default="", description="What to do.")


class ProblemBody(BaseModel):
    """An error, as RFC 9457 has it."""

    type: str = Field(description="A name of this kind of error that does not change.")
    title: str = Field(description="The kind of error, in words.")
    status: int = Field(description="The status of the response.")
    detail: str = Field(description="What is wrong with this request, and what to do.")
    code: str = Field(description="The last part of the type, for programs.")
    id: str | None = Field(default=None, description="Which line of the log has the details, for what was unforeseen.")
    errors: list[Fault] = Field(default=[], description="Each thing that is wrong.")
    meant: list[Meant] | None = Field(
        default=None, description="What may have been meant by an id that is not one of what was asked for."
    )


class Problem(Exception):
    """A request that is refused, or that failed. ``code`` is stable; programs compare it."""

    def __init__(
        self,
        status: HTTPStatus,
        code: str,
        detail: str,
        *,
        faults: Sequence[Fault] = (),
        meant: Sequence[Mapping[str, Any]] = (),
        headers: Mapping[str, str] | None = None,
        identity: str | None = None,
    ) -> None:
        super().__init__(detail)
        self.status: Final = status
        self.code: Final = code
        self.faults: Final = faults
        self.meant: Final = [Meant.model_validate(job_or_run) for job_or_run in meant]
        self.headers: Final = dict(headers or {})
        self.identity: Final = identity

    def body(self) -> ProblemBody:
        return ProblemBody(
            type=f"urn:failure-agent:problem:{self.code}",
            title=self.code.replace("-", " ").capitalize(),
            status=self.status.value,
            detail=str(self),
            code=self.code,
            id=self.identity,
            errors=list(self.faults),
            meant=self.meant or None,
        )

    def response(self) -> Response:
        said = self.body().model_dump(exclude_none=True, exclude={"meant"})
        meant = [known.model_dump(by_alias=True) for known in self.meant]
        body = msgspec.json.encode({**said, "meant": meant} if meant else said)
        return Response(body, self.status.value, self.headers, media_type="application/problem+json")


def first_of(faults: Iterable[Fault]) -> list[Fault]:
    """The first faults, and that there are more. No more than these are made."""
    found = list(islice(faults, MOST_FAULTS + 1))
    more = {"message": f"more than {MOST_FAULTS} things are wrong", "fix": "fix those before this, and ask again"}
    return [*found[:MOST_FAULTS], *(fault.model_copy(update=more) for fault in found[MOST_FAULTS:])]


def quoted(text: str) -> str:
    """A client's own text, bounded, as an error repeats it."""
    return repr(text if len(text) <= _LONGEST_QUOTE else f"{text[:_LONGEST_QUOTE]}...")


class Submitted(BaseModel):
    """What a request submits. Of its faults as many are listed as people read: a list of numbers has a million."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="wrap")
    @classmethod
    def _refuse_many_faults(cls, given: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401 - JSON
        try:
            return handler(given)
        except ValidationError as error:
            if error.error_count() <= _MOST_INVALID:
                raise
            detail = f"{error.error_count():,} parts of the body are not what /api/v1/openapi.json says of it"
            raise Problem(HTTPStatus.BAD_REQUEST, "invalid-request", detail) from None


def answer_errors(app: FastAPI) -> None:
    """Let every error of the application become a problem."""
    app.add_exception_handler(Problem, _answer_problem)
    app.add_exception_handler(HTTPException, _answer_framework)
    app.add_exception_handler(RequestValidationError, _answer_invalid)
    app.add_exception_handler(Refused, _answer_refused)
    app.add_exception_handler(TooSlow, _answer_slow)
    app.add_exception_handler(RowRefused, _answer_unstorable)
    for unavailable in (StoreUnreachable, StoreOutdated):
        app.add_exception_handler(unavailable, _answer_unavailable)


async def _answer_problem(_request: Request, error: Exception) -> Response:
    assert isinstance(error, Problem)  # noqa: S101 - starlette hands over what was registered
    return error.response()


async def _answer_framework(request: Request, error: Exception) -> Response:
    """What starlette and FastAPI refuse themselves."""
    assert isinstance(error, HTTPException)  # noqa: S101 - starlette hands over what was registered
    status = HTTPStatus(error.status_code)
    detail = {
        HTTPStatus.NOT_FOUND: f"there is nothing at {quoted(request.url.path)}; /api/v1/openapi.json lists all paths",
        HTTPStatus.METHOD_NOT_ALLOWED: f"{request.method} cannot be used here; the header Allow says what can",
    }.get(status, str(error.detail))
    code = status.phrase.lower().replace(" ", "-")
    headers = dict(error.headers or {})
    if status == HTTPStatus.METHOD_NOT_ALLOWED:
        said = headers.get("Allow", "GET")  # files of pages say none
        methods = methods_at(request.app, request.url.path) or said.split(", ")
        headers["Allow"] = ", ".join(with_head(methods))
    return Problem(status, code, detail, headers=headers).response()


async def _answer_invalid(_request: Request, error: Exception) -> Response:
    """What does not have the declared form: FastAPI's own answer would be a 422 of another shape."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - starlette hands over what was registered
    faults = first_of(map(_fault, error.errors()))
    detail = "; ".join(f"{fault.parameter or fault.path}: {fault.message}" for fault in faults)
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-request", detail, faults=faults).response()


def _fault(found: Mapping[str, Any]) -> Fault:
    where, *inside = found["loc"]
    name = ".".join(map(str, inside))
    message = str(found["msg"])
    if where == "body":
        return Fault(path=name or "body", message=message)
    return Fault(parameter=name, message=message)


async def _answer_refused(_request: Request, error: Exception) -> Response:
    """A question that cannot be answered as it is asked."""
    assert isinstance(error, Refused)  # noqa: S101 - starlette hands over what was registered
    found = (Fault(parameter=fault.parameter, message=fault.message, fix=fault.fix) for fault in error.faults)
    faults = first_of(found)
    detail = ". ".join("; ".join(filter(None, (f"{fault.parameter}: {fault.message}", fault.fix))) for fault in faults)
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-request", detail, faults=faults).response()


async def _answer_slow(_request: Request, error: Exception) -> Response:
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "too-slow", str(error)).response()


async def _answer_unstorable(_request: Request, error: Exception) -> Response:
    """A value of a form that nobody checked before: the driver names what is wrong with it, and quotes nothing."""
    detail = f"the database refuses a value of this request: {error}"
    return Problem(HTTPStatus.BAD_REQUEST, "invalid-value", detail).response()


async def _answer_unavailable(_request: Request, error: Exception) -> Response:
    _log.warning("the database did not answer a request", error=str(error))
    headers = {"Retry-After": str(RETRY_SECONDS)}
    detail = f"the database does not answer; ask again in {RETRY_SECONDS} s. /readyz says what is wrong with it"
    return Problem(HTTPStatus.SERVICE_UNAVAILABLE, "database-unavailable", detail, headers=headers).response()


class Sending:
    """Sends messages on, and knows whether a response was begun: after that no other can be sent."""

    def __init__(self, send: Send) -> None:
        self._send: Final = send
        self.started = False

    async def __call__(self, message: Message) -> None:
        self.started = True
        await self._send(message)


class Unforeseen:
    """Answers an error that nothing else did with a 500 whose id the log has, and says nothing else about it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sending = Sending(send)
        try:
            await self._app(scope, receive, sending)
        except Exception:
            identity = secrets.token_hex(8)
            _log.exception("a request failed", id=identity, method=scope.get("method"), path=scope.get("path"))
            if sending.started:
                raise
            await _unforeseen(identity).response()(scope, receive, send)


def _unforeseen(identity: str) -> Problem:
    detail = (
        f"the request failed for a reason that is not its own; the log of failure-agent lookout has it as {identity}"
    )
    return Problem(HTTPStatus.INTERNAL_SERVER_ERROR, "internal-error", detail, identity=identity)
