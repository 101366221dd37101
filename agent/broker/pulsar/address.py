"""The address of a Pulsar cluster: its service URL and, as the path, the namespace of our topics; their names there."""

from dataclasses import dataclass
from typing import Final, Self

from pydantic import TypeAdapter, ValidationError

from agent.broker.port import BadAddress
from agent.settings.pulsar import PulsarNamespace

SCHEMES: Final = ("pulsar", "pulsar+ssl")

_PORTS: Final = {"pulsar": 6650, "pulsar+ssl": 6651}
_NAMESPACE: Final[TypeAdapter[str]] = TypeAdapter(PulsarNamespace)


@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """``hosts`` are tried in turn; all of them lead to one Pulsar cluster."""

    scheme: str
    hosts: tuple[tuple[str, int], ...]
    namespace: str

    @classmethod
    def parse(cls, url: str, *, namespace: str) -> Self:
        """Read ``pulsar[+ssl]://HOST[:PORT][,HOST[:PORT]...][/TENANT/NAMESPACE]``. Raises BadAddress.

        ``namespace`` is used if the URL names none.
        """
        scheme, _, rest = url.partition("://")
        authority, _, path = rest.partition("/")
        if scheme not in SCHEMES or not authority:
            raise BadAddress(f"{_shown(url)}: write pulsar://HOST:6650 or pulsar+ssl://HOST:6651")
        if "@" in authority or set("?#") & set(rest):
            raise BadAddress(f"{_shown(url)}: write only hosts and TENANT/NAMESPACE; secrets come from files")
        hosts = tuple(_host(part, _PORTS[scheme], url) for part in authority.split(","))
        return cls(scheme=scheme, hosts=hosts, namespace=_namespace(path, url) if path else namespace)

    @property
    def secure(self) -> bool:
        return self.scheme == "pulsar+ssl"

    @property
    def service_url(self) -> str:
        """The URL as the client library takes it: without the path."""
        return f"{self.scheme}://{','.join(f'{_bracketed(host)}:{port}' for host, port in self.hosts)}"


def _host(text: str, default_port: int, url: str) -> tuple[str, int]:
    host, port = text, str(default_port)
    if text.startswith("["):
        host, _, after = text[1:].partition("]")
        port = after.removeprefix(":") or port
    elif ":" in text:
        host, _, port = text.rpartition(":")
    if not host or not port.isascii() or not port.isdigit() or not 0 < int(port) < 1 << 16:
        raise BadAddress(f"{_shown(url)}: {text!r} is not HOST or HOST:PORT")
    return host, int(port)


def _namespace(path: str, url: str) -> str:
    try:
        return _NAMESPACE.validate_python(path.rstrip("/"))
    except ValidationError as error:
        raise BadAddress(f"{_shown(url)}: after the hosts write TENANT/NAMESPACE, or nothing") from error


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _shown(url: str) -> str:
    """The URL without a password that somebody may have written into it."""
    return f"{url.partition('://')[0]}://...@{url.rpartition('@')[2]}" if "@" in url else url


@dataclass(frozen=True, slots=True)
class Names:
    """All our topics are persistent, non-partitioned ones of ``namespace`` (``TENANT/NAMESPACE``)."""

    namespace: str

    def full(self, topic: str) -> str:
        """``run-events-c1`` becomes ``persistent://TENANT/NAMESPACE/run-events-c1``."""
        return f"persistent://{self.namespace}/{topic}"

    def short(self, full: str) -> str:
        """The inverse of ``full``."""
        return full.removeprefix(f"persistent://{self.namespace}/")
