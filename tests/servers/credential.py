"""Credentials for an API server, and the kubeconfig that holds them."""

from dataclasses import dataclass
from pathlib import Path
from typing import assert_never

import yaml


@dataclass(frozen=True, slots=True)
class Token:
    """A bearer token."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientCertificate:
    """A certificate and its key, as files."""

    certificate: Path
    key: Path


Credential = Token | ClientCertificate


def write_kubeconfig(file: Path, *, url: str, authority: Path, credential: Credential) -> Path:
    """Write a kubeconfig with one context, readable by its owner only."""
    named = {
        "clusters": {"cluster": {"server": url, "certificate-authority": str(authority)}},
        "users": {"user": _user(credential)},
        "contexts": {"context": {"cluster": "test", "user": "test"}},
    }
    lists = {many: [{"name": "test", **one}] for many, one in named.items()}
    file.touch(mode=0o600)
    file.write_text(
        yaml.safe_dump({"apiVersion": "v1", "kind": "Config", "current-context": "test", **lists}), encoding="utf-8"
    )
    return file


def _user(credential: Credential) -> dict[str, str]:
    match credential:
        case Token(text):
            return {"token": text}
        case ClientCertificate(certificate=certificate, key=key):
            return {"client-certificate": str(certificate), "client-key": str(key)}
        case never:
            assert_never(never)
