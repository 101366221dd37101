"""What an authority signs is good for TLS both ways with those who trust it, as OpenSSL sees it."""

import socket
import ssl
import threading
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509

from tests.servers.authority import Authority
from tests.servers.credential import ClientCertificate


def handshake(server: ClientCertificate, client: ClientCertificate, *, trusted: Path, clients_trusted: Path) -> str:
    """Whom the server takes the client for. Raises SSLError as the client sees it."""
    serving = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH, cafile=clients_trusted)
    serving.verify_mode = ssl.CERT_REQUIRED
    serving.load_cert_chain(server.certificate, server.key)
    asking = ssl.create_default_context(cafile=trusted)
    asking.load_cert_chain(client.certificate, client.key)
    near, far = socket.socketpair()
    answering = threading.Thread(target=_tell_whom, args=(serving, far))
    answering.start()
    try:
        with closing(asking.wrap_socket(near, server_hostname="127.0.0.1")) as connected:
            return connected.recv(100).decode()
    finally:
        near.close()
        answering.join()


def _tell_whom(serving: ssl.SSLContext, far: socket.socket) -> None:
    with far:
        try:
            accepted = serving.wrap_socket(far, server_side=True)
        except (ssl.SSLError, ConnectionError):
            return
        with accepted:
            presented = accepted.getpeercert(binary_form=True)
            assert presented is not None
            accepted.sendall(x509.load_der_x509_certificate(presented).subject.rfc4514_string().encode())


def test_who_trusts_it_knows_whom_it_signed(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    server, client = authority.issue("server"), authority.issue("agent")

    own = authority.certificate
    assert handshake(server, client, trusted=own, clients_trusted=own) == "CN=agent"


def test_who_trusts_another_one_does_not(tmp_path: Path) -> None:
    authority, other = Authority(tmp_path / "a"), Authority(tmp_path / "b")
    server, client = authority.issue("server"), authority.issue("agent")

    with pytest.raises(ssl.SSLCertVerificationError, match="certificate verify failed"):
        handshake(server, client, trusted=other.certificate, clients_trusted=authority.certificate)
    with pytest.raises((ssl.SSLError, ConnectionError)):
        handshake(server, client, trusted=authority.certificate, clients_trusted=other.certificate)


def test_one_that_lasted_is_expired(tmp_path: Path) -> None:
    authority = Authority(tmp_path)
    server = authority.issue("server", lasts=timedelta(minutes=-1))

    own = authority.certificate
    with pytest.raises(ssl.SSLCertVerificationError, match="expired"):
        handshake(server, authority.issue("agent"), trusted=own, clients_trusted=own)


def test_keys_are_pkcs8_and_their_owners_alone(tmp_path: Path) -> None:
    key = Authority(tmp_path).issue("agent").key

    assert key.read_text().startswith("-----BEGIN PRIVATE KEY-----")
    assert key.stat().st_mode & 0o077 == 0
