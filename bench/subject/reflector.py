"""Our reflector alone as a subject: what an informer does and no more, all pods of the API server at the URL given.

Once the list is in it prints a line of JSON, as ``bench/go/informer`` does.
"""

import asyncio
import json
import sys
import time

from agent.kube import objects
from agent.kube.connection import Connection
from agent.kube.reflector.cache import Change
from agent.kube.reflector.reflector import Reflector
from agent.settings.kube import KubeSettings
from agent.telemetry.logs import configure
from bench.subject.usage import cpu_seconds, memory_mb


async def main(url: str) -> None:
    """Fill the inventory, say what it took, and end."""
    async with await Connection.open(KubeSettings(url=url)) as connection:
        reflector = Reflector(connection, path="/api/v1/pods", decode=objects.Pod, keep=_nothing, handler=_pass)
        started = time.monotonic()
        running = asyncio.create_task(reflector.run())
        await reflector.synced.wait()
        figures = {
            "seconds": time.monotonic() - started,
            "cpu_seconds": cpu_seconds(),
            "peak_mb": memory_mb()[0],
            "pods": len(reflector.cache),
        }
        print(json.dumps(figures), flush=True)
        running.cancel()


def _nothing(pod: objects.Pod) -> None:
    del pod


async def _pass(change: Change[objects.Pod, None]) -> None:
    del change


if __name__ == "__main__":
    configure("error")
    asyncio.run(main(sys.argv[1]))
