"""A process that serves the webhook, so that a test can measure its memory. Prints the port."""

import asyncio
import sys
from pathlib import Path

import pytest

from tests.cluster.admission.patience import allow_late_answers
from tests.cluster.admission.serving import Scripted, served


async def main() -> None:
    async with served(Path(sys.argv[1]), Scripted()) as webhook:
        print(webhook.server.port, flush=True)  # noqa: T201 - the test reads it
        await asyncio.Event().wait()


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as patches:
        allow_late_answers(patches)
        asyncio.run(main())
