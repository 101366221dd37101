"""Heartbeats: each cluster has a topic, each process a producer of its own, no spool; only the latest counts."""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Final

import structlog

from agent.broker.port import Broker, BrokerError, Message, Producer, SendOutcome
from agent.broker.topics import heartbeat_topic
from agent.cluster.evidence.nodes import Nodes
from agent.cluster.spool.spool import Spool, SpoolState
from agent.core.heartbeat import Heartbeat, RunOffer
from agent.wire import heartbeat as wire

_log = structlog.get_logger(__name__)
_SEND_SECONDS: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sends heartbeats. ``incarnation`` names this process."""

    cluster_id: str
    cluster: str
    incarnation: str


class Heartbeats:
    """Sends one every ``interval`` as the leader. ``measure`` is called each time with the spool's state.

    ``epoch`` gives the number of the term, ``None`` on a standby; ``offer`` says which runs the cluster takes now.
    """

    def __init__(  # noqa: PLR0913 - its collaborators; only app.py puts them together
        self,
        broker: Broker,
        sender: Sender,
        *,
        spool: Spool,
        nodes: Nodes,
        measure: Callable[[SpoolState], None],
        epoch: Callable[[], int | None],
        offer: Callable[[], RunOffer | None],
        interval: timedelta,
        clock: Callable[[], datetime],
    ) -> None:
        self._broker = broker
        self._sender = sender
        self._spool = spool
        self._nodes = nodes
        self._measure = measure
        self._epoch = epoch
        self._offer = offer
        self._interval = interval
        self._clock = clock
        self._producer: Producer | None = None
        self._sequence = 0

    async def run(self) -> None:
        """Send until cancelled. While the broker is unavailable heartbeats are missed, and nothing else."""
        loop = asyncio.get_running_loop()
        # One thread of its own: the client blocks, and a broker that hangs must not use up the default executor.
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="heartbeat") as thread:
            try:
                while True:
                    state = await asyncio.to_thread(self._spool.state)
                    self._measure(state)
                    epoch = self._epoch()
                    beat = self._close if epoch is None else partial(self._send, self._beat(state, epoch=epoch))
                    await loop.run_in_executor(thread, beat)
                    await asyncio.sleep(self._interval.total_seconds())
            finally:
                thread.submit(self._close)

    def _beat(self, state: SpoolState, *, epoch: int) -> Message:
        beat = Heartbeat(
            cluster_id=self._sender.cluster_id,
            cluster=self._sender.cluster,
            epoch=epoch,
            incarnation=self._sender.incarnation,
            spool_id=state.spool_id,
            last_spooled=state.last_spooled,
            last_acknowledged=state.last_acknowledged,
            node_shapes=self._nodes.shapes(),
            sent_at=self._clock(),
            runs=self._offer(),
        )
        return Message(key=self._sender.cluster_id, payload=wire.encode(beat), event_time=beat.sent_at)

    def _send(self, message: Message) -> None:
        try:
            if self._producer is None:
                name = f"heartbeat/{self._sender.cluster}/{self._sender.incarnation}"
                self._producer = self._broker.producer(heartbeat_topic(self._sender.cluster), name=name)
                self._sequence = max(self._producer.last_sequence_id(), 0)
            self._sequence += 1
            self._producer.send(message, sequence_id=self._sequence, done=_ended)
            self._producer.flush(_SEND_SECONDS)
        except BrokerError as error:
            _log.warning("a heartbeat could not be sent; the next one is tried in its turn", error=str(error))
            self._close()

    def _close(self) -> None:
        if self._producer is not None:
            self._producer.close()
            self._producer = None


def _ended(outcome: SendOutcome | BrokerError) -> None:
    if isinstance(outcome, BrokerError):
        _log.warning("the broker did not store a heartbeat; the next one is sent in its turn", error=str(outcome))
