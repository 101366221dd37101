import ssl
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import structlog
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    PrivateFormat,
    load_pem_private_key,
)
from prometheus_client import REGISTRY

from agent.cluster.admission.certificates import Certificates, read_credential
from agent.settings.admission import AdmissionSettings
from agent.settings.fault import ConfigError
from tests.cluster.admission.reviews import body
from tests.cluster.admission.serving import Scripted, Served, head, served
from tests.cluster.living import eventually
from tests.servers.authority import Authority
from tests.servers.credential import ClientCertificate
from tests.volume import rewrite


def gauge(name: str) -> float | None:
    return REGISTRY.get_sample_value(f"failure_agent_admission_certificate_{name}")


def settings(certificate: ClientCertificate, client_ca: Path | None = None) -> AdmissionSettings:
    return AdmissionSettings(
        certificate_file=certificate.certificate, key_file=certificate.key, client_ca_file=client_ca
    )


async def serial(webhook: Served) -> str:
    """The serial number of the certificate that a new connection sees."""
    _, writer = await webhook.connect()
    seen = writer.get_extra_info("peercert")
    writer.close()
    return str(seen["serialNumber"])


async def test_a_changed_certificate_is_served_and_no_connection_is_dropped(tmp_path: Path) -> None:
    async with served(tmp_path, Scripted()) as webhook:
        before, expired = await serial(webhook), gauge("expiry_timestamp_seconds")
        reader, writer = await webhook.connect()
        webhook.renew(lasts=timedelta(days=2))
        await eventually(lambda: gauge("expiry_timestamp_seconds") != expired)
        after = await serial(webhook)
        writer.write(head(len(body())) + body())
        answer = await reader.readuntil(b"}}")
        writer.close()

    assert (b"200 OK" in answer, before != after) == (True, True)


@pytest.mark.parametrize("broken", ["webhook.crt", "webhook.key"])
async def test_a_broken_certificate_is_reported_and_the_last_one_stays(tmp_path: Path, broken: str) -> None:
    with structlog.testing.capture_logs() as logs:
        async with served(tmp_path, Scripted()) as webhook:
            before = await serial(webhook)
            webhook.secret.change(broken, b"broken")
            await eventually(lambda: gauge("refused") == 1)
            after, check = await serial(webhook), webhook.server.check()
            webhook.renew()
            await eventually(lambda: gauge("refused") == 0)
            renewed = await serial(webhook)

    assert (after, check, renewed != before) == (before, None, True)
    assert [line["faults"].split(":")[0] for line in logs if "faults" in line] == [str(tmp_path / "secret" / broken)]


async def test_with_an_expired_certificate_the_webhook_is_not_ready(tmp_path: Path) -> None:
    async with served(tmp_path, Scripted(), lasts=timedelta(seconds=-1)) as webhook:
        check = webhook.server.check()
        with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
            await webhook.connect()
        webhook.secret.change("webhook.crt", b"broken")
        await eventually(lambda: gauge("refused") == 1)
        both = webhook.server.check()
        webhook.renew()
        await eventually(lambda: webhook.server.check() is None)

    assert str(check).startswith("the webhook's certificate expired at 20")
    broken = webhook.secret.folder / "webhook.crt"
    assert f"{check}; {broken}: admission.certificateFile: has no certificate" in str(both)


def test_the_expiry_is_that_of_the_first_certificate_of_the_chain_to_expire(tmp_path: Path) -> None:
    issued = Authority(tmp_path).issue("webhook", lasts=timedelta(hours=1))
    intermediate = Authority(tmp_path).issue("intermediate", lasts=timedelta(minutes=1))
    alone = read_credential(settings(issued)).value
    issued.certificate.write_bytes(issued.certificate.read_bytes() + intermediate.certificate.read_bytes())

    assert read_credential(settings(issued)).value.expires == alone.expires - timedelta(minutes=59)


def test_a_certificate_that_is_not_valid_yet_is_not_ready(tmp_path: Path) -> None:
    issued = Authority(tmp_path).issue("webhook")
    early = Certificates(settings(issued), clock=lambda: datetime(2020, 1, 1, tzinfo=UTC), reload=timedelta(seconds=1))

    assert str(early.check()).startswith("the webhook's certificate is not valid before 20")


def encrypted(file: Path) -> None:
    key = load_pem_private_key(file.read_bytes(), password=None)
    file.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, BestAvailableEncryption(b"secret")))


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda folder: (folder / "webhook.crt").unlink(), "webhook.crt: admission.certificateFile: cannot be read"),
        (lambda folder: (folder / "webhook.crt").write_text(""), "webhook.crt: admission.certificateFile: has no cert"),
        (lambda folder: (folder / "webhook.key").unlink(), "webhook.key: admission.keyFile: is no key of the certif"),
        (lambda folder: (folder / "webhook.key").write_text("x"), "webhook.key: admission.keyFile: is no key of the"),
        (lambda folder: encrypted(folder / "webhook.key"), "webhook.key: admission.keyFile: is no key of the certif"),
        (lambda folder: (folder / "client.crt").unlink(), "client.crt: admission.clientCaFile: cannot be used"),
        (lambda folder: (folder / "client.crt").write_text("x"), "client.crt: admission.clientCaFile: cannot be used"),
        (
            lambda folder: (folder / "webhook.crt").write_bytes((folder / "client.crt").read_bytes()),
            "webhook.key: admission.keyFile: is no key of the certificate: KEY_VALUES_MISMATCH",
        ),
    ],
)
def test_files_that_cannot_be_used_are_refused_with_their_name(
    tmp_path: Path, damage: Callable[[Path], object], complaint: str
) -> None:
    issued = Authority(tmp_path, name="client").issue("webhook")
    damage(tmp_path)

    with pytest.raises(ConfigError, match=complaint):
        read_credential(settings(issued, tmp_path / "client.crt"))


async def answered(webhook: Served, client: ClientCertificate | None) -> bool:
    try:
        reader, writer = await webhook.connect(client)
    except (OSError, EOFError):
        return False
    writer.write(head(len(body())) + body())
    try:
        return b"200 OK" in await reader.readuntil(b"}}")
    except (OSError, EOFError):
        return False
    finally:
        writer.transport.abort()


async def test_with_a_client_ca_only_its_clients_are_answered(tmp_path: Path) -> None:
    apiserver, stranger = Authority(tmp_path / "clients"), Authority(tmp_path / "strangers")
    decider = Scripted()
    async with served(tmp_path, decider, client_ca=apiserver.certificate) as webhook:
        ours, others, expired = (
            apiserver.issue("apiserver"),
            stranger.issue("apiserver"),
            apiserver.issue("old", lasts=timedelta(seconds=-1)),
        )
        clients = (ours, others, expired, None)
        answers = [await answered(webhook, client) for client in clients]
        asked = len(decider.asked)
        with structlog.testing.capture_logs() as logs:
            rewrite(apiserver.certificate, stranger.certificate.read_text())
            await eventually(lambda: "the webhook's certificate was read again" in [line["event"] for line in logs])
        changed = [await answered(webhook, client) for client in clients]

    assert (answers, asked) == ([True, False, False, False], 1)
    assert changed == [False, True, False, False]
