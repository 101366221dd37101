"""Can the broker be reached, and does it take us for who we are? In the broker's own words, and with the mend.

Address, TLS, identity, namespace, right: each is asked after the one before it is fine.
"""

import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final

from agent.broker.port import BadAddress
from agent.broker.pulsar import frames
from agent.broker.pulsar.client import Site
from agent.broker.pulsar.names import Names
from agent.broker.pulsar.registry import REGISTRY
from agent.broker.pulsar.security import authorities, check_files, token_of

_SECONDS: Final = 3.0
_LARGEST_FRAME: Final = 1 << 20


class CheckStep(StrEnum):
    """What is looked at, in this order."""

    ADDRESS = "address"
    TLS = "tls"
    TOKEN = "token"  # noqa: S105 - a step's name
    TENANT = "tenant"
    PERMISSION = "permission"
    SETTINGS = "settings"


class Wrong(Exception):
    """What is wrong, and how to mend it."""

    def __init__(self, step: CheckStep, words: str, *, mend: str) -> None:
        super().__init__(f"{step} is wrong: {words}; {mend}")
        self.step = step
        self.words = words
        self.mend = mend


def reach(site: Site) -> None:
    """Try each host as far as to a topic of our namespace. Raises the Wrong of the first host if none leads there."""
    first: Wrong | None = None
    for host, port in site.address.hosts:
        try:
            _reach_host(site, host, port)
        except Wrong as wrong:
            first = first or wrong
        else:
            return
    if first is not None:
        raise first


def explanation(site: Site) -> str | None:
    """Why nothing can be had, if it can be told."""
    try:
        reach(site)
    except Wrong as wrong:
        return str(wrong)
    return None


def _reach_host(site: Site, host: str, port: int) -> None:
    plain = _connect(host, port)
    with plain, _named(site, f"{host}:{port}"):
        stream = _encrypted(site, plain, host) if site.address.secure else plain
        with stream, _shaken(site):
            _introduce(site, stream)
            _ask_for_namespace(site, stream)


def _connect(host: str, port: int) -> socket.socket:
    where = f"{host}:{port}"
    try:
        return socket.create_connection((host, port), timeout=_SECONDS)
    except socket.gaierror as error:
        raise Wrong(CheckStep.ADDRESS, f"there is no host {host}", mend="correct the host in broker.url") from error
    except ConnectionRefusedError as error:
        mend = "correct the port in broker.url (pulsar:// 6650, pulsar+ssl:// 6651), or start the broker"
        raise Wrong(CheckStep.ADDRESS, f"nothing listens at {where}", mend=mend) from error
    except OSError as error:
        mend = "see that a firewall or NetworkPolicy lets this process through"
        raise Wrong(CheckStep.ADDRESS, f"{where} does not answer: {error}", mend=mend) from error


@contextmanager
def _named(site: Site, where: str) -> Iterator[None]:
    """What a connection that is cut or silent means."""
    other = "pulsar" if site.address.secure else "pulsar+ssl"
    try:
        yield
    except ssl.SSLError as error:
        raise _tls_wrong(site, error) from error
    except (TimeoutError, ConnectionError, EOFError, ValueError) as error:
        words = f"{where} listens and does not speak as {site.address.scheme}:// does"
        raise Wrong(CheckStep.TLS, words, mend=f"try {other}:// with its own port, or see that it is Pulsar") from error


@contextmanager
def _shaken(site: Site) -> Iterator[None]:
    """With TLS 1.3 a certificate that is missing or refused ends the connection only after the handshake."""
    try:
        yield
    except (ssl.SSLError, ConnectionError, EOFError) as error:
        if not site.address.secure:
            raise
        raise (
            _wants_certificate() if site.settings.certificate_file is None else _refuses_certificate(error)
        ) from error


def _wants_certificate() -> Wrong:
    mend = "give broker.pulsar.certificateFile and keyFile"
    return Wrong(CheckStep.TLS, "the broker wants a certificate of ours", mend=mend)


def _refuses_certificate(error: Exception) -> Wrong:
    mend = "see that broker.pulsar.certificateFile is signed by whom the broker trusts, and has not expired"
    return Wrong(CheckStep.TLS, f"the broker refuses our certificate: {error}", mend=mend)


def _tls_wrong(site: Site, error: ssl.SSLError) -> Wrong:
    said = error.reason or str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        words = f"the broker's certificate is not trusted: {error.verify_message}"
        if "match" in error.verify_message:
            return Wrong(
                CheckStep.TLS, words, mend="use a host the certificate names, or set broker.pulsar.checkHostname"
            )
        return Wrong(CheckStep.TLS, words, mend="name the authority that signed it in broker.pulsar.caFile")
    if "ALERT" in said and site.settings.certificate_file is None:
        return _wants_certificate()
    if any(word in said for word in ("WRONG_VERSION", "UNEXPECTED_EOF", "RECORD_LAYER")):
        return Wrong(
            CheckStep.TLS, "the broker does not speak TLS at this port", mend="use pulsar://, or the TLS port, 6651"
        )
    return _refuses_certificate(error)


def _encrypted(site: Site, plain: socket.socket, host: str) -> ssl.SSLSocket:
    settings = site.settings
    try:
        check_files(settings)
        context = ssl.create_default_context(cafile=authorities(settings))
        context.check_hostname = settings.check_hostname
        if settings.certificate_file is not None and settings.key_file is not None:
            context.load_cert_chain(settings.certificate_file, settings.key_file)
    except BadAddress as error:
        raise Wrong(CheckStep.TLS, str(error), mend="correct the path, or what may read it") from error
    except ssl.SSLError as error:
        mend = "caFile, certificateFile and keyFile hold PEM; the certificate's key is keyFile"
        raise Wrong(CheckStep.TLS, f"a file of broker.pulsar cannot be used: {error}", mend=mend) from error
    return context.wrap_socket(plain, server_hostname=host)


def _introduce(site: Site, stream: socket.socket) -> None:
    method, data = _credentials(site)
    stream.sendall(frames.connect(method=method, data=data))
    answer = _answer(stream)
    if answer.kind == frames.CONNECTED:
        return
    said = frames.text(answer.fields, 3) or "no reason is given"
    if not method:
        mend = "give broker.pulsar.tokenFile, or certificateFile and keyFile"
        raise Wrong(CheckStep.TOKEN, f"the broker asks who we are: {said}", mend=mend)
    what = "token" if method == "token" else "certificate"
    mend = "put a token of this cluster, not expired, into broker.pulsar.tokenFile (pulsar tokens create)"
    raise Wrong(CheckStep.TOKEN, f"the broker refuses the {what}: {said}", mend=mend)


def _credentials(site: Site) -> tuple[str, bytes]:
    try:
        token = token_of(site.settings)
    except BadAddress as error:
        raise Wrong(CheckStep.TOKEN, str(error), mend="write the token into the file, alone") from error
    if token is not None:
        return "token", token().encode()
    return ("tls", b"") if site.settings.certificate_file is not None else ("", b"")


def _ask_for_namespace(site: Site, stream: socket.socket) -> None:
    names = Names(site.address.namespace)
    stream.sendall(frames.partitions(names.full(REGISTRY)))
    answer = _answer(stream)
    code, said = answer.fields.get(4), frames.text(answer.fields, 5)
    if code is None:
        return
    if code == frames.AUTHORIZATION_ERROR:
        mend = f"have an operator grant it: pulsar-admin namespaces grant-permission {names.namespace} --role ROLE ..."
        raise Wrong(CheckStep.PERMISSION, f"our role has no right in {names.namespace}: {said}", mend=mend)
    mend = f"correct it, or make it: pulsar-admin tenants create, pulsar-admin namespaces create {names.namespace}"
    raise Wrong(CheckStep.TENANT, f"{names.namespace}: {said}", mend=mend)


def _answer(stream: socket.socket) -> frames.Command:
    size = int.from_bytes(_exactly(stream, 4))
    if size > _LARGEST_FRAME:
        raise ValueError("not a frame of Pulsar")
    return frames.command_of(_exactly(stream, size))


def _exactly(stream: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        part = stream.recv(count - len(got))
        if not part:
            raise EOFError("the connection was closed")
        got += part
    return got
