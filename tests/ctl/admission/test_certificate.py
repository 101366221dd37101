import base64
import io
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml
from cryptography import x509

from agent.ctl.admission.certificate import CertificateRequest, issue, kept, names, run
from tests.simulator.api import Json

NOW = datetime.now(UTC)
HOST = "failure-agent-webhook.failure-agent.svc"
REQUEST = CertificateRequest(namespace="failure-agent", service="failure-agent-webhook", days=10)


def printed(request: CertificateRequest = REQUEST) -> tuple[Json, Json]:
    out = io.StringIO()
    run(request, now=NOW, out=out)
    secret, configuration = yaml.safe_load_all(out.getvalue())
    return secret, configuration


def handshake(folder: Path, secret: Json, bundle: str, host: str) -> None:
    """Connect as an API server does. Raises SSLCertVerificationError."""
    for name, content in secret["data"].items():
        (folder / name).write_bytes(base64.b64decode(content))
    server = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    server.load_cert_chain(folder / "tls.crt", folder / "tls.key")
    client = ssl.create_default_context(cadata=base64.b64decode(bundle).decode())
    client.verify_flags |= ssl.VERIFY_X509_STRICT
    there, back = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [client.wrap_bio(back, there, server_hostname=host), server.wrap_bio(there, back, server_side=True)]
    while sides:
        try:
            sides[0].do_handshake()
            sides.pop(0)
        except ssl.SSLWantReadError:
            sides.reverse()


@pytest.mark.parametrize("host", [HOST, f"{HOST}.cluster.local"])
def test_what_is_printed_is_trusted_under_the_names_of_the_service(tmp_path: Path, host: str) -> None:
    secret, configuration = printed()

    handshake(tmp_path, secret, configuration["webhooks"][0]["clientConfig"]["caBundle"], host)


def test_it_is_trusted_under_no_other_name_and_by_nobody_else(tmp_path: Path) -> None:
    secret, configuration = printed()
    _, another = printed()

    with pytest.raises(ssl.SSLCertVerificationError, match="Hostname mismatch"):
        handshake(tmp_path, secret, configuration["webhooks"][0]["clientConfig"]["caBundle"], "kubernetes.default.svc")
    with pytest.raises(ssl.SSLCertVerificationError, match="unable to get local issuer"):
        handshake(tmp_path, secret, another["webhooks"][0]["clientConfig"]["caBundle"], HOST)


def test_only_the_trust_of_the_configuration_is_printed() -> None:
    _, configuration = printed()

    (webhook,) = configuration["webhooks"]
    assert (configuration["metadata"], webhook.keys()) == ({"name": "failure-agent"}, {"name", "clientConfig"})
    assert webhook["clientConfig"].keys() == {"caBundle"}


def test_the_secret_is_where_the_manifests_mount_it() -> None:
    secret, _ = printed()

    assert secret["type"] == "kubernetes.io/tls"
    assert (secret["metadata"]["namespace"], secret["metadata"]["name"]) == ("failure-agent", "failure-agent-webhook")
    assert secret["data"].keys() == {"tls.crt", "tls.key", "ca.crt"}


def test_it_is_valid_for_the_days_that_were_asked_for() -> None:
    secret, _ = printed()

    certificate = x509.load_pem_x509_certificate(base64.b64decode(secret["data"]["tls.crt"]))
    assert abs(certificate.not_valid_after_utc - NOW - timedelta(days=10)) < timedelta(seconds=1)
    assert certificate.not_valid_before_utc < NOW


def test_the_longest_names_have_a_certificate() -> None:
    hosts = names("s" * 63, "n" * 63)

    certificate = x509.load_pem_x509_certificate(issue(hosts, now=NOW, lasts=timedelta(days=1)).certificate)
    named = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert named.get_values_for_type(x509.DNSName) == list(hosts)


def test_of_a_bundle_what_has_expired_is_not_kept() -> None:
    good, expired = (issue(("a",), now=NOW - timedelta(days=2), lasts=timedelta(days=days)) for days in (3, 1))

    assert kept(good.authority + expired.authority, NOW) == good.authority
    assert kept(b"\n", NOW) == b""
