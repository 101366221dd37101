import asyncio
from typing import Any

from structlog.testing import capture_logs

from agent.cluster.watch.owners import owner_informers
from agent.kube.reflector.cache import Change
from tests.kube.cluster import cluster


async def ignore(change: Change[Any, None]) -> None:
    del change


async def test_a_kind_that_the_server_does_not_have_is_logged_once() -> None:
    async with cluster() as it:
        informers = owner_informers(it.connection, ["a", "b", "c"], on_owner=ignore, retry_seconds=0.01)
        with capture_logs() as logs:
            tasks = [asyncio.create_task(informer.run()) for informer in informers]
            await asyncio.gather(*(informer.synced.wait() for informer in informers))
            await asyncio.sleep(0.3)  # every informer tries again several times
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # informers run side by side, so their answers come in any order
    assert sorted(line["why"].split(":")[0] for line in logs) == [
        "the API server does not serve jobs.batch",
        "the API server does not serve jobsets.jobset.x-k8s.io",
        "the API server does not serve workloads.kueue.x-k8s.io",
    ]
