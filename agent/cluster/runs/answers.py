"""Puts the answers to commands into the spool, and waits until they are on disk; two errors stand for no answer."""

from collections.abc import Callable

from agent.cluster.runs.envelope import Envelope, RunContent
from agent.cluster.spool.entries import Answer
from agent.cluster.spool.writer import SpoolWriter
from agent.core.run_event import Confirmation, Identity, PodReference


class Waits(Exception):
    """It cannot be done yet: the broker keeps it, and it is tried again."""


class Refused(Exception):
    """It can never be done here: it becomes a dead letter."""


class Answers:
    """``clean`` makes texts of the API server fit to be kept: stripped, redacted and bounded."""

    def __init__(self, envelope: Envelope, writer: SpoolWriter, *, clean: Callable[[str], str]) -> None:
        self.envelope = envelope
        self.clean = clean
        self._writer = writer

    async def give(
        self,
        run: Identity,
        pod: PodReference,
        content: RunContent,
        *,
        confirmed: Confirmation | None = None,
        gated: bool = False,
    ) -> None:
        """Answer under an id of its own: it is published although the same was published before."""
        await self._save(self.envelope.answer(run, pod, content, confirmed=confirmed, gated=gated))

    async def give_once(
        self,
        run: Identity,
        pod: PodReference,
        content: RunContent,
        *,
        confirmed: Confirmation | None = None,
        gated: bool = False,
    ) -> None:
        """Answer under the id that the same has for everybody who observes it."""
        report = self.envelope.report(run, pod, content, confirmed=confirmed, gated=gated)
        await self._save(Answer(report=report))

    async def _save(self, answer: Answer) -> None:
        self._writer.put(answer)
        await self._writer.drained()
