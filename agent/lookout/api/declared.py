"""Query parameters that an operation does not have are refused: a misspelt filter would find everything.

So is NUL, and what is written twice: only one of both would be heard.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from difflib import get_close_matches
from http import HTTPStatus
from typing import Final

from fastapi import Request
from fastapi.routing import APIRoute

from agent.lookout.api.document import query_parameters
from agent.lookout.api.problems import Fault, Problem, first_of, quoted

_NUL: Final = "\0"


async def check_parameters(request: Request) -> None:
    """Raise Problem for a parameter that the operation does not declare, and for NUL, which no stored text has.

    Operations whose parameters FastAPI does not see read them themselves, and say more about what is wrong.
    """
    _refuse("invalid-request", (_nul(name) for name, value in request.path_params.items() if _NUL in str(value)))
    route = request.scope["route"]
    if not request.query_params or not isinstance(route, APIRoute) or (route.openapi_extra or {}).get("parameters"):
        return
    known = query_parameters(request.app, str(route.operation_id))
    unknown = dict.fromkeys(name for name in request.query_params if name not in known)
    _refuse("unknown-parameter", (_fault(name, known) for name in unknown))
    items = request.query_params.multi_items()
    _refuse("invalid-request", (_nul(name) for name, value in items if _NUL in value))
    written = Counter(name for name, _ in items if known[name].get("type") != "array")
    _refuse("invalid-request", (_repeated(name) for name, times in written.items() if times > 1))


def _refuse(code: str, found: Iterable[Fault]) -> None:
    if faults := first_of(found):
        detail = "; ".join(f"{fault.parameter}: {fault.message}: {fault.fix}" for fault in faults)
        raise Problem(HTTPStatus.BAD_REQUEST, code, detail, faults=faults)


def _nul(name: str) -> Fault:
    return Fault(parameter=name, message="no stored text has NUL", fix="leave %00 out")


def _repeated(name: str) -> Fault:
    return Fault(parameter=name, message="it is written more than once", fix="write it once")


def _fault(name: str, known: Collection[str]) -> Fault:
    message = f"there is no parameter {quoted(name)} here"
    if not known:
        return Fault(parameter=name, message=message, fix="leave it out; this takes none")
    close = get_close_matches(name, known, n=1)
    meant = f"write {close[0]}, or " if close else ""
    return Fault(parameter=name, message=message, fix=f"{meant}use one of: {', '.join(known)}")
