"""All servers that tests can have, by name."""

from collections.abc import Mapping
from typing import Final

from tests.servers.chromium_program import ChromiumProgram
from tests.servers.control_plane_program import ControlPlaneProgram
from tests.servers.jobset_program import JobSetProgram
from tests.servers.postgres_program import PostgresProgram
from tests.servers.pulsar_archive import archive
from tests.servers.pulsar_program import PulsarProgram
from tests.servers.server import Server

SERVERS: Final[Mapping[str, Server]] = {
    server.name: server
    for server in (
        PostgresProgram(),
        PulsarProgram(archive=archive),
        ControlPlaneProgram(),
        JobSetProgram(),
        ChromiumProgram(),
    )
}
