"""Reads the end of a container's log."""

import asyncio
from typing import Final

from agent.core.run_event import PodReference
from agent.kube.connection import Connection
from agent.kube.errors import ApiError, Unreachable
from agent.kube.pods import pod_path

READ_LIMIT: Final = 1 << 20
"""Bytes asked of the server: more than are kept. The kubelet starts at ``tailLines`` and stops after ``limitBytes``, so
a tight limit would cut off the end, which is what we want."""

_CONTINUATION_BYTES: Final = bytes(range(0x80, 0xC0))

CONCURRENT_READS: Final = 8


class LogUnavailable(Exception):
    """The log could not be read; the text says why, for the list of missing evidence."""


class LogReader:
    """Reads log tails, at most ``concurrent`` at a time. Needs the verb get on pods/log."""

    def __init__(self, connection: Connection, *, concurrent: int = CONCURRENT_READS) -> None:
        self._connection = connection
        self._slots = asyncio.Semaphore(concurrent)

    async def tail(
        self, pod: PodReference, container: str, *, previous: bool, lines: int, max_bytes: int, deadline: float
    ) -> str:
        """The last ``lines`` lines, of these the last ``max_bytes`` bytes; ``previous``: before the last restart.

        ``deadline`` is in seconds and includes the wait for a free slot. Bytes that are not UTF-8 are replaced. Raises
        LogUnavailable.
        """
        params = {
            "container": container,
            "previous": "true" if previous else "false",
            "tailLines": str(lines),
            "limitBytes": str(max(READ_LIMIT, max_bytes)),
        }
        try:
            async with asyncio.timeout(deadline), self._slots:
                body = await self._connection.get(f"{pod_path(pod)}/log", params, seconds=deadline)
        except TimeoutError as error:
            raise LogUnavailable(f"the log was not read within {deadline:g} s") from error
        except (ApiError, Unreachable) as error:
            raise LogUnavailable(str(error)) from error
        return _cut(body, max_bytes).decode(errors="replace")


def _cut(body: bytes, limit: int) -> bytes:
    """The last ``limit`` bytes, without the rest of a character that was cut in two."""
    kept = body[-limit:] if limit > 0 else b""
    return kept if len(kept) == len(body) else kept.lstrip(_CONTINUATION_BYTES)
