"""What the store has of a cluster's events, so that the absence of a pod from a list may prove something."""

from dataclasses import dataclass
from datetime import datetime

from agent.broker.port import Acknowledged, Broker, BrokerError
from agent.broker.topics import dead_letter_topic, original_topic, replay_topic
from agent.core.lifecycle.inventory import Consumed
from agent.scheduler.consume.handler import SUBSCRIPTION
from agent.store import sequences
from agent.store.sequences import Gap
from agent.store.store import Store


@dataclass(frozen=True, slots=True, kw_only=True)
class NotKnown:
    """How much the store has cannot be found out now, so that nothing follows from a list. ``why`` is for people."""

    why: str


class ConsumedEvents:
    """Finds out whether the store has all events that the broker had before a message."""

    def __init__(self, store: Store, broker: Broker) -> None:
        self._store = store
        self._broker = broker

    def before(self, topic: str, position: str) -> Consumed | NotKnown:
        """What the store has of the events in front of this message: topic and position of a ``Delivery``.

        Give the first message of a list. Ask as late as possible: the answer is better later, and stays true. A list
        that was itself a dead letter, and was replayed, proves nothing: it is in another topic than the events.
        """
        if topic != original_topic(topic, SUBSCRIPTION):
            return Consumed(up_to_date=False)
        try:
            return self._before(topic, position)
        except BrokerError as error:
            return NotKnown(why=str(error))

    def _before(self, topic: str, position: str) -> Consumed | NotKnown:
        # In this order, because a message goes this way: from its topic to the dead letters, from there to the replays,
        # and to the dead letters again. Each time it is in the next place before it leaves the last one.
        dead_letters = dead_letter_topic(topic, SUBSCRIPTION)
        events = self._broker.acknowledged(topic, SUBSCRIPTION)
        dead = self._broker.dead_letter_keys(dead_letters)
        replays = self._broker.acknowledged(replay_topic(topic, SUBSCRIPTION), SUBSCRIPTION)
        again = self._broker.dead_letter_keys(dead_letters)
        if events is None or dead is None or replays is None or again is None:
            return NotKnown(why="the broker does not say what was acknowledged: set broker.pulsar.adminUrl")
        return Consumed(
            up_to_date=events.before(position) and replays.everything(),
            lost_before=self._lost_before(topic, events),
            dead=dead | again,
        )

    def _lost_before(self, topic: str, events: Acknowledged) -> datetime | None:
        """When the last gap was noticed that does not close any more.

        Messages that are on their way leave gaps, too. They are behind what was acknowledged, so behind the list.
        """
        with self._store.read() as connection:
            found = sequences.spools(connection, topic).values()
        return max((gap.noticed_at for spool in found for gap in spool.gaps if _stays(gap, events)), default=None)


def _stays(gap: Gap, events: Acknowledged) -> bool:
    """Whether its messages are lost: what the broker had acknowledged before is in the store now."""
    return gap.lost_at is not None or not gap.position or events.before(gap.position)
