"""``failctl admission certificate``: an authority that signs one certificate, and what has to be applied of them.

The key of the authority is forgotten, so that nobody can sign a second certificate that API servers trust. A renewal
makes a new authority, and the API servers trust both until the old one expires, because the agents get the new
certificate up to minutes later.
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TextIO

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from agent.console.exits import Exit
from agent.ctl.admission.configuration import CONFIGURATION, WEBHOOK
from agent.ctl.admission.installed import installed_bundle
from agent.ctl.destination import ApiServerAddress
from agent.documents.dump import dump

_SLACK = timedelta(hours=1)
"""The certificates are valid from before now: clocks differ."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CertificateRequest:
    """For which Service, and for how long. ``renew``: keep what the API server trusts now; it is read at ``where``."""

    namespace: str
    service: str
    days: int
    renew: bool = False
    where: ApiServerAddress = field(default_factory=ApiServerAddress)


@dataclass(frozen=True, slots=True, kw_only=True)
class Issued:
    """All in PEM."""

    authority: bytes
    certificate: bytes
    key: bytes


def run(request: CertificateRequest, *, now: datetime, out: TextIO) -> Exit:
    """Print the Secret and the trust in it. Raises UsageError, UnreachableError and NotFoundError with ``renew``."""
    old = kept(installed_bundle(request.where), now) if request.renew else b""
    issued = issue(names(request.service, request.namespace), now=now, lasts=timedelta(days=request.days))
    out.write(dump(_secret(request, issued), width=1_000_000))
    out.write("---\n")
    out.write(dump(_trust(issued.authority + old), width=1_000_000))
    return Exit.FINE


def names(service: str, namespace: str) -> tuple[str, ...]:
    """The names of a Service, the first that by which API servers know it."""
    return (f"{service}.{namespace}.svc", f"{service}.{namespace}.svc.cluster.local", f"{service}.{namespace}")


def kept(bundle: bytes, now: datetime) -> bytes:
    """The certificates of a bundle that have not expired."""
    found = x509.load_pem_x509_certificates(bundle) if bundle.strip() else []
    good = [certificate for certificate in found if certificate.not_valid_after_utc > now]
    return b"".join(certificate.public_bytes(Encoding.PEM) for certificate in good)


def issue(hosts: Sequence[str], *, now: datetime, lasts: timedelta) -> Issued:
    """Make an authority and a certificate for these names."""
    authority_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    # Its own name for each: where several authorities are trusted, clients find the right one by it.
    issuer = _name(f"failure-agent webhook authority {now:%Y-%m-%d %H:%M:%S}")
    signing = x509.SubjectKeyIdentifier.from_public_key(authority_key.public_key())
    authority = (
        _unsigned(issuer, issuer, authority_key, now=now, lasts=lasts)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_usage(signs=True), critical=True)
        .add_extension(signing, critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    certificate = (
        _unsigned(_name(hosts[0]), issuer, key, now=now, lasts=lasts)
        .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
        .add_extension(_usage(signs=False), critical=True)
        .add_extension(x509.ExtendedKeyUsage([ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts]), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(signing), critical=False)
        .sign(authority_key, hashes.SHA256())
    )
    return Issued(
        authority=authority.public_bytes(Encoding.PEM),
        certificate=certificate.public_bytes(Encoding.PEM),
        key=key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()),
    )


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, text[:64])])  # no longer one may be


def _unsigned(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, *, now: datetime, lasts: timedelta
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SLACK)
        .not_valid_after(now + lasts)
    )


def _usage(*, signs: bool) -> x509.KeyUsage:
    """What a key is for: an authority's signs certificates, the other one handshakes."""
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


def _secret(request: CertificateRequest, issued: Issued) -> dict[str, object]:
    files = {"tls.crt": issued.certificate, "tls.key": issued.key, "ca.crt": issued.authority}
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {
            "name": request.service,
            "namespace": request.namespace,
            "labels": {"app.kubernetes.io/name": "failure-agent"},
        },
        "type": "kubernetes.io/tls",
        "data": {name: _base64(content) for name, content in files.items()},
    }


def _trust(bundle: bytes) -> dict[str, object]:
    """The one field of the configuration, for ``kubectl apply --server-side``: it leaves all others as they are."""
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "MutatingWebhookConfiguration",
        "metadata": {"name": CONFIGURATION},
        "webhooks": [{"name": WEBHOOK, "clientConfig": {"caBundle": _base64(bundle)}}],
    }


def _base64(content: bytes) -> str:
    return base64.b64encode(content).decode()
