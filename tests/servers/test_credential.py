from pathlib import Path

import pytest

from tests.servers.credential import ClientCertificate, Credential, Token, write_kubeconfig
from tests.tables import table

CERTIFICATE = ClientCertificate(certificate=Path("/it.crt"), key=Path("/it.key"))


@pytest.mark.parametrize(
    ("credential", "user"),
    [
        (Token("secret"), {"token": "secret"}),
        (CERTIFICATE, {"client-certificate": "/it.crt", "client-key": "/it.key"}),
    ],
)
def test_a_kubeconfig_holds_the_server_and_the_credential(
    tmp_path: Path, credential: Credential, user: dict[str, str]
) -> None:
    url = "https://127.0.0.1:1"
    file = write_kubeconfig(tmp_path / "it", url=url, authority=Path("/ca.crt"), credential=credential)
    written = table(file)

    assert written["current-context"] == written["contexts"][0]["name"]
    assert written["contexts"][0]["context"] == {"cluster": "test", "user": "test"}
    assert written["clusters"] == [{"name": "test", "cluster": {"server": url, "certificate-authority": "/ca.crt"}}]
    assert written["users"] == [{"name": "test", "user": user}]


def test_only_its_owner_can_read_it(tmp_path: Path) -> None:
    file = write_kubeconfig(
        tmp_path / "it", url="https://127.0.0.1:1", authority=Path("/ca.crt"), credential=Token("s")
    )

    assert file.stat().st_mode & 0o777 == 0o600
