"""Clusters, and how far what is stored is behind them."""

from typing import Final

from fastapi import APIRouter
from pydantic import Field

from agent.lookout.api.backend import Given, Json, Seen
from agent.lookout.query.clusters import Cluster, clusters
from agent.lookout.query.reader import Reader
from agent.lookout.query.shapes import Shape

router: Final = APIRouter(tags=["clusters"])


class Clusters(Shape):
    """All clusters that are stored, by name."""

    items: list[Cluster]
    lag_seconds: float = Field(
        description="How old the oldest message of the latest batch was when the process that answers stored it; while "
        "a batch is stored, or waits for the database, how old it is now; 0 after a minute without one."
    )


@router.get("/clusters", operation_id="find_clusters", summary="Find clusters", response_model=Clusters)
def find_clusters(backend: Given, sight: Seen) -> Json:
    """Say of each cluster when its agent was last heard of, and how much of what it saw is still to come."""
    with Reader(backend.store).reading(sight) as reading:
        items = clusters(reading)
    return Json(Clusters.of({"items": items, "lag_seconds": backend.lag().total_seconds()}))
