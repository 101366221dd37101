"""A process that serves the webhook, so that a test can measure its memory. Prints the port."""

import asyncio
import sys
from pathlib import Path

from tests.cluster.admission.serving import Scripted, served


async def main() -> None:
    async with served(Path(sys.argv[1]), Scripted()) as webhook:
        print(webhook.server.port, flush=True)  # noqa: T201 - the test reads it
        await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main())
