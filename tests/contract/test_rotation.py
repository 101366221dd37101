"""Tokens, client certificates and authorities are replaced under a running connection to a real API server."""

import shutil
from pathlib import Path

import pytest

from agent.kube.connection import Connection
from agent.kube.errors import Unauthorized, Untrusted
from agent.settings.kube import KubeSettings
from tests.child import output_of
from tests.servers.control_plane import ControlPlane
from tests.servers.control_plane_program import PROGRAM
from tests.servers.credential import ClientCertificate, Credential, Token, write_kubeconfig

pytestmark = pytest.mark.slow

NAMESPACES = "/api/v1/namespaces"


@pytest.fixture
def strange_keys(kubernetes_program: Path, tmp_path: Path) -> Path:
    """The keys of another control plane, as files that a test may replace."""
    folder = tmp_path / "keys"
    folder.mkdir()
    output_of([kubernetes_program / PROGRAM, "keys", folder])
    return folder


def settings(
    plane: ControlPlane, folder: Path, credential: Credential, *, authority: Path | None = None
) -> KubeSettings:
    kubeconfig = write_kubeconfig(
        folder / "kubeconfig", url=plane.url, authority=authority or plane.authority, credential=credential
    )
    return KubeSettings(kubeconfig=kubeconfig)


async def test_a_client_certificate_that_was_replaced_is_used(
    contract_plane: ControlPlane, strange_keys: Path, tmp_path: Path
) -> None:
    mine = ClientCertificate(certificate=strange_keys / "admin.crt", key=strange_keys / "admin.key")
    async with await Connection.open(settings(contract_plane, tmp_path, mine)) as connection:
        with pytest.raises(Unauthorized):
            await connection.get(NAMESPACES)
        shutil.copy(contract_plane.admin_certificate.certificate, mine.certificate)
        shutil.copy(contract_plane.admin_certificate.key, mine.key)
        assert b"NamespaceList" in await connection.get(NAMESPACES)


async def test_an_authority_that_was_replaced_is_trusted(
    contract_plane: ControlPlane, strange_keys: Path, tmp_path: Path
) -> None:
    authority = strange_keys / "ca.crt"
    given = settings(contract_plane, tmp_path, Token(contract_plane.token), authority=authority)
    async with await Connection.open(given) as connection:
        with pytest.raises(Untrusted):
            await connection.get(NAMESPACES)
        shutil.copy(contract_plane.authority, authority)
        assert b"NamespaceList" in await connection.get(NAMESPACES)


async def test_a_token_that_was_replaced_is_used(contract_plane: ControlPlane, tmp_path: Path) -> None:
    async with await Connection.open(settings(contract_plane, tmp_path, Token("stale"))) as connection:
        with pytest.raises(Unauthorized):
            await connection.get(NAMESPACES)
        settings(contract_plane, tmp_path, Token(contract_plane.token))
        assert b"NamespaceList" in await connection.get(NAMESPACES)
