"""What the admin client says it does, the broker did."""

from contextlib import closing

import pytest
from pulsar import Client, ConsoleLogger, LoggerLevel

from tests.servers.pulsar_admin import Admin
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace, make_namespace

pytestmark = pytest.mark.slow


@pytest.fixture
def admin(pulsar: PulsarBroker) -> Admin:
    return pulsar.admin


def send(broker: PulsarBroker, topic: str, count: int) -> None:
    with closing(Client(broker.url, logger=ConsoleLogger(LoggerLevel.Error))) as client:
        producer = client.create_producer(topic)
        for _ in range(count):
            producer.send(b"told")


def test_tenants_and_namespaces(pulsar: PulsarBroker, admin: Admin) -> None:
    admin.create_tenant("mine", "boss")
    made = make_namespace(pulsar, tenant="mine")
    assert made.tenant == "mine"
    assert admin.do("GET", "tenants/mine")["adminRoles"] == ["boss"]
    assert admin.namespaces("mine") == [made.name]

    admin.delete_namespace(made.name)

    assert admin.namespaces("mine") == []


def test_policies_of_a_namespace(admin: Admin, pulsar_namespace: PulsarNamespace) -> None:
    name = pulsar_namespace.name
    admin.set_deduplication(name, enabled=True)
    admin.set_retention(name, minutes=60, megabytes=-1)
    admin.set_time_to_live(name, 5)
    admin.set_backlog_quota(name, size=1000, policy="producer_exception")
    admin.set_inactive_topics(name, delete=True, seconds=7)

    policies = admin.policies(name)

    assert policies["deduplicationEnabled"] is True
    assert policies["retention_policies"] == {"retentionTimeInMinutes": 60, "retentionSizeInMB": -1}
    assert policies["message_ttl_in_seconds"] == 5
    assert policies["backlog_quota_map"]["destination_storage"]["policy"] == "producer_exception"
    assert policies["inactive_topic_policies"]["maxInactiveDurationSeconds"] == 7


def test_rights_in_a_namespace(admin: Admin, pulsar_namespace: PulsarNamespace) -> None:
    admin.grant(pulsar_namespace.name, "agent/one", ["produce"])
    admin.grant(pulsar_namespace.name, "scheduler", ["produce", "consume"])
    granted = {role: set(actions) for role, actions in admin.permissions(pulsar_namespace.name).items()}
    assert granted == {"agent/one": {"produce"}, "scheduler": {"produce", "consume"}}

    admin.revoke(pulsar_namespace.name, "agent/one")

    assert set(admin.permissions(pulsar_namespace.name)) == {"scheduler"}


def test_rights_on_a_topic(admin: Admin, pulsar_namespace: PulsarNamespace) -> None:
    topic = pulsar_namespace.topic("a")
    admin.create_topic(topic)
    admin.grant_topic(topic, "agent", ["produce"])

    granted = admin.policies(pulsar_namespace.name)["auth_policies"]["destination_auth"]

    assert granted == {topic: {"agent": ["produce"]}}


def test_topics(admin: Admin, pulsar_namespace: PulsarNamespace) -> None:
    one, two, many = map(pulsar_namespace.topic, ("one", "a name: with é", "many"))
    admin.create_topic(one)
    admin.create_topic(two)
    admin.create_partitioned_topic(many, 2)
    assert set(admin.topics(pulsar_namespace.name)) >= {one, f"{many}-partition-0", f"{many}-partition-1"}
    assert admin.subscriptions(two) == []

    admin.delete_topic(one)

    assert one not in admin.topics(pulsar_namespace.name)


def test_subscriptions_and_their_backlogs(
    pulsar: PulsarBroker, admin: Admin, pulsar_namespace: PulsarNamespace
) -> None:
    topic = pulsar_namespace.topic("a")
    admin.create_subscription(topic, "all")
    send(pulsar, topic, 3)
    admin.create_subscription(topic, "new", at="latest")
    admin.unload(topic)
    send(pulsar, topic, 2)

    assert {name: admin.backlog(topic, name) for name in admin.subscriptions(topic)} == {"all": 5, "new": 2}
    assert admin.statistics(topic)["msgInCounter"] == 2
    assert sum(ledger["entries"] for ledger in admin.ledgers(topic)["ledgers"]) == 3

    admin.delete_subscription(topic, "new")

    assert admin.subscriptions(topic) == ["all"]


def test_a_refusal_fails_the_test_with_what_the_broker_said(admin: Admin) -> None:
    with pytest.raises(AssertionError, match=r"GET namespaces/no/such: 404 .*does not exist"):
        admin.policies("no/such")
