"""About the process itself: its health, its metrics and its version."""

import asyncio

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from agent import __version__
from agent.lookout.api.backend import Given

pages = APIRouter(include_in_schema=False)
router = APIRouter(tags=["process"])


class Version(BaseModel):
    """Which program answers."""

    version: str = Field(description="The version of failure-agent.")
    process: str = Field(description="The process that answers: lookout.")
    scheduler: bool = Field(description="Whether it has a scheduler to forward to: `api.scheduler` of its settings.")


@router.get("/version", operation_id="read_version", summary="Read the version")
def version(backend: Given) -> Version:
    """Say which program answers, and whether there is a scheduler behind it."""
    return Version(version=__version__, process="lookout", scheduler=backend.scheduler is not None)


@pages.get("/healthz")
@pages.get("/readyz")
@pages.get("/metrics")
async def page(request: Request, backend: Given) -> Response:
    """The pages of the health port, with the same checks."""
    accept = request.headers.get("accept", "")
    # Not one of the threads of endpoints: a probe is answered while all of those wait for the database.
    status, content_type, body = await asyncio.to_thread(backend.health.answer, request.url.path, accept=accept)
    return Response(body, status.value, {"Content-Type": content_type})
