"""Whether an API server that trusts a bundle accepts the certificate of a Secret."""

import ipaddress
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.x509.verification import Criticality, ExtensionPolicy, PolicyBuilder, Store, VerificationError

from agent.ctl.admission.configuration import Difference

SOON: Final = timedelta(days=14)
"""A certificate that expires earlier than this has not been renewed."""

_MAKE: Final = "failctl admission certificate --renew | kubectl apply --server-side --field-manager=failctl -f -"


def faults(chain: bytes, bundle: bytes, *, host: str, now: datetime) -> Iterator[Difference]:
    """Why the certificate is not accepted under the name ``host``, or soon will not be."""
    try:
        certificates = x509.load_pem_x509_certificates(chain)
        authorities = x509.load_pem_x509_certificates(bundle)
    except ValueError:
        what = "the Secret has no certificate in tls.crt" if b"-----BEGIN" not in chain else "caBundle is empty"
        yield Difference(f"{what}, or one that cannot be read", f"make them: {_MAKE}")
        return
    expires = min(certificate.not_valid_after_utc for certificate in certificates)
    if expires - now < SOON:
        verb = "expired" if expires <= now else "expires"
        yield Difference(f"the certificate {verb} at {expires:%Y-%m-%d %H:%M} UTC", f"renew it: {_MAKE}")
    elif (problem := _unaccepted(certificates, authorities, host, now)) is not None:
        words = f"caBundle does not fit the certificate of the Secret for {host}: {problem}"
        yield Difference(words, f"make both again: {_MAKE}")
    elif _unaccepted(certificates, authorities, host, now + SOON) is not None:
        words = f"an authority of caBundle expires within {SOON.days} days, and with it the trust in the certificate"
        yield Difference(words, f"make both again: {_MAKE}")


def _unaccepted(
    certificates: list[x509.Certificate], authorities: list[x509.Certificate], host: str, now: datetime
) -> str | None:
    """Why a client that trusts these authorities does not accept the first of the certificates."""
    # As API servers do: the name, the signatures and the times count, and no rules of the web for certificates.
    policy = (
        PolicyBuilder()
        .store(Store(authorities))
        .time(now)
        .extension_policies(ca_policy=_having(x509.BasicConstraints), ee_policy=_having(x509.SubjectAlternativeName))
    )
    try:
        policy.build_server_verifier(_subject(host)).verify(certificates[0], certificates[1:])
    except (VerificationError, UnsupportedAlgorithm, ValueError) as error:
        return str(error)
    return None


def _having(extension: type[x509.ExtensionType]) -> ExtensionPolicy:
    """Nothing but this extension is needed."""
    return ExtensionPolicy.permit_all().require_present(extension, Criticality.AGNOSTIC, None)


def _subject(host: str) -> x509.DNSName | x509.IPAddress:
    try:
        return x509.IPAddress(ipaddress.ip_address(host))
    except ValueError:
        return x509.DNSName(host)
