"""A broker that asks who one is, by token or by certificate, and allows nothing that was not granted."""

import secrets
import ssl
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path
from typing import Final

from tests.servers import json_web_token
from tests.servers.authority import Authority
from tests.servers.client import Client
from tests.servers.credential import ClientCertificate
from tests.servers.pulsar_admin import Admin
from tests.servers.pulsar_broker import PulsarBroker
from tests.servers.pulsar_site import LOOPBACK, doors

_ADMIN: Final = "admin"
_PROVIDER: Final = "org.apache.pulsar.broker.authentication.AuthenticationProvider"
_CLIENT_PLUGIN: Final = "org.apache.pulsar.client.impl.auth.AuthenticationToken"


class SecurePulsarBroker(PulsarBroker):
    """A broker that knows people by token, and over TLS by the name in their certificate too.

    ``admin`` may do everything, whoever else only what it was granted. With ``certificates_required`` nobody gets
    through TLS without a certificate that ``authority`` signed. Without TLS it can be reached still, with a token.
    """

    def __init__(
        self,
        program: Path,
        folder: Path,
        *,
        certificates_required: bool = False,
        overrides: Mapping[str, str] | None = None,
    ) -> None:
        self._keys: Final = folder / "keys"
        self._secret: Final = secrets.token_bytes(32)
        self.authority: Final = Authority(self._keys)
        self._admin_certificate: Final = self.authority.issue(_ADMIN)
        (self._keys / "secret.key").write_bytes(self._secret)
        super().__init__(program, folder, overrides=overrides)
        self._overrides = self._secured(certificates_required=certificates_required) | self._overrides

    def token(self, role: str, *, expires_at: datetime | None = None) -> str:
        """A token of a role; without ``expires_at`` it is good for ever."""
        return json_web_token.sign(self._secret, role, expires_at=expires_at)

    def certificate(self, role: str) -> ClientCertificate:
        """A certificate of a role, signed by ``authority``."""
        return self.authority.issue(role)

    @property
    def url(self) -> str:
        """Where it takes clients over TLS."""
        return f"pulsar+ssl://{LOOPBACK}:{self.site.tls_port}"

    @property
    def plain_url(self) -> str:
        """Where it takes clients without TLS."""
        return super().url

    @property
    def proxied_url(self) -> str:
        """Where it takes clients over TLS through ``network``."""
        return f"pulsar+ssl://{LOOPBACK}:{self.site.proxy_port}"

    @property
    def admin_url(self) -> str:
        """Where its admin API answers over TLS."""
        return f"https://{LOOPBACK}:{self.site.web_tls_port}"

    @property
    def admin(self) -> Admin:
        """Its operator, who may do everything."""
        return self.administrate(_ADMIN)

    def administrate(self, role: str) -> Admin:
        """The admin API in the name of a role."""
        tls = ssl.create_default_context(cafile=self.authority.certificate)
        own = self._admin_certificate if role == _ADMIN else self.certificate(role)
        tls.load_cert_chain(own.certificate, own.key)
        return Admin(Client(url=self.admin_url, tls=tls, token=self.token(role)))

    def _secured(self, *, certificates_required: bool) -> dict[str, str]:
        server = self.authority.issue("broker")
        return {
            "authenticationEnabled": "true",
            "authenticationProviders": f"{_PROVIDER}Token,{_PROVIDER}Tls",
            "tokenSecretKey": (self._keys / "secret.key").as_uri(),
            "authorizationEnabled": "true",
            "superUserRoles": _ADMIN,
            "brokerClientAuthenticationPlugin": _CLIENT_PLUGIN,
            "brokerClientAuthenticationParameters": f"token:{self.token(_ADMIN)}",
            "brokerServicePortTls": str(self.site.tls_port),
            "webServicePortTls": str(self.site.web_tls_port),
            **doors(self.site, direct={"pulsar": self.site.port, "pulsar+ssl": self.site.tls_port}),
            "tlsCertificateFilePath": str(server.certificate),
            "tlsKeyFilePath": str(server.key),
            "tlsTrustCertsFilePath": str(self.authority.certificate),
            "tlsRequireTrustedClientCertOnConnect": str(certificates_required).lower(),
        }
