"""Availability: a test uses the servers that are prepared. Without them it is skipped, loudly; under CI it fails."""

import os
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Final, assert_never

import pytest

from tests.servers.cache import Cache, cache_folder
from tests.servers.catalogue import SERVERS
from tests.servers.server import CannotPrepareError, Server

_MISSING: Final = re.compile(r"needs a real (?P<name>\S+): ")


@dataclass(frozen=True, slots=True)
class Prepared:
    """What was made of a server is in ``folder``."""

    folder: Path


@dataclass(frozen=True, slots=True)
class NotPrepared:
    """There is none, and ``why``."""

    why: str


def look(server: Server, cache: Cache) -> Prepared | NotPrepared:
    """Look whether the server is prepared, as its sources and tools are now."""
    try:
        folder = cache.find(server.name, server.key())
    except CannotPrepareError as error:
        return NotPrepared(str(error))
    return NotPrepared("it is not prepared, `make servers` does that") if folder is None else Prepared(folder)


def must_have(environ: Mapping[str, str]) -> bool:
    """Whether a server that is not there is a failure: under CI, which prepares them before."""
    return environ.get("CI", "").lower() not in {"", "0", "false"}


def require(name: str, environ: Mapping[str, str] = os.environ) -> Path:
    """The folder of a prepared server. Without one the test that asked is skipped, or failed where it must be there."""
    match look(SERVERS[name], Cache(cache_folder(environ))):
        case Prepared(folder):
            return folder
        case NotPrepared(why):
            reason = f"needs a real {name}: {why}"
            if must_have(environ):
                pytest.fail(reason, pytrace=False)
            pytest.skip(reason)
        case never:
            assert_never(never)


def wants(reason: str) -> str | None:
    """The server for want of which a test was skipped, if that is the reason."""
    found = _MISSING.search(reason)
    return None if found is None else found["name"]


def not_run(skipped: Iterable[tuple[str, str]]) -> str | None:
    """One line for all tests skipped for want of a server, given ids and reasons; None where there are none."""
    wanting = [(PurePath(test.partition("::")[0]).parent, name) for test, reason in skipped if (name := wants(reason))]
    if not wanting:
        return None
    folders = ", ".join(f"{folder} ({count})" for folder, count in sorted(Counter(each for each, _ in wanting).items()))
    servers = ", ".join(f"{name} ({SERVERS[name].cost})" for name in sorted({name for _, name in wanting}))
    return f"NOT RUN: {len(wanting)} tests, in {folders}. `make servers` prepares what they need, once: {servers}."
