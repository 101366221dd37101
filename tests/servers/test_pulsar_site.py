"""What a broker is told: where it listens, above all."""

import re
from collections import Counter
from pathlib import Path

import pytest

from tests.servers.pulsar_program import SOURCE
from tests.servers.pulsar_site import PulsarSite, command, doors, settings

SITE = PulsarSite(
    folder=Path("/site"),
    port=1001,
    web_port=1002,
    tls_port=1003,
    web_tls_port=1004,
    back_port=1005,
    proxy_port=1006,
    bookie_port=1007,
)


def keys(text: str) -> Counter[str]:
    return Counter(line.partition("=")[0] for line in text.splitlines())


@pytest.mark.parametrize("overrides", [{}, {"journalSyncData": "false", "keepAliveIntervalSeconds": "5"}])
def test_no_setting_comes_twice(overrides: dict[str, str]) -> None:
    written = settings(SITE, overrides)

    assert set(keys(written).values()) == {1}
    assert all(f"\n{key}={value}\n" in written for key, value in overrides.items())


def test_the_tree_has_no_setting_twice_either() -> None:
    lines = (SOURCE / "standalone.conf").read_text(encoding="utf-8").splitlines()

    assert set(keys("\n".join(line for line in lines if line and not line.startswith("#"))).values()) == {1}


def test_no_address_is_named_but_loopback() -> None:
    words = settings(SITE, {}) + " ".join(command(SITE, java="java", program=Path("/program")))

    assert set(re.findall(r"\b\d+\.\d+\.\d+\.\d+\b", words)) == {"127.0.0.1"}
    assert "\nbindAddress=127.0.0.1\n" in words
    assert "--no-functions-worker" in words


def test_clients_are_sent_to_where_they_came_from() -> None:
    direct = {"pulsar": 1001, "pulsar+ssl": 1003}

    assert doors(SITE, direct=direct) == {
        "bindAddresses": "proxied:pulsar+ssl://127.0.0.1:1005",
        "internalListenerName": "internal",
        "advertisedListeners": "internal:pulsar://127.0.0.1:1001,internal:pulsar+ssl://127.0.0.1:1003,"
        "proxied:pulsar+ssl://127.0.0.1:1006",
    }
