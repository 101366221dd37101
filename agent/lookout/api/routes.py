"""What the API serves: each router, once."""

from typing import Final

from fastapi import APIRouter

from agent.lookout.api import changes, clusters, corrections, counts, histories, linting, lists, process, trials
from agent.lookout.api.scheduler import routes as scheduler

PREFIX: Final = "/api/v1"

ROUTERS: Final[tuple[APIRouter, ...]] = (
    process.router,
    lists.router,
    histories.router,
    counts.router,
    clusters.router,
    corrections.router,
    changes.router,
    linting.router,
    trials.router,
    scheduler.router,
)
"""Routers below ``PREFIX``, in the order of the document."""
