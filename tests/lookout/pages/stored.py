"""What the database has, as its API says: a test compares what a page shows with it."""

from typing import Any

from agent.core.failure import Origin
from agent.core.failure_text.fault import marked_origin
from tests.lookout.api.serving import Client

Json = Any


def jobs(client: Client, query: str = "", *, limit: int = 10) -> list[Json]:
    """The first jobs that fit, in their order."""
    found: list[Json] = client.get(f"/api/v1/jobs?{query}&limit={limit}".replace("?&", "?")).json["items"]
    return found


def ids(client: Client, query: str = "", *, limit: int = 10) -> list[str]:
    return [job["jobId"] for job in jobs(client, query, limit=limit)]


def count(client: Client, query: str = "") -> str:
    """How many fit, as the API says it."""
    answer = client.get(f"/api/v1/jobs?{query}&limit=1&count=true".replace("?&", "?"))
    found: str = answer.json["count"]["text"]
    return found


def failure_of(job: Json) -> Json:
    """The latest run of a job that failed."""
    return next(run for run in job["runs"] if run["failedAt"] is not None)


def leaf(run: Json) -> str:
    """The category of a run as people read it."""
    return "/".join(part for part in (run["category"], run["subcategory"]) if part)


def fault(run: Json) -> str:
    """Whose fault it was that a run failed, as tables of failctl show it."""
    return marked_origin(Origin(run["origin"]), corroborated=run["corroborated"])
