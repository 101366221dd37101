"""What endpoints are given, and the JSON with which they answer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

import msgspec
from fastapi import Depends, Request
from starlette.responses import Response
from starlette.types import Scope

from agent.lookout.api.live import Live
from agent.lookout.changes import Changes
from agent.lookout.query.sight import EVERYTHING, Sight
from agent.store.store import Store
from agent.telemetry.health import HealthPages


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """What the application is made for; one for all requests."""

    store: Store
    health: HealthPages
    live: Live
    changes: Changes
    lag: Callable[[], timedelta]
    """How far what is stored is behind what was published."""
    scheduler: str | None = None
    """HOST:PORT of the scheduler's API, to which requests are forwarded."""


def backend_of(request: Request) -> Backend:
    found: Backend = request.app.state.backend
    return found


Given = Annotated[Backend, Depends(backend_of)]
"""The type of the parameter of an endpoint that needs the backend."""


def sight_of(scope: Scope) -> Sight:
    """What the caller of a request may see. Until there are rights, everybody sees everything."""
    del scope
    return EVERYTHING


async def _seen_by(request: Request) -> Sight:
    return sight_of(request.scope)


Seen = Annotated[Sight, Depends(_seen_by)]
"""The type of the parameter of an endpoint that reads what is stored: what its caller may see."""


class Json(Response):
    """A value as JSON, by msgspec, because lists are large. The endpoint declares its shape as ``response_model``."""

    media_type = "application/json"

    def render(self, content: Any) -> bytes:  # noqa: ANN401 - whatever msgspec encodes
        return msgspec.json.encode(content)
