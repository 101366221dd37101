"""A certificate authority for tests: what it signs is trusted by who was given its certificate, and by nobody else."""

import ipaddress
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from tests.servers.credential import ClientCertificate

_HOST: Final = "localhost"
_LOOPBACK: Final = "127.0.0.1"
_DAY: Final = timedelta(days=1)
_PURPOSES: Final = (ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH)


class Authority:
    """An authority that keeps its certificate, and those it signs, as PEM files in ``folder``."""

    def __init__(self, folder: Path, *, name: str = "authority") -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._folder: Final = folder
        self._key: Final = ec.generate_private_key(ec.SECP256R1())
        self._name: Final = _named(name)
        self.certificate: Final = folder / f"{name}.crt"
        """Its own certificate, to be trusted."""
        signed = (
            _unsigned(self._name, _DAY)
            .issuer_name(self._name)
            .public_key(self._key.public_key())
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        self.certificate.write_bytes(signed.public_bytes(Encoding.PEM))

    def issue(self, name: str, *, lasts: timedelta = _DAY) -> ClientCertificate:
        """A certificate of ``name`` and its key (PKCS #8), for servers on loopback and for clients.

        It is good from a day ago, and as long as it ``lasts`` from now: less than nothing is expired.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        hosts = [x509.DNSName(_HOST), x509.IPAddress(ipaddress.ip_address(_LOOPBACK))]
        signed = (
            _unsigned(_named(name), lasts)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(_PURPOSES), critical=False)
            .add_extension(x509.SubjectAlternativeName(hosts), critical=False)
            .sign(self._key, hashes.SHA256())
        )
        files = ClientCertificate(certificate=self._folder / f"{name}.crt", key=self._folder / f"{name}.key")
        files.certificate.write_bytes(signed.public_bytes(Encoding.PEM))
        files.key.touch(mode=0o600)
        files.key.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
        return files


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _unsigned(subject: x509.Name, lasts: timedelta) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - 2 * _DAY)
        .not_valid_after(now + lasts)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    """What a key is for: an authority's signs certificates, any other's signs handshakes."""
    return x509.KeyUsage(
        digital_signature=not signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        key_cert_sign=signs,
        crl_sign=signs,
        encipher_only=False,
        decipher_only=False,
    )
