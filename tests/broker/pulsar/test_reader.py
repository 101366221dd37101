"""What a topic of Pulsar retains after Pulsar deleted what every subscription had acknowledged."""

import pytest

from agent.broker.port import Retained
from tests.broker.contract import KEY_SHARED, Sender, acknowledged_all, payloads, take, until
from tests.broker.pulsar.adapter import IMPATIENT, opened, url_of
from tests.servers.pulsar_namespace import PulsarNamespace

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("pulsar")]


def test_what_pulsar_deleted_is_neither_read_nor_waited_for(pulsar_namespace: PulsarNamespace) -> None:
    settings = IMPATIENT.model_copy(update={"admin_url": pulsar_namespace.broker.admin_url})
    topic = f"persistent/{pulsar_namespace.name}/t"
    with opened(url_of(pulsar_namespace), settings) as broker:
        broker.ensure_subscription("t", "s")
        producer = broker.producer("t", name="a")
        Sender(producer).send_all(1, 2, 3)
        producer.close()
        subscription = broker.subscribe(["t"], name="s", kind=KEY_SHARED, consumer="c")
        take(subscription, 3)
        until(acknowledged_all(broker, "t"))
        subscription.close()
        pulsar_namespace.broker.admin.do("PUT", f"{topic}/unload")
        broker.retained("t", "s")
        # Deduplication keeps messages for up to two minutes, too; this leaves only the ledger that is open.
        pulsar_namespace.broker.admin.do("DELETE", f"{topic}/truncate")

        until(lambda: broker.retained("t", "s").messages == 0)
        nothing = Retained(messages=0, oldest=None, subscribed=True, backlog=0, oldest_in_backlog=None)
        assert broker.retained("t", "s") == nothing
        assert broker.retained("t", "none") == Retained(
            messages=0, oldest=None, subscribed=False, backlog=0, oldest_in_backlog=None
        )
        reader = broker.reader("t")
        assert list(reader.read(at_most=5)) == []
        Sender(broker.producer("t", name="a")).send_all(4)
        until(lambda: payloads(reader.read(at_most=5)) == ["4"])
        assert broker.retained("t", "s").backlog == 1
