"""The site of a broker: its folder and ports; and, from that, its settings and its command line."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.servers.pulsar_program import ARCHIVE, CLASSES, ENDED_SESSIONS, JARS, SOURCE

LOOPBACK: Final = "127.0.0.1"

_DRIVERS: Final = "org.apache.pulsar.metadata.bookkeeper.PulsarMetadata"
_MEMORY: Final = (
    "-Xms64m",
    "-Xmx256m",
    "-XX:MaxDirectMemorySize=256m",
    "-XX:+UseSerialGC",
    "-XX:+ExitOnOutOfMemoryError",
)
_HASTE: Final = "-XX:TieredStopAtLevel=1"
"""Compile fast rather than well: a broker is started for seconds, and so is ready for half the work."""
_OPENED: Final = (
    "java.base/java.io",
    "java.base/java.lang",
    "java.base/java.nio",
    "java.base/java.util.zip",
    "java.base/jdk.internal.misc",
    "java.base/jdk.internal.platform",
    "java.base/sun.net",
    "java.management/sun.management",
    "jdk.management/com.sun.management.internal",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class PulsarSite:
    """Where one broker is. It listens on loopback only, on these ports.

    That of the bookie is one of them: while the broker is down, the kernel gives one of its own choice to others.

    On the ports for TLS it listens if it is told to (``pulsar_security``). Who comes in by the back door is sent to
    ``proxy_port``, where a broker's own address would lead him past whatever stands between the two.
    """

    folder: Path
    port: int
    web_port: int
    tls_port: int
    web_tls_port: int
    back_port: int
    proxy_port: int
    bookie_port: int

    @property
    def settings_file(self) -> Path:
        """What the broker reads when it starts."""
        return self.folder / "standalone.conf"

    @property
    def metadata(self) -> Path:
        """What it knows of tenants, topics and cursors."""
        return self.folder / "metadata"

    @property
    def ledgers(self) -> Path:
        """What it stores of messages."""
        return self.folder / "bookkeeper"


def doors(site: PulsarSite, *, direct: Mapping[str, int]) -> dict[str, str]:
    """Settings by which clients are sent to where they came from: these ports, by scheme, or the proxy's.

    The last scheme is the one that is spoken at the back door, and through the proxy.
    """
    scheme = list(direct)[-1]
    advertised = [*(f"internal:{each}://{LOOPBACK}:{port}" for each, port in direct.items())]
    return {
        "bindAddresses": f"proxied:{scheme}://{LOOPBACK}:{site.back_port}",
        "internalListenerName": "internal",
        "advertisedListeners": ",".join([*advertised, f"proxied:{scheme}://{LOOPBACK}:{site.proxy_port}"]),
    }


def settings(site: PulsarSite, overrides: Mapping[str, str]) -> str:
    """The settings as a file has them, each key once; ``overrides`` win."""
    pairs = {
        "brokerServicePort": str(site.port),
        "webServicePort": str(site.web_port),
        **doors(site, direct={"pulsar": site.port}),
    }
    for line in (SOURCE / "standalone.conf").read_text(encoding="utf-8").splitlines():
        if line and not line.startswith("#"):
            key, _, value = line.partition("=")
            pairs[key] = value
    return "".join(f"{key}={value}\n" for key, value in (pairs | dict(overrides)).items())


def forget_sessions(site: PulsarSite, *, java: str, program: Path) -> list[str]:
    """What removes the marks of a killed broker's session from its metadata, while nothing has them open."""
    paths = f"{program / CLASSES}:{program / JARS}/*"
    return [
        java,
        _HASTE,
        "-XX:+UseSerialGC",
        f"-Djava.io.tmpdir={site.folder}",
        "-cp",
        paths,
        ENDED_SESSIONS,
        str(site.metadata),
    ]


def link_jars(site: PulsarSite, program: Path) -> None:
    """Put a link to the jars into the site's folder, where ``command`` is to run.

    Java takes an archive only for a class path of the same words, and the program's folder gets its name when the
    archive is made.
    """
    link = site.folder / JARS
    link.unlink(missing_ok=True)
    link.symlink_to(program / JARS)


def command(site: PulsarSite, *, java: str, program: Path) -> list[str]:
    """Broker, bookie and metadata store in one Java process, without functions and stream storage.

    It reads the archive of its classes; if there is none, it leaves one when it is asked to end.
    """
    archive = program / ARCHIVE
    return [
        java,
        *_MEMORY,
        _HASTE,
        f"-XX:{'SharedArchiveFile' if archive.exists() else 'ArchiveClassesAtExit'}={archive}",
        "-cp",
        f"{JARS}/*",
        f"-Dlog4j.configurationFile={SOURCE / 'log4j2.properties'}",
        "-Dlog4j.shutdownHookEnabled=false",
        f"-Djava.io.tmpdir={site.folder}",
        "-Djava.net.preferIPv4Stack=true",
        "-Djute.maxbuffer=10485760",
        "-Dio.netty.tryReflectionSetAccessible=true",
        f"-Dbookkeeper.metadata.bookie.drivers={_DRIVERS}BookieDriver",
        f"-Dbookkeeper.metadata.client.drivers={_DRIVERS}ClientDriver",
        *(word for package in _OPENED for word in ("--add-opens", f"{package}=ALL-UNNAMED")),
        "org.apache.pulsar.PulsarStandaloneStarter",
        f"--config={site.settings_file}",
        "--no-functions-worker",
        "--no-stream-storage",
        f"--advertised-address={LOOPBACK}",
        f"--metadata-dir={site.metadata}",
        f"--bookkeeper-dir={site.ledgers}",
        f"--bookkeeper-port={site.bookie_port}",
    ]
