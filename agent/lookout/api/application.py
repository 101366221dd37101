"""The application: everything between a request and its response."""

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI

from agent.lookout.api import pages, process
from agent.lookout.api.backend import Backend
from agent.lookout.api.declared import check_parameters
from agent.lookout.api.document import document
from agent.lookout.api.guard import AllowedHosts, Guard
from agent.lookout.api.head import Head
from agent.lookout.api.problems import ProblemBody, Unforeseen, answer_errors
from agent.lookout.api.readable import Readable
from agent.lookout.api.routes import PREFIX, ROUTERS
from agent.lookout.api.scheduler import routes as forwarded
from agent.lookout.api.scheduler.calling import reaching
from agent.lookout.api.shared import Shared
from agent.lookout.api.timing import Timing

THREADS: Final = 10
"""Endpoints that run at once: as many as the database has connections."""

VERSION: Final = "v1"
"""Of the API, not of the program."""

NOT_SHARED: Final = (f"{PREFIX}/changes", f"{PREFIX}{forwarded.PREFIX}/")
"""A stream, and what the scheduler answers to the caller's own credentials."""

DESCRIPTION: Final = "What happened to every run: find it, read why, and see what was decided."


def create(backend: Backend, *, allowed_hosts: Iterable[str] = ()) -> FastAPI:
    """The ASGI application over a backend. ``allowed_hosts`` are names of this server next to those of loopback."""
    app = described()
    app.router.routes.extend(pages.routes())
    app.state.backend = backend
    app.add_middleware(Unforeseen)
    app.add_middleware(Shared, below=f"{PREFIX}/", but=NOT_SHARED, live=backend.live)
    app.add_middleware(Guard, allowed=AllowedHosts.of(allowed_hosts))
    app.add_middleware(Readable)
    app.add_middleware(Timing)
    app.add_middleware(Head)
    return app


def described() -> FastAPI:
    """All operations, with nothing behind them."""
    app = FastAPI(
        title="Lookout",
        version=VERSION,
        description=DESCRIPTION,
        openapi_url=f"{PREFIX}/openapi.json",
        docs_url=None,  # a page that loads scripts from somewhere else
        redoc_url=None,
        redirect_slashes=False,
        responses={"default": {"model": ProblemBody, "description": "What is wrong, and what to do."}},
        lifespan=_lifespan,
    )
    app.openapi = partial(document, app)  # type: ignore[method-assign]  # as FastAPI's documentation has it
    answer_errors(app)
    for router in ROUTERS:
        app.include_router(router, prefix=PREFIX, dependencies=[Depends(check_parameters)])
    app.include_router(process.pages)
    return app


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    current_default_thread_limiter().total_tokens = THREADS
    backend: Backend = app.state.backend
    async with reaching(backend.scheduler) as scheduler:
        app.state.scheduler = scheduler
        with backend.live.running():
            yield
