"""The requests that are forwarded, and how the OpenAPI document describes them."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from http import HTTPStatus
from typing import Any, Final

from fastapi import APIRouter, Request
from google.protobuf.message import Message
from starlette.concurrency import run_in_threadpool

from agent.lookout.api.backend import Json
from agent.lookout.api.linting import faults_in
from agent.lookout.api.problems import Problem
from agent.lookout.api.scheduler.calling import Scheduler
from agent.lookout.api.scheduler.methods import METHODS, Method
from agent.lookout.api.scheduler.transcoding import json_of, message_of, open_fields
from agent.wire import json_schema as schema

PREFIX: Final = "/scheduler"
"""Nothing below it is shared between callers: the scheduler says who may see what."""

router: Final = APIRouter(prefix=PREFIX, tags=["scheduler"])

_NOWHERE: Final = (
    "this Lookout does not know a scheduler; set api.scheduler to the HOST:PORT of its API, such as 127.0.0.1:8083"
)


def _endpoint(method: Method) -> Callable[[Request], Awaitable[Json]]:
    async def forward(request: Request) -> Json:
        scheduler: Scheduler | None = request.app.state.scheduler
        if scheduler is None:
            raise Problem(HTTPStatus.SERVICE_UNAVAILABLE, "no-scheduler", _NOWHERE)
        body = await request.body()
        message = message_of(method, path=request.path_params, query=request.query_params.multi_items(), body=body)
        try:
            return Json(json_of(await scheduler.call(method.call, message, request.headers)))
        except Problem as problem:
            raise await _placed(problem, method, message) from problem

    return forward


async def _placed(problem: Problem, method: Method, message: Message) -> Problem:
    """A refusal of a text with the places of its errors, where the linter finds them."""
    if problem.status is not HTTPStatus.BAD_REQUEST or method.text is None:
        return problem
    faults = await run_in_threadpool(faults_in, getattr(message, method.text), path=method.text)
    return Problem(problem.status, problem.code, str(problem), faults=faults, headers=problem.headers)


def _described(method: Method) -> Mapping[str, Any]:
    """The parts of the operation that FastAPI cannot see."""
    fields = open_fields(method)
    described: dict[str, Any] = {"parameters": [*_path_parameters(method)]}
    if method.has_body:
        shape = schema.of_message(method.call.input_type, but=frozenset({*method.in_path, *method.fixed}))
        described["requestBody"] = {"required": True, "content": {"application/json": {"schema": shape}}}
    else:
        described["parameters"] += [
            {"name": name, "in": "query", "schema": schema.of_field(field)} for name, field in fields.items()
        ]
    shape = schema.of_message(method.call.output_type)
    answer = {"description": "What the scheduler answers.", "content": {"application/json": {"schema": shape}}}
    described["responses"] = {"200": answer}
    return described


def _path_parameters(method: Method) -> Sequence[Mapping[str, Any]]:
    text = {"type": "string", "minLength": 1}
    return [{"name": name, "in": "path", "required": True, "schema": text} for name in sorted(method.in_path)]


def _add(method: Method) -> None:
    router.add_api_route(
        method.path,
        _endpoint(method),
        methods=[method.verb.value],
        operation_id=_name(method),
        summary=method.summary,
        openapi_extra=dict(_described(method)),
    )


def _name(method: Method) -> str:
    """A name that no other operation has."""
    parts = [part for part in method.path.strip("/").replace("-", "_").split("/") if not part.startswith("{")]
    item = ["one"] if method.path.endswith("}") else []
    return "_".join([method.verb.value.lower(), *parts, *item])


for _method in METHODS:
    _add(_method)
