"""A process that uses a topic until it is killed: ``python -m tests.broker.pulsar.holder hold|acknowledge URL TOPIC``.

Says on standard output how far it is, and nothing else there. ``hold`` is its only producer and sends a message for
each line it reads.
"""

import os
import signal
import sys

from agent.broker.connect import connect
from agent.broker.port import BrokerError, Message, SendOutcome, SubscriptionKind
from agent.telemetry import logs
from tests.broker.contract import take


def say(words: object) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def told(result: SendOutcome | BrokerError) -> None:
    say(result if isinstance(result, SendOutcome) else type(result).__name__)


def hold(url: str, topic: str) -> None:
    producer = connect(url).producer(topic, name="holder", exclusive=True)
    say("holding")
    for line in sys.stdin:
        payload = line.strip()
        try:
            producer.send(Message(key="k", payload=payload.encode()), sequence_id=int(payload), done=told)
        except BrokerError as error:
            told(error)


def acknowledge(url: str, topic: str) -> None:
    """Take 20 messages, acknowledge them, and die at once."""
    subscription = connect(url).subscribe([topic], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="dying")
    take(subscription, 20)
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    logs.configure()
    {"hold": hold, "acknowledge": acknowledge}[sys.argv[1]](sys.argv[2], sys.argv[3])
