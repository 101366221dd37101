"""Who we are and whom we trust, on a real Pulsar that asks; and what the pre-flight check says of each mistake."""

import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pulsar
import pytest

from agent.broker.connect import connect
from agent.broker.port import BadAddress, Broker, BrokerError, SendOutcome, SubscriptionKind, Unreachable
from agent.broker.pulsar.address import Address
from agent.broker.pulsar.client import Endpoint, close_client, open_client
from agent.broker.pulsar.errors import Forbidden
from agent.broker.pulsar.preflight import CheckState, CheckStep, Finding, Need, check
from agent.settings.broker import BrokerSettings
from agent.settings.pulsar import PulsarSettings, Subscriptions
from tests.broker.contract import Sender, acknowledged, numbers, payloads, take
from tests.servers.authority import Authority
from tests.servers.patience import until
from tests.servers.ports import free_ports
from tests.servers.pulsar_admin import Action
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.servers.pulsar_security import SecurePulsarBroker

pytestmark = pytest.mark.slow

TOPIC = "run-events-c1"
ROLE = "agent-c1"
HOUR = timedelta(hours=1)
NEEDS = (Need(topic=TOPIC, publishes=True, subscriptions=("scheduler",)),)


@dataclass(kw_only=True)
class Secure:
    """A namespace in the secured broker, and files that say who we are; ``trust`` and ``token`` may be overwritten."""

    broker: SecurePulsarBroker
    namespace: PulsarNamespace
    folder: Path

    def __post_init__(self) -> None:
        self.trust.write_bytes(self.broker.authority.certificate.read_bytes())
        self.token.write_text(self.broker.token(ROLE))

    @property
    def trust(self) -> Path:
        return self.folder / "ca.crt"

    @property
    def token(self) -> Path:
        return self.folder / "token"

    def settings(self, **changed: object) -> PulsarSettings:
        given = PulsarSettings(token_file=self.token, ca_file=self.trust, operation_timeout=timedelta(seconds=3))
        return given.model_copy(update=changed)

    def url(self, server: str | None = None) -> str:
        return f"{server or self.broker.url}/{self.namespace.name}"

    def open(self, url: str | None = None, **changed: object) -> Broker:
        return connect(url or self.url(), self.settings(**changed))

    def check(self, url: str | None = None, **changed: object) -> tuple[Finding, ...]:
        return check(BrokerSettings(url=url or self.url(), pulsar=self.settings(**changed)), lambda _: NEEDS)

    def grant(self, *actions: Action) -> None:
        self.broker.admin.grant(self.namespace.name, ROLE, actions)

    def publish_and_consume(self, broker: Broker) -> None:
        broker.ensure_subscription(TOPIC, "s")
        sender = Sender(broker.producer(TOPIC, name="a", exclusive=True))
        first = max(sender.producer.last_sequence_id(), 0) + 1
        assert sender.send_all(first) == [SendOutcome.STORED]
        sender.producer.close()
        consumer = broker.subscribe([TOPIC], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="c")
        assert payloads(take(consumer, 1)) == numbers(first, first)
        consumer.close()


@pytest.fixture
def secure(secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace, tmp_path: Path) -> Secure:
    return Secure(broker=secure_pulsar, namespace=secure_namespace, folder=tmp_path)


@pytest.fixture
def silent_port() -> Iterator[int]:
    """Something listens there and never says a word."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        yield listening.getsockname()[1]


def wrong(findings: tuple[Finding, ...]) -> Finding:
    """The first thing that is wrong; the steps before it were fine."""
    first, *_ = [one for one in findings if one.state is CheckState.WRONG]
    steps = list(CheckStep)
    fine = [one.step for one in findings if one.state is CheckState.FINE and one.step != first.step]
    assert fine == steps[: steps.index(first.step)]
    assert first.fix
    return first


def test_a_token_over_tls(secure: Secure) -> None:
    secure.grant("produce", "consume")
    with closing(secure.open()) as broker:
        secure.publish_and_consume(broker)

    assert [(one.step, one.state) for one in secure.check()] == [
        ("address", "fine"),
        ("tls", "fine"),
        ("token", "fine"),
        ("tenant", "fine"),
        ("permission", "fine"),
        ("permission", "fine"),
        ("settings", "unknown"),
    ]


def test_a_certificate_of_our_own_instead_of_a_token(secure: Secure) -> None:
    secure.grant("produce", "consume")
    own = secure.broker.certificate(ROLE)
    with closing(secure.open(token_file=None, certificate_file=own.certificate, key_file=own.key)) as broker:
        secure.publish_and_consume(broker)


def test_a_certificate_under_a_token(secure: Secure) -> None:
    """Where both are given, the token says who we are: the certificate's name has no rights."""
    secure.grant("produce", "consume")
    own = secure.broker.certificate("nobody")
    with closing(secure.open(certificate_file=own.certificate, key_file=own.key)) as broker:
        secure.publish_and_consume(broker)


@pytest.fixture
def strict_port(secure_pulsar: SecurePulsarBroker) -> Iterator[int]:
    """TLS that lets nobody through without a certificate, and says so as TLS does; nothing is behind it."""
    server = secure_pulsar.authority.issue("strict")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=secure_pulsar.authority.certificate)
    context.verify_mode = ssl.CERT_REQUIRED
    context.load_cert_chain(server.certificate, server.key)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        shaking = threading.Thread(target=shake_hands, args=(listening, context))
        shaking.start()
        yield listening.getsockname()[1]
        listening.shutdown(socket.SHUT_RDWR)
    shaking.join()


def shake_hands(listening: socket.socket, context: ssl.SSLContext) -> None:
    while True:
        try:
            accepted, _ = listening.accept()
        except OSError:
            return
        with accepted, suppress(OSError):
            context.wrap_socket(accepted, server_side=True).close()


def test_the_check_finds_that_a_certificate_of_ours_is_wanted(secure: Secure, strict_port: int, tmp_path: Path) -> None:
    url = secure.url(f"pulsar+ssl://127.0.0.1:{strict_port}")
    none = wrong(secure.check(url))
    strange = Authority(tmp_path / "stranger", name="stranger").issue("agent")
    refused = wrong(secure.check(url, certificate_file=strange.certificate, key_file=strange.key))

    assert (none.step, none.words) == ("tls", "the broker wants a certificate of ours")
    assert (refused.step, "signed by whom the broker trusts" in refused.fix) == ("tls", True)


def test_the_library_says_timeout_to_a_refused_token_and_we_say_why(secure: Secure) -> None:
    secure.grant("produce", "consume")
    secure.token.write_text("not.a.token")
    with closing(secure.open()) as broker, pytest.raises(Unreachable, match=r"(?i)token is wrong: .*refuses the token"):
        broker.producer(TOPIC, name="a")


@pytest.mark.parametrize("expired", [False, True])
def test_a_token_that_is_replaced_is_used_without_a_restart(secure: Secure, *, expired: bool) -> None:
    secure.grant("produce", "consume")
    past = secure.broker.token(ROLE, expires_at=datetime.now(UTC) - HOUR)
    secure.token.write_text(past if expired else "not.a.token")
    with closing(secure.open()) as broker:
        with pytest.raises(Unreachable, match="token is wrong"):
            broker.ping()
        secure.token.write_text(secure.broker.token(ROLE))
        until(lambda: answers(broker), "let in")
        secure.publish_and_consume(broker)


def test_an_authority_that_is_replaced_is_trusted_without_a_restart(secure: Secure, tmp_path: Path) -> None:
    secure.grant("produce", "consume")
    stranger = Authority(tmp_path / "stranger", name="stranger").certificate
    secure.trust.write_bytes(stranger.read_bytes())
    with closing(secure.open()) as broker:
        with pytest.raises(Unreachable, match="certificate is not trusted"):
            broker.ping()
        secure.trust.write_bytes(secure.broker.authority.certificate.read_bytes())
        until(lambda: answers(broker), "trusted")
        secure.publish_and_consume(broker)


def test_a_token_file_that_is_gone_for_a_moment_changes_nothing(secure: Secure) -> None:
    secure.grant("produce", "consume")
    with closing(secure.open()) as broker:
        secure.token.unlink()
        secure.publish_and_consume(broker)


def test_files_that_are_not_there_are_named_at_the_start(secure: Secure) -> None:
    with pytest.raises(BadAddress, match=r"broker\.pulsar\.tokenFile: .*none"):
        secure.open(token_file=secure.folder / "none")
    with pytest.raises(BadAddress, match=r"broker\.pulsar\.caFile: .*none"):
        secure.open(ca_file=secure.folder / "none")


def test_a_role_without_rights_is_told_which(secure: Secure) -> None:
    secure.grant("produce")
    with closing(secure.open()) as broker, pytest.raises(Forbidden, match="lacks a permission"):
        broker.ensure_subscription(TOPIC, "s")


def test_an_agent_that_may_only_publish_relies_on_subscriptions_given(secure: Secure) -> None:
    """The operator has made the registry, the topic and the subscriptions, and lets the agent read the registry."""
    admin, names = secure.broker.admin, secure.namespace
    for topic, subscription in ((TOPIC, "s"), ("failure-agent-topics", "registry")):
        admin.create_topic(names.topic(topic))
        admin.create_subscription(names.topic(topic), subscription)
    admin.grant_topic(names.topic(TOPIC), ROLE, ["produce"])
    admin.grant_topic(names.topic("failure-agent-topics"), ROLE, ["produce", "consume"])

    with closing(secure.open(subscriptions=Subscriptions.GIVEN)) as broker:
        broker.ensure_subscription(TOPIC, "s")
        sender = Sender(broker.producer(TOPIC, name="a", exclusive=True))
        assert sender.send_all(1) == [SendOutcome.STORED]
        with pytest.raises(Forbidden):
            broker.subscribe([TOPIC], name="s", kind=SubscriptionKind.KEY_SHARED, consumer="c")
    assert admin.backlog(names.topic(TOPIC), "s") == 1


def test_the_check_finds_a_wrong_host(secure: Secure) -> None:
    found = wrong(secure.check(secure.url("pulsar+ssl://broker.invalid:6651")))
    assert (found.step, found.words) == ("address", "the host broker.invalid does not exist")


def test_the_check_finds_a_wrong_port(secure: Secure) -> None:
    (port,) = free_ports(1)
    assert wrong(secure.check(secure.url(f"pulsar+ssl://127.0.0.1:{port}"))).words.startswith("nothing listens at")


def test_the_check_tries_every_host(secure: Secure) -> None:
    secure.grant("produce", "consume")
    (port,) = free_ports(1)
    good = secure.broker.url.removeprefix("pulsar+ssl://")
    findings = secure.check(secure.url(f"pulsar+ssl://127.0.0.1:{port},{good}"))
    assert findings
    assert CheckState.WRONG not in {finding.state for finding in findings}


def test_the_check_finds_something_that_is_silent(secure: Secure, silent_port: int) -> None:
    for scheme in ("pulsar", "pulsar+ssl"):
        found = wrong(secure.check(secure.url(f"{scheme}://127.0.0.1:{silent_port}")))
        assert (found.step, "does not speak" in found.words or "refused" in found.words) == ("tls", True)


def test_the_check_finds_plain_where_tls_is_spoken_and_tls_where_it_is_not(secure: Secure) -> None:
    plain_port = secure.broker.plain_url.rpartition(":")[2]
    tls_port = secure.broker.url.rpartition(":")[2]
    to_plain = wrong(secure.check(secure.url(f"pulsar+ssl://127.0.0.1:{plain_port}")))
    to_tls = wrong(secure.check(secure.url(f"pulsar://127.0.0.1:{tls_port}")))

    assert (to_plain.step, to_plain.words) == ("tls", "the broker does not speak TLS at this port")
    assert (to_tls.step, "try pulsar+ssl://" in to_tls.fix) == ("tls", True)


def test_the_check_finds_an_authority_it_does_not_trust(secure: Secure) -> None:
    found = wrong(secure.check(ca_file=None))
    assert (found.step, "caFile" in found.fix) == ("tls", True)


def test_the_check_finds_a_certificate_of_another_host(secure: Secure) -> None:
    port = secure.broker.url.rpartition(":")[2]
    address = secure.url(f"pulsar+ssl://127.1:{port}")
    found = wrong(secure.check(address))
    assert (found.step, "checkHostname" in found.fix) == ("tls", True)
    assert CheckState.WRONG not in {
        one.state for one in secure.check(address, check_hostname=False) if one.step == "tls"
    }


def test_the_check_finds_a_token_that_expired_and_one_that_is_missing(secure: Secure) -> None:
    secure.token.write_text(secure.broker.token(ROLE, expires_at=datetime.now(UTC) - HOUR))
    expired, missing = wrong(secure.check()), wrong(secure.check(token_file=None))

    assert (expired.step, "refuses the token" in expired.words) == ("token", True)
    assert (missing.step, "asks who we are" in missing.words) == ("token", True)


def test_the_check_finds_a_namespace_that_is_not_there(secure: Secure) -> None:
    secure.token.write_text(secure.broker.token("admin"))
    found = wrong(secure.check(f"{secure.broker.url}/public/nowhere"))
    assert (found.step, "public/nowhere" in found.words, "namespaces create" in found.fix) == ("tenant", True, True)


def test_the_check_finds_a_namespace_that_makes_no_topics(secure: Secure) -> None:
    secure.grant("produce", "consume")
    secure.broker.admin.set_topic_creation(secure.namespace.name, allowed=False)
    found = wrong(secure.check())
    assert (found.step, "not created in it automatically" in found.words) == ("tenant", True)
    assert f"topics create persistent://{secure.namespace.name}/failure-agent-topics" in found.fix


def test_readiness_says_what_the_check_finds_of_the_namespace(secure: Secure) -> None:
    with (
        closing(secure.open()) as broker,
        pytest.raises(Unreachable, match=r"permission is wrong: .*has no permission in .*grant-permission"),
    ):
        broker.ping()
    secure.token.write_text(secure.broker.token("admin"))
    with (
        closing(secure.open(f"{secure.broker.url}/public/nowhere")) as broker,
        pytest.raises(Unreachable, match=r"tenant is wrong: public/nowhere does not exist, .*namespaces create"),
    ):
        broker.ping()


def test_what_the_library_says_of_who_is_refused(secure: Secure) -> None:
    """Of rights it says enough. Once it raises AuthenticationError for a refused token, ``frames`` may go."""
    said: list[type[Exception]] = []
    for token, namespace in (
        (secure.broker.token(ROLE), secure.namespace.name),
        (secure.broker.token("admin"), "public/nowhere"),
        ("not.a.token", secure.namespace.name),
    ):
        secure.token.write_text(token)
        address = Address.parse(secure.broker.url, namespace=namespace)
        client = open_client(Endpoint(address=address, settings=secure.settings()))
        with pytest.raises(pulsar.exceptions.PulsarException) as raised:
            client.get_topic_partitions(f"persistent://{namespace}/{TOPIC}")
        said.append(raised.type)
        close_client(client)

    assert said == [
        pulsar.exceptions.AuthorizationError,
        pulsar.exceptions.TopicNotFound,
        pulsar.exceptions.Timeout,
    ]


def test_the_check_finds_a_role_without_any_right_and_one_without_some(secure: Secure) -> None:
    none = wrong(secure.check())
    secure.grant("consume")
    some = wrong(secure.check())

    assert (none.step, "grant-permission" in none.fix) == ("permission", True)
    assert (some.step, "grant-permission" in some.fix) == ("permission", True)


def test_the_check_says_what_an_operator_has_set_wrong(secure: Secure) -> None:
    secure.token.write_text(secure.broker.token("admin"))
    name = secure.namespace.name
    secure.broker.admin.set_time_to_live(name, 3600)
    secure.broker.admin.set_backlog_quota(name, size=1 << 30, policy="consumer_backlog_eviction")
    own = secure.broker.certificate("admin")
    findings = secure.check(admin_url=secure.broker.admin_url, certificate_file=own.certificate, key_file=own.key)

    told = [one.fix.partition(name)[0].split()[-1] for one in findings if one.state is CheckState.WRONG]
    assert told == ["set-message-ttl", "set-backlog-quota"]
    assert [one for one in findings if one.words == "deduplication: on"]


def test_a_role_that_may_consume_knows_what_was_acknowledged(secure: Secure) -> None:
    secure.grant("produce", "consume")
    with closing(secure.open(admin_url=secure.broker.admin_url)) as broker:
        secure.publish_and_consume(broker)

        until(lambda: acknowledged(broker, TOPIC).everything(), "acknowledged")
        assert broker.dead_letter_keys(f"{TOPIC}-s-dlq") == frozenset()


def test_the_check_says_where_settings_may_not_be_read(secure: Secure) -> None:
    secure.grant("produce", "consume")
    *_, last = secure.check(admin_url=secure.broker.admin_url)
    assert (last.step, last.state, "admin of the tenant" in last.fix) == ("settings", "unknown", True)


def answers(broker: Broker) -> bool:
    try:
        broker.ping()
    except BrokerError:
        return False
    return True
