"""A server in a process of its own under more than it takes: all is answered or refused, and its memory is bounded."""

import asyncio
import io
import re
import ssl
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import aiohttp
import pytest

from agent.cluster.admission.listener import MOST_CONNECTIONS
from agent.cluster.admission.server import MAX_BYTES, PATH
from tests.child import PIPE, Child
from tests.cluster.admission.reviews import body, pod
from tests.cluster.admission.serving import head
from tests.ground.tree import ROOT
from tests.servers.session import session

pytestmark = pytest.mark.slow

AT_ONCE = 1_000
DROPPED = 0
MORE_KILOBYTES = 150_000
"""128 connections, each with 256 KiB of TLS and 128 KiB of HTTP, 16 MiB in hand, and a review that is decoded."""


class Webhook:
    """The process, and how its clients reach it."""

    def __init__(self, child: Child, folder: Path) -> None:
        self.port = int(next(line for line in child.lines() if line.strip().isdigit()))
        self.tls = ssl.create_default_context(cafile=folder / "authority.crt")
        self._status = Path(f"/proc/{child.pid}/status")

    def peak(self) -> int:
        """The most memory that it had so far, in kilobytes."""
        found = re.search(r"^VmHWM:\s+(\d+) kB$", self._status.read_text(), re.MULTILINE)
        assert found is not None
        return int(found[1])

    async def post_all(self, review: bytes, times: int) -> Counter[tuple[int, bool]]:
        """Send a review over as many connections at once; how often each status came, with a patch or without.

        On a busy machine this process may take more than two seconds for a handshake, which the server then drops.
        """
        async with session(self.tls, limit=0, reuse=False) as opened:
            return Counter(await asyncio.gather(*(self._post(opened, review) for _ in range(times))))

    async def hang(self, times: int) -> None:
        """Begin large requests that are never finished, over as many connections."""
        opened = await asyncio.gather(
            *(self._begin() for _ in range(times)), return_exceptions=True
        )  # some are dropped, to make room for others, before they are open
        for writer in opened:
            if isinstance(writer, asyncio.StreamWriter):
                writer.transport.abort()

    async def _post(self, opened: aiohttp.ClientSession, review: bytes) -> tuple[int, bool]:
        url, kind = f"https://127.0.0.1:{self.port}{PATH}", {"Content-Type": "application/json"}
        try:
            async with opened.post(url, data=io.BytesIO(review), headers=kind) as response:
                return response.status, b'"patch"' in await response.read()
        except (aiohttp.ClientError, OSError):
            return DROPPED, False

    async def _begin(self) -> asyncio.StreamWriter:
        _, writer = await asyncio.open_connection("127.0.0.1", self.port, ssl=self.tls, server_hostname="127.0.0.1")
        writer.write(head(MAX_BYTES) + b"{" * 500_000)
        return writer


@pytest.fixture(name="webhook")
def a_webhook_in_a_process(tmp_path: Path) -> Iterator[Webhook]:
    command = [sys.executable, "-m", "tests.cluster.admission.program", str(tmp_path)]
    with Child(command, cwd=ROOT, stdout=PIPE) as child:
        yield Webhook(child, tmp_path)


async def test_a_thousand_at_once_are_answered_or_dropped(webhook: Webhook) -> None:
    before = webhook.peak()

    answers = await webhook.post_all(body(), AT_ONCE)
    after = await webhook.post_all(body(), 1)

    assert {status for status, _ in answers} <= {200, DROPPED}
    assert sum(count for (status, _), count in answers.items() if status == 200) >= MOST_CONNECTIONS
    assert {status for status, _ in after} == {200}
    assert webhook.peak() - before < MORE_KILOBYTES


async def test_what_is_too_much_is_refused_and_does_not_stay(webhook: Webhook) -> None:
    before, large = webhook.peak(), body(object=pod({"phase": "Failed", "message": "m" * (MAX_BYTES - 1_000)}))

    answers = await webhook.post_all(large, 50)
    await webhook.hang(2 * MOST_CONNECTIONS)
    after = await webhook.post_all(body(), 10)

    assert {status for status, _ in answers} <= {200, 503, DROPPED}
    assert sum(answers.values()) == 50
    assert {status for status, _ in after} == {200}
    assert webhook.peak() - before < MORE_KILOBYTES
