"""``failctl dlq`` on each broker: dead letters are listed, shown, replayed and dropped."""

import base64
import io
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Timer

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from agent.broker.connect import connect
from agent.broker.port import Broker, Message, Subscription, SubscriptionKind
from agent.broker.topics import dead_letter_topic, replay_topic
from agent.console.exits import Exit, UnreachableError, UsageError
from agent.console.options import ListForm
from agent.ctl.broker.connect import BrokerAddress
from agent.ctl.dlq.dlq import (
    Choice,
    DeadLetterRequest,
    drop_dead_letters,
    list_dead_letters,
    replay_dead_letters,
    show_dead_letters,
)
from agent.ctl.dlq.text import table
from agent.ctl.main import app
from agent.wire import heartbeat, job_event
from agent.wire.events import encode
from tests.broker.contract import PATIENCE_SECONDS, take
from tests.lookout.ingest.test_messages import BEAT, CHANGED
from tests.lookout.process import write_settings
from tests.scheduler.path import Place
from tests.servers.pulsar_namespace import PulsarNamespace
from tests.store.events import START, event, failed

EAST, WEST = "run-events-east", "run-events-west"
HOSTILE = "\x1b]0;owned\x07[red]bold[/red] \u202eevil\u2066 end\n"
POISON = Message(
    key=HOSTILE, payload=b"\x1b[2J\xff not a run event" * 40, properties={"event_id": HOSTILE}, event_time=START
)
GOOD = Message(key="job-1", payload=encode(event("e1", failed())), properties={"event_id": "e1"}, event_time=START)


class Graveyard:
    """A broker with dead letters, and the output of failctl about them."""

    def __init__(self, url: str) -> None:
        self.where = BrokerAddress(url=url)
        self.broker: Broker = connect(url)

    def close(self) -> None:
        self.broker.close()

    def bury(self, topic: str, *messages: Message, subscription: str = "scheduler") -> None:
        self.broker.ensure_subscription(topic, subscription)
        producer = self.broker.producer(topic, name=f"agent-{subscription}")
        first = max(producer.last_sequence_id(), 0) + 1
        for number, message in enumerate(messages, start=first):
            producer.send(message, sequence_id=number, done=lambda _: None)
        producer.flush(PATIENCE_SECONDS)
        producer.close()
        with closing(self.subscribe(topic, subscription)) as consumer:
            for given in take(consumer, len(messages), ack=False):
                consumer.dead_letter(given, error=f"cannot be read: {HOSTILE}")

    def subscribe(self, topic: str, subscription: str) -> Subscription:
        return self.broker.subscribe([topic], name=subscription, kind=SubscriptionKind.KEY_SHARED, consumer="c")

    def ids(self, topic: str = "") -> list[str]:
        return [row["id"] for row in json.loads(self.listed(topic=topic, output="json"))]

    def listed(self, *, topic: str = "", output: ListForm = "table") -> str:
        out = io.StringIO()
        request = DeadLetterRequest(where=self.where, choice=Choice(topic=topic), output=output)
        assert list_dead_letters(request, environ={}, now=datetime.now(UTC) + timedelta(hours=2), out=out) is Exit.FINE
        return out.getvalue()

    def shown(self, *ids: str, output: ListForm = "table") -> tuple[Exit, str, str]:
        out, err = io.StringIO(), io.StringIO()
        request = DeadLetterRequest(where=self.where, choice=Choice(ids=ids, every=not ids), output=output)
        return show_dead_letters(request, environ={}, out=out, err=err), out.getvalue(), err.getvalue()

    def replayed(self, *ids: str, topic: str = "") -> tuple[Exit, str, str]:
        out, err = io.StringIO(), io.StringIO()
        request = DeadLetterRequest(where=self.where, choice=Choice(ids=ids, every=not ids, topic=topic), yes=True)
        return replay_dead_letters(request, environ={}, out=out, err=err), out.getvalue(), err.getvalue()

    def dropped(self, *ids: str, topic: str = "", yes: bool = True) -> tuple[Exit, str, str]:
        out, err = io.StringIO(), io.StringIO()
        request = DeadLetterRequest(where=self.where, choice=Choice(ids=ids, every=not ids, topic=topic), yes=yes)
        return drop_dead_letters(request, environ={}, out=out, err=err), out.getvalue(), err.getvalue()


@pytest.fixture(name="dead")
def a_graveyard(broker_url: str) -> Iterator[Graveyard]:
    with closing(Graveyard(broker_url)) as made:
        made.broker.ensure_subscription(EAST, "scheduler")
        yield made


@pytest.fixture(name="few")
def a_graveyard_in_a_file(tmp_path: Path) -> Iterator[Graveyard]:
    with closing(Graveyard(f"sqlite:///{tmp_path}/log.db")) as made:
        yield made


def test_wide_characters_do_not_shift_the_columns() -> None:
    now = datetime.now(UTC)
    row = {"id": "1", "diedAt": now.isoformat(), "place": "p", "subscription": "s", "bytes": 7, "error": "why"}

    heading, *lines = table([{**row, "topic": "日本"}, {**row, "topic": "east"}], now=now, columns=None)

    assert {cell_len(row.partition("s    7")[0]) for row in lines} == {heading.index("FOR")}
    assert list(table([{**row, "topic": "日本"}], now=now, columns=20))[1] == "1   0s ago  日本   …"


def harmless(text: str) -> bool:
    return all(char == "\n" or unicodedata.category(char) not in {"Cc", "Cf"} for char in text)


def test_dead_letters_are_listed_with_time_origin_and_error(dead: Graveyard) -> None:
    dead.bury(EAST, POISON)
    dead.bury(WEST, GOOD, subscription="lookout")

    heading, east, west = dead.listed().splitlines()

    assert heading.split() == ["ID", "DIED", "TOPIC", "FOR", "BYTES", "ERROR"]
    assert re.fullmatch(r"2h(\d+s)?", east.split()[1]), "a broker says when it took it: some seconds may have gone"
    assert east.split()[2:6] == ["ago", EAST, "scheduler", str(len(POISON.payload))]
    assert west.split()[3:5] == [WEST, "lookout"]
    assert "cannot be read: \\x1b]0;owned\\x07[red]bold" in east
    assert [row["topic"] for row in json.loads(dead.listed(output="json", topic=WEST))] == [WEST]


def test_an_empty_list_says_so(dead: Graveyard) -> None:
    assert dead.listed() == "There are no dead letters.\n"
    assert dead.listed(output="json") == "[]\n"


def test_a_dead_letter_that_is_no_event_is_shown_as_bytes(dead: Graveyard) -> None:
    dead.bury(EAST, POISON)

    code, text, _ = dead.shown(*dead.ids())

    assert code is Exit.FINE
    assert "topic: run-events-east\nsubscription: scheduler\n" in text
    assert "unreadable: " in text
    assert "  000000  1b 5b 32 4a ff 20 6e 6f 74 20 61 20 72 75 6e 20  .[2J. not a run \n" in text
    assert f"  and {len(POISON.payload) - 512} bytes more: -o json has all\n" in text


def test_a_dead_letter_that_is_an_event_is_shown_as_one(dead: Graveyard) -> None:
    dead.bury(EAST, GOOD)

    _, text, _ = dead.shown(*dead.ids())
    found = json.loads(dead.shown(*dead.ids(), output="json")[1])

    assert "event:\n  eventId: e1\n" in text
    assert (found["event"]["jobId"], found["properties"]) == ("job-1", {"event_id": "e1"})
    assert base64.b64decode(found["payload"]) == GOOD.payload


@pytest.mark.parametrize(
    ("topic", "payload", "said"),
    [
        ("job-events", job_event.encode(CHANGED), "jobId: j\n"),
        ("cluster-heartbeats-east", heartbeat.encode(BEAT), "incarnation: i\n"),
    ],
)
def test_what_lookout_could_not_store_is_shown_as_what_its_topic_has(
    few: Graveyard, topic: str, payload: bytes, said: str
) -> None:
    few.bury(topic, Message(key="k", payload=payload), subscription="lookout")

    _, text, _ = few.shown()

    assert said in text.partition("event:\n")[2]


def test_nothing_in_a_dead_letter_controls_the_terminal(dead: Graveyard) -> None:
    hostile = event("e1", failed(containers=[{"name": "main", "exitCode": 1, "message": HOSTILE}]), run=HOSTILE)
    dead.bury(EAST, POISON, Message(key=HOSTILE, payload=encode(hostile)))
    dead.broker.ensure_subscription(dead_letter_topic(EAST, "scheduler"), "x")

    for text in (dead.listed(), dead.listed(output="json"), dead.shown()[1], dead.shown(output="json")[1]):
        assert "owned" in text
        assert harmless(text)
    assert harmless(dead.shown(HOSTILE)[2])


def test_replay_sends_the_original_message_and_drops_the_dead_letter(dead: Graveyard) -> None:
    dead.bury(EAST, GOOD, POISON)
    first, second = dead.ids()

    assert dead.replayed(first) == (Exit.FINE, f"replayed {first}\n", "")

    assert dead.ids() == [second]
    (got,) = take(dead.subscribe(replay_topic(EAST, "scheduler"), "scheduler"), 1)
    assert got.message == GOOD


def test_dead_letters_are_replayed_while_an_agent_holds_the_topic(dead: Graveyard) -> None:
    dead.bury(EAST, *[GOOD] * 250)
    holder = dead.broker.producer(EAST, name="agent/east", exclusive=True)

    code, text, _ = dead.replayed()

    assert (code, len(text.splitlines()), dead.ids()) == (Exit.FINE, 250, [])
    assert len(take(dead.subscribe(replay_topic(EAST, "scheduler"), "scheduler"), 250)) == 250
    holder.flush(PATIENCE_SECONDS)


def test_a_dead_letter_without_its_origin_is_kept(dead: Graveyard) -> None:
    dead.bury(EAST, GOOD)
    producer = dead.broker.producer(dead_letter_topic(EAST, "scheduler"), name="somebody")
    producer.send(POISON, sequence_id=1, done=lambda _: None)
    producer.flush(PATIENCE_SECONDS)
    good, foreign = dead.ids()

    code, text, err = dead.replayed()

    assert (code, text) == (Exit.FINDING, f"replayed {good}\n")
    assert err == f"failctl: {foreign} was not replayed: it does not name the topic and subscription it came from\n"
    assert dead.ids() == [foreign]
    assert harmless(dead.listed())


def test_nothing_is_dropped_without_yes(dead: Graveyard) -> None:
    dead.bury(EAST, GOOD)

    code, text, _ = dead.dropped(yes=False)

    assert code is Exit.FINE
    assert text.startswith(f"would drop {dead.ids()[0]} of {dead_letter_topic(EAST, 'scheduler')}\n")


def test_dead_letters_are_dropped_by_id_and_by_topic(dead: Graveyard) -> None:
    dead.bury(EAST, GOOD, POISON, GOOD)
    dead.bury(WEST, GOOD)
    first, second, third = dead.ids(EAST)

    assert dead.dropped(second)[0] is Exit.FINE
    assert dead.ids(EAST) == [first, third]
    assert dead.dropped(topic=EAST)[0] is Exit.FINE
    assert (dead.ids(EAST), len(dead.ids(WEST))) == ([], 1)


def test_a_replay_without_dead_letters_says_so(dead: Graveyard) -> None:
    assert dead.replayed(topic=EAST) == (Exit.FINE, "", "There are no dead letters.\n")


def test_a_dead_letter_that_does_not_exist_exits_with_code_1(dead: Graveyard) -> None:
    dead.bury(EAST, GOOD)

    for code, text, err in (dead.shown("77"), dead.replayed("77"), dead.dropped("77")):
        assert (code, text, err) == (Exit.FINDING, "", "failctl: there is no dead letter 77\n")


@pytest.mark.slow
@pytest.mark.xdist_group("pulsar")
def test_a_command_waits_for_dead_letters_that_another_has_open(pulsar_namespace: PulsarNamespace) -> None:
    with closing(Graveyard(f"{pulsar_namespace.broker.url}/{pulsar_namespace.name}")) as dead:
        dead.bury(EAST, GOOD)
        other = dead.broker.dead_letters(dead_letter_topic(EAST, "scheduler"))
        Timer(0.5, other.close).start()

        assert len(dead.ids()) == 1


@pytest.mark.parametrize("choice", [Choice(), Choice(ids=["1"], every=True)])
def test_ids_or_all_must_be_given(few: Graveyard, choice: Choice) -> None:
    with pytest.raises(UsageError, match="which dead letters"):
        drop_dead_letters(
            DeadLetterRequest(where=few.where, choice=choice), environ={}, out=io.StringIO(), err=io.StringIO()
        )


@pytest.mark.parametrize(
    ("where", "wrong", "said"),
    [
        (BrokerAddress(), UsageError, "which broker"),
        (BrokerAddress(url="kafka://there"), UsageError, "there is no such broker"),
        (
            BrokerAddress(url="sqlite:///not-there.db"),
            UnreachableError,
            f"there is no event log at {Path.cwd()}/not-there.db",
        ),
    ],
)
def test_a_missing_broker_is_reported(where: BrokerAddress, wrong: type[Exception], said: str) -> None:
    with pytest.raises(wrong, match=said):
        list_dead_letters(DeadLetterRequest(where=where), environ={}, now=START, out=io.StringIO())


def test_the_settings_of_a_lookout_name_the_broker(few: Graveyard, tmp_path: Path) -> None:
    few.bury(EAST, GOOD, subscription="lookout")
    settings = write_settings(tmp_path, Place(broker_url=few.where.url or "", store_url=f"sqlite:///{tmp_path}/l.db"))

    ended = CliRunner().invoke(app, ["dlq", "list", "--settings", str(settings), "-o", "json"])

    assert (ended.exit_code, json.loads(ended.output)[0]["subscription"]) == (0, "lookout"), ended.output


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["list"], 0, "cannot be read"),
        (["list", "-o", "json"], 0, '"subscription": "scheduler"'),
        (["list", "-o", "xml"], 2, "'xml' is not one of"),
        (["show", "1"], 1, "there is no dead letter 1"),
        (["show", "--all"], 0, "event:"),
        (["replay"], 2, "or --all"),
        (["drop", "--all"], 2, "Add --yes"),
        (["drop", "--all", "--dry-run"], 0, "would drop"),
        (["drop", "--all", "--yes"], 0, "dropped"),
        (["replay", "--all", "--topic", EAST, "--dry-run"], 0, "would replay"),
        (["replay", "--all", "--topic", EAST, "--yes"], 0, "replayed"),
        (["replay", "--all", "--topic", WEST, "--yes"], 1, f"no topic whose name starts with {WEST}; the broker has"),
        (["drop", "--all", "--topic", WEST, "--dry-run"], 1, f"no topic whose name starts with {WEST}"),
        (["list", "--topic", WEST], 1, EAST),
        (["show", "--all", "--topic", f"{EAST}\x1b[2J"], 1, f"no topic whose name starts with {EAST}\\x1b[2J"),
    ],
)
def test_the_command_line_lists_shows_replays_and_drops(
    few: Graveyard, arguments: Sequence[str], code: int, said: str
) -> None:
    few.bury(EAST, GOOD)

    ended = CliRunner().invoke(app, ["dlq", *arguments], env={"FAILURE_AGENT_BROKER__URL": few.where.url or ""})

    assert (ended.exit_code, said in ended.output) == (code, True), ended.output
