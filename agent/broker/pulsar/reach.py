"""Why the broker cannot be reached or does not let us in: in the broker's own words, and with a fix.

Address, TLS, identity: each step is tried after the previous one worked. The client library does not distinguish them
well (``frames``), so this uses a plain socket. The library reports namespace and permissions (``namespace``,
``preflight``).
"""

import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import Final

from agent.broker.port import BadAddress
from agent.broker.pulsar import frames
from agent.broker.pulsar.client import Endpoint
from agent.broker.pulsar.security import authorities, check_files, token_of

_SECONDS: Final = 3.0
_LARGEST_FRAME: Final = 1 << 20


class CheckStep(StrEnum):
    """The steps of the check, in order."""

    ADDRESS = "address"
    TLS = "tls"
    TOKEN = "token"  # noqa: S105 - a step's name
    TENANT = "tenant"
    PERMISSION = "permission"
    SETTINGS = "settings"


class CheckFailure(Exception):
    """The step that failed, what is wrong, and how to fix it."""

    def __init__(self, step: CheckStep, words: str, *, fix: str) -> None:
        super().__init__(f"{step} is wrong: {words}; {fix}")
        self.step = step
        self.words = words
        self.fix = fix


def reach(endpoint: Endpoint) -> None:
    """Try each host as far as being let in. Raises the CheckFailure of the first host if none works."""
    first: CheckFailure | None = None
    for host, port in endpoint.address.hosts:
        try:
            _reach_host(endpoint, host, port)
        except CheckFailure as wrong:
            first = first or wrong
        else:
            return
    if first is not None:
        raise first


def explanation(*checks: Callable[[], None]) -> str | None:
    """The first of the checks that fails, as words; ``None`` where none does."""
    try:
        for check in checks:
            check()
    except CheckFailure as wrong:
        return str(wrong)
    return None


def _reach_host(endpoint: Endpoint, host: str, port: int) -> None:
    plain = _connect(host, port)
    with plain, _connection_errors(endpoint, f"{host}:{port}"):
        stream = _wrap_tls(endpoint, plain, host) if endpoint.address.secure else plain
        with stream, _late_tls_errors(endpoint):
            _authenticate(endpoint, stream)


def _connect(host: str, port: int) -> socket.socket:
    where = f"{host}:{port}"
    try:
        return socket.create_connection((host, port), timeout=_SECONDS)
    except socket.gaierror as error:
        raise CheckFailure(
            CheckStep.ADDRESS, f"the host {host} does not exist", fix="correct the host in broker.url"
        ) from error
    except ConnectionRefusedError as error:
        fix = "correct the port in broker.url (pulsar:// 6650, pulsar+ssl:// 6651), or start the broker"
        raise CheckFailure(CheckStep.ADDRESS, f"nothing listens at {where}", fix=fix) from error
    except OSError as error:
        fix = "check that firewalls and NetworkPolicies let this process through"
        raise CheckFailure(CheckStep.ADDRESS, f"{where} does not answer: {error}", fix=fix) from error


@contextmanager
def _connection_errors(endpoint: Endpoint, where: str) -> Iterator[None]:
    """Raise CheckFailure for a connection that is cut or silent: most often TLS is expected on one side only."""
    other = "pulsar" if endpoint.address.secure else "pulsar+ssl"
    try:
        yield
    except ssl.SSLError as error:
        raise _tls_wrong(endpoint, error) from error
    except (TimeoutError, ConnectionError, EOFError, ValueError) as error:
        words = f"{where} accepts connections but does not speak the protocol of {endpoint.address.scheme}://"
        raise CheckFailure(
            CheckStep.TLS, words, fix=f"try {other}:// with its own port, or check that Pulsar listens there"
        ) from error


@contextmanager
def _late_tls_errors(endpoint: Endpoint) -> Iterator[None]:
    """With TLS 1.3 a missing or refused client certificate ends the connection only after the handshake."""
    try:
        yield
    except (ssl.SSLError, ConnectionError, EOFError) as error:
        if not endpoint.address.secure:
            raise
        raise (
            _certificate_missing() if endpoint.settings.certificate_file is None else _certificate_refused(error)
        ) from error


def _certificate_missing() -> CheckFailure:
    fix = "give broker.pulsar.certificateFile and keyFile"
    return CheckFailure(CheckStep.TLS, "the broker wants a certificate of ours", fix=fix)


def _certificate_refused(error: Exception) -> CheckFailure:
    fix = "check that broker.pulsar.certificateFile is signed by whom the broker trusts, and has not expired"
    return CheckFailure(CheckStep.TLS, f"the broker refuses our certificate: {error}", fix=fix)


def _tls_wrong(endpoint: Endpoint, error: ssl.SSLError) -> CheckFailure:
    said = error.reason or str(error)
    if isinstance(error, ssl.SSLCertVerificationError):
        words = f"the broker's certificate is not trusted: {error.verify_message}"
        if "match" in error.verify_message:
            return CheckFailure(
                CheckStep.TLS, words, fix="use a host the certificate names, or set broker.pulsar.checkHostname"
            )
        return CheckFailure(CheckStep.TLS, words, fix="name the authority that signed it in broker.pulsar.caFile")
    if "ALERT" in said and endpoint.settings.certificate_file is None:
        return _certificate_missing()
    if any(word in said for word in ("WRONG_VERSION", "UNEXPECTED_EOF", "RECORD_LAYER")):
        return CheckFailure(
            CheckStep.TLS, "the broker does not speak TLS at this port", fix="use pulsar://, or the TLS port, 6651"
        )
    return _certificate_refused(error)


def _wrap_tls(endpoint: Endpoint, plain: socket.socket, host: str) -> ssl.SSLSocket:
    settings = endpoint.settings
    try:
        check_files(settings)
        context = ssl.create_default_context(cafile=authorities(settings))
        context.check_hostname = settings.check_hostname
        if settings.certificate_file is not None and settings.key_file is not None:
            context.load_cert_chain(settings.certificate_file, settings.key_file)
    except BadAddress as error:
        raise CheckFailure(CheckStep.TLS, str(error), fix="correct the path, or the permissions of the file") from error
    except ssl.SSLError as error:
        fix = "caFile, certificateFile and keyFile hold PEM; the certificate's key is keyFile"
        raise CheckFailure(CheckStep.TLS, f"a file of broker.pulsar cannot be used: {error}", fix=fix) from error
    return context.wrap_socket(plain, server_hostname=host)


def _authenticate(endpoint: Endpoint, stream: socket.socket) -> None:
    method, data = _credentials(endpoint)
    stream.sendall(frames.connect(method=method, data=data))
    answer = _read_command(stream)
    if answer.kind == frames.CONNECTED:
        return
    said = frames.text(answer.fields, 3) or "no reason is given"
    if not method:
        fix = "give broker.pulsar.tokenFile, or certificateFile and keyFile"
        raise CheckFailure(CheckStep.TOKEN, f"the broker asks who we are: {said}", fix=fix)
    what = "token" if method == "token" else "certificate"
    fix = "put a token of this cluster, not expired, into broker.pulsar.tokenFile (pulsar tokens create)"
    raise CheckFailure(CheckStep.TOKEN, f"the broker refuses the {what}: {said}", fix=fix)


def _credentials(endpoint: Endpoint) -> tuple[str, bytes]:
    try:
        token = token_of(endpoint.settings)
    except BadAddress as error:
        raise CheckFailure(CheckStep.TOKEN, str(error), fix="write only the token into the file") from error
    if token is not None:
        return "token", token().encode()
    return ("tls", b"") if endpoint.settings.certificate_file is not None else ("", b"")


def _read_command(stream: socket.socket) -> frames.Command:
    size = int.from_bytes(_read_exactly(stream, 4))
    if size > _LARGEST_FRAME:
        raise ValueError("not a frame of Pulsar's protocol")
    return frames.command_of(_read_exactly(stream, size))


def _read_exactly(stream: socket.socket, count: int) -> bytes:
    got = b""
    while len(got) < count:
        part = stream.recv(count - len(got))
        if not part:
            raise EOFError("the connection was closed")
        got += part
    return got
