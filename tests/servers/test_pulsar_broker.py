"""The real broker does what tests need of it."""

import io
import signal
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from pulsar import Client, ConsoleLogger, LoggerLevel, MessageId

from tests.child import PIPE, Child
from tests.ground.tree import ROOT
from tests.servers.foreground import run_pulsar
from tests.servers.patience import until
from tests.servers.process import alive
from tests.servers.pulsar_broker import BrokerNotReadyError, PulsarBroker
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.servers.pulsar_program import SOURCE
from tests.servers.sockets import listening

pytestmark = pytest.mark.slow

PULSAR_SECONDS = 300.0
"""As long as PulsarBroker waits for it."""

REGISTERED = "using default rack for it"
"""What a broker logs of a bookie that it has heard of."""


def connect(broker: PulsarBroker) -> Client:
    return Client(broker.url, logger=ConsoleLogger(LoggerLevel.Error))


def send(broker: PulsarBroker, topic: str, *sequence_ids: int) -> int:
    """Send them by one name; the last sequence id the broker had of it before."""
    with closing(connect(broker)) as client:
        producer = client.create_producer(topic, producer_name="one", batching_enabled=False)
        last = producer.last_sequence_id()
        for each in sequence_ids:
            producer.send(b"%d" % each, sequence_id=each)
    return int(last)


def stored(broker: PulsarBroker, topic: str) -> list[bytes]:
    with closing(connect(broker)) as client:
        reader = client.create_reader(topic, MessageId.earliest)
        messages = []
        while reader.has_message_available():
            messages.append(reader.read_next(timeout_millis=10_000).data())
    return messages


def test_it_is_the_pulsar_that_the_pom_names(pulsar: PulsarBroker) -> None:
    version = pulsar.admin.ask("GET", "brokers/version").body.decode()

    assert f"<pulsar.version>{version}</pulsar.version>" in (SOURCE / "pom.xml").read_text(encoding="utf-8")


def test_it_listens_on_loopback_only(pulsar: PulsarBroker) -> None:
    assert listening([pulsar.process.pid]) == {"127.0.0.1"}


def test_killed_and_mended_it_knows_what_was_stored(pulsar: PulsarBroker, pulsar_namespace: PulsarNamespace) -> None:
    topic = pulsar_namespace.topic("a")
    pulsar.admin.create_subscription(topic, "keep")
    assert send(pulsar, topic, 1, 2, 3) == -1
    before = pulsar.process.pid
    pulsar.kill()

    pulsar.mend()

    assert pulsar.process.pid != before
    assert send(pulsar, topic, 2, 3, 4) == 3
    assert stored(pulsar, topic) == [b"1", b"2", b"3", b"4"]


def test_killed_it_registers_its_bookie_once_and_not_for_ever(pulsar: PulsarBroker) -> None:
    """Marks of the ended session, deleted late, would have it register anew without end (EndedSessions.java)."""
    before = pulsar.process.log.stat().st_size
    pulsar.kill()

    pulsar.mend()

    assert f"of an ended session: /ledgers/available/127.0.0.1:{pulsar.site.bookie_port}\n" in said_since(
        pulsar, before
    )
    registered = said_since(pulsar, before).count(REGISTERED)
    time.sleep(1)
    assert said_since(pulsar, before).count(REGISTERED) == registered > 0


def said_since(broker: PulsarBroker, size: int) -> str:
    return broker.process.log.read_bytes()[size:].decode()


def test_paused_it_answers_nobody_until_it_is_mended(pulsar: PulsarBroker) -> None:
    pulsar.process.pause()
    with pytest.raises(TimeoutError):
        pulsar.admin.client.ask("GET", "/admin/v2/clusters", seconds=0.5)

    pulsar.mend()

    assert pulsar.admin.do("GET", "clusters") == ["standalone"]


def test_it_deduplicates_and_syncs_what_it_acknowledges(pulsar: PulsarBroker) -> None:
    settings = pulsar.admin.runtime_settings()

    assert settings["brokerDeduplicationEnabled"] == "true"
    assert settings["brokerDeleteInactiveTopicsEnabled"] == "false"
    assert "journalSyncData=true\n" in pulsar.site.settings_file.read_text(encoding="utf-8")


def test_one_of_a_tests_own_has_its_settings_keeps_its_data_and_leaves_its_log(
    pulsar_program: Path, tmp_path: Path
) -> None:
    topic = "persistent://public/default/a"
    small = {"managedLedgerMaxEntriesPerLedger": "2", "managedLedgerMinLedgerRolloverTimeMinutes": "0"}
    with PulsarBroker(pulsar_program, tmp_path / "it", overrides=small) as own:
        own.admin.create_subscription(topic, "keep")
        send(own, topic, 1, 2, 3, 4, 5)
        assert len(own.admin.ledgers(topic)["ledgers"]) > 2
        own.stop()
        assert not own.lives()

        own.start(keepAliveIntervalSeconds="5")

        settings = own.admin.runtime_settings()
        assert (settings["keepAliveIntervalSeconds"], settings["managedLedgerMaxEntriesPerLedger"]) == ("5", "2")
        assert send(own, topic, 6) == 5
        assert stored(own, topic) == [b"1", b"2", b"3", b"4", b"5", b"6"]
        assert own.site.ledgers.is_dir()

    assert not own.lives()
    assert (own.site.ledgers.exists(), own.site.metadata.exists()) == (False, False)
    assert own.process.log.stat().st_size > 0


def test_one_that_is_not_ready_in_time_is_ended_and_told(
    pulsar_program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.servers.pulsar_broker._UP_SECONDS", 0.2)
    own = PulsarBroker(pulsar_program, tmp_path / "it")

    with pytest.raises(BrokerNotReadyError, match="runs and is not ready"), own:
        pass
    assert not own.lives()


START_AND_WAIT = """
import sys, time
from pathlib import Path
from tests.servers.pulsar_broker import PulsarBroker
it = PulsarBroker(Path(sys.argv[1]), Path(sys.argv[2]))
it._spawn()
print(it.process.pid, flush=True)
time.sleep(600)
"""


def test_it_dies_with_who_started_it(start: Callable[..., Child], pulsar_program: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", START_AND_WAIT, str(pulsar_program), str(tmp_path / "it")]
    starter = start(command, cwd=ROOT, stdout=PIPE)
    pid = int(starter.line())
    assert alive([pid]) == [pid]

    starter.kill()

    until(lambda: alive([pid]) == [], "dead")


def test_one_that_cannot_start_says_why(pulsar_program: Path) -> None:
    out = io.StringIO()
    unknown = {"authenticationEnabled": "true", "authenticationProviders": "no.such.Provider"}

    assert run_pulsar(pulsar_program, out, overrides=unknown) == 1
    assert out.getvalue().startswith("Pulsar ended:\n")
    assert "no.such.Provider" in out.getvalue()


@pytest.mark.usefixtures("pulsar_program")
def test_people_can_run_it_in_the_foreground() -> None:
    command = [sys.executable, "-m", "tests.servers", "run", "pulsar", "--set", "keepAliveIntervalSeconds=7"]
    with Child(command, cwd=ROOT, stdout=PIPE) as running:
        prepared, ready, where = (running.line(PULSAR_SECONDS) for _ in range(3))
        folder = Path(where.removeprefix("Settings and log are in ").partition(". Ctrl-C")[0])
        assert "keepAliveIntervalSeconds=7\n" in (folder / "standalone.conf").read_text()
        running.send(signal.SIGTERM)
        rest, _ = running.rest()

    assert prepared == "pulsar: prepared\n"
    assert ready.startswith("Pulsar at pulsar://127.0.0.1:")
    assert (running.returned(), rest) == (0, "")
    assert not folder.exists()
