"""The secured broker lets in whom it knows, and lets them do what they were granted."""

from contextlib import closing
from datetime import UTC, datetime, timedelta
from http import HTTPStatus
from pathlib import Path

import pulsar as client
import pytest

from tests.servers.authority import Authority
from tests.servers.client import Client
from tests.servers.pulsar import StartSecurePulsar
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.servers.pulsar_security import SecurePulsarBroker
from tests.servers.sockets import listening

pytestmark = pytest.mark.slow

QUIET = client.ConsoleLogger(client.LoggerLevel.Error)


def connect(url: str, authentication: object, authority: Path, *, seconds: int = 30) -> client.Client:
    return client.Client(
        url,
        authentication=authentication,
        operation_timeout_seconds=seconds,
        tls_trust_certs_file_path=str(authority),
        logger=QUIET,
    )


def send(
    broker: SecurePulsarBroker, topic: str, authentication: object, *, url: str | None = None, seconds: int = 30
) -> None:
    authority = broker.authority.certificate
    with closing(connect(url or broker.url, authentication, authority, seconds=seconds)) as connected:
        connected.create_producer(topic).send(b"told")


def by_certificate(broker: SecurePulsarBroker, role: str) -> object:
    own = broker.certificate(role)
    return client.AuthenticationTLS(str(own.certificate), str(own.key))


def test_a_role_may_do_what_it_was_granted(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace
) -> None:
    token = client.AuthenticationToken(secure_pulsar.token("agent"))
    topic = secure_namespace.topic("a")
    with pytest.raises(client.AuthorizationError):
        send(secure_pulsar, topic, token)

    secure_pulsar.admin.grant(secure_namespace.name, "agent", ["produce"])

    send(secure_pulsar, topic, token)
    send(secure_pulsar, topic, token, url=secure_pulsar.plain_url)
    with (
        closing(connect(secure_pulsar.url, token, secure_pulsar.authority.certificate)) as connected,
        pytest.raises(client.AuthorizationError),
    ):
        connected.subscribe(topic, "mine")


def test_a_role_is_known_by_its_certificate_too(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace
) -> None:
    secure_pulsar.admin.grant(secure_namespace.name, "known", ["produce"])
    topic = secure_namespace.topic("a")

    send(secure_pulsar, topic, by_certificate(secure_pulsar, "known"))
    with pytest.raises(client.AuthorizationError):
        send(secure_pulsar, topic, by_certificate(secure_pulsar, "unknown"))


def test_the_admin_api_asks_who_one_is(secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace) -> None:
    path = f"namespaces/{secure_namespace.name}"
    nobody = Client(url=f"http://127.0.0.1:{secure_pulsar.site.web_port}", tls=None, token=None)

    assert secure_pulsar.admin.ask("GET", path).status == HTTPStatus.OK
    assert secure_pulsar.administrate("agent").ask("GET", path).status == HTTPStatus.FORBIDDEN
    assert nobody.ask("GET", f"/admin/v2/{path}").status == HTTPStatus.UNAUTHORIZED


@pytest.mark.parametrize("why", ["expired", "of another secret", "none"])
def test_who_has_no_good_token_is_not_let_in(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace, why: str
) -> None:
    secure_pulsar.admin.grant(secure_namespace.name, "agent", ["produce"])
    token = secure_pulsar.token("agent")
    bad = {
        "expired": secure_pulsar.token("agent", expires_at=datetime.now(UTC) - timedelta(minutes=1)),
        "of another secret": f"{token[:-8]}AAAAAAAA",
    }
    authentication = client.AuthenticationToken(bad[why]) if why in bad else None

    with pytest.raises(client.Timeout):
        send(secure_pulsar, secure_namespace.topic("a"), authentication, seconds=2)


def test_who_trusts_another_authority_does_not_connect(
    secure_pulsar: SecurePulsarBroker, secure_namespace: PulsarNamespace, tmp_path: Path
) -> None:
    token = client.AuthenticationToken(secure_pulsar.token("admin"))
    with (
        closing(connect(secure_pulsar.url, token, Authority(tmp_path).certificate)) as connected,
        pytest.raises(client.ConnectError),
    ):
        connected.create_producer(secure_namespace.topic("a"))


def test_it_listens_on_loopback_only(secure_pulsar: SecurePulsarBroker) -> None:
    assert listening([secure_pulsar.process.pid]) == {"127.0.0.1"}


def test_where_certificates_are_required_a_token_alone_is_not_enough(start_secure_pulsar: StartSecurePulsar) -> None:
    own = start_secure_pulsar(certificates_required=True)
    token = client.AuthenticationToken(own.token("admin"))
    topic = "persistent://public/default/a"

    send(own, topic, by_certificate(own, "admin"))
    with pytest.raises(client.Timeout):
        send(own, topic, token, seconds=2)
