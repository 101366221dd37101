"""The application: everything between a request and its response."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI

from agent import __version__
from agent.lookout.api import process
from agent.lookout.api.backend import Backend
from agent.lookout.api.guard import AllowedHosts, Guard
from agent.lookout.api.problems import ProblemBody, Unforeseen, answer_errors
from agent.lookout.api.routes import PREFIX, ROUTERS
from agent.lookout.api.shared import Shared
from agent.lookout.api.timing import Timing

THREADS: Final = 10
"""Endpoints that run at once: as many as the database has connections."""

DESCRIPTION: Final = "What happened to every run: find it, read why, and see what was decided."


def create(backend: Backend, *, allowed_hosts: Iterable[str] = ()) -> FastAPI:
    """The ASGI application over a backend. ``allowed_hosts`` are names of this server next to those of loopback."""
    app = FastAPI(
        title="Lookout",
        version=__version__,
        description=DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # a page that loads scripts from somewhere else
        redoc_url=None,
        redirect_slashes=False,
        responses={"default": {"model": ProblemBody, "description": "What is wrong, and what to do."}},
        lifespan=_lifespan,
    )
    app.state.backend = backend
    answer_errors(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.include_router(process.pages)
    app.add_middleware(Unforeseen)
    app.add_middleware(Shared, below=f"{PREFIX}/", but=f"{PREFIX}/changes", live=backend.live)
    app.add_middleware(Guard, allowed=AllowedHosts.of(allowed_hosts))
    app.add_middleware(Timing)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = THREADS
    backend: Backend = app.state.backend
    with backend.live.running():
        yield
