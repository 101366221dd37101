"""What follows from whole lists."""

from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict
from datetime import timedelta
from itertools import count

import pytest
from msgspec import structs
from prometheus_client import REGISTRY
from sqlalchemy import Connection, insert
from structlog.testing import capture_logs

from agent.core.failure import Occurrence
from agent.core.heartbeat import RunOffer
from agent.core.lifecycle.inventory import Consumed
from agent.core.lifecycle.state import State
from agent.core.run_event import Confirmation, RunCreated, RunPhase
from agent.observe.event_id import scheduler_event_id
from agent.scheduler.schedule.consumed import NotKnown
from agent.scheduler.schedule.inventories import Inventories
from agent.scheduler.schedule.scheduling_pass import SchedulingPass
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.rights import Everybody
from agent.scheduler.service.waiting import Waiting
from agent.store import clusters, orphans, run_lists
from agent.store.errors import LeadershipLost
from agent.store.sequences import Gap, gap_table
from agent.store.store import Store
from agent.store.submitted import held, whole
from tests.scheduler.path import decision_inputs
from tests.scheduler.runs import CONTAINERS, Loop, heartbeat
from tests.scheduler.schedule.test_scheduling_pass import SETTINGS
from tests.store.events import failed

ALL = Consumed(up_to_date=True)
RETRIES = {"name": "ml", "defaultAction": "Retry", "retryLimit": 2}


class Lists:
    """A job whose run was leased at 0 s, lists of its cluster, and what a leader makes of them."""

    def __init__(self, store: Store) -> None:
        self.loop = Loop(store, inputs=decision_inputs(RETRIES))
        self.loop.submit()
        self.loop.lease()
        self.loop.wait(60)
        self.known: Consumed | NotKnown = ALL
        self.asked: list[tuple[str, str]] = []
        terms = PassTerms(inputs=self.loop.inputs, runs=SETTINGS)
        self._inventories = Inventories(
            store, consumed_before=self._before, terms=lambda: terms, clock=lambda _: self.loop.now
        )

    def _before(self, topic: str, position: str) -> Consumed | NotKnown:
        self.asked.append((topic, position))
        return self.known

    def begin(self) -> None:
        """Have the pod recorded and run."""
        self.loop.handle(self.loop.event(RunCreated(), gated=True), self.loop.event(RunPhase.RUNNING))
        self.loop.wait(60)

    def run(self) -> None:
        self._inventories.run(lambda _: None)

    def waits(self) -> str:
        """Why the job waits, as ``failctl explain`` says it."""
        with self.loop.store.read() as connection:
            found = whole.find(connection, "j", now=self.loop.now)
        assert found is not None
        assert found.submitted is not None
        return found.submitted.wait

    def orphans(self) -> list[str]:
        with self.loop.store.read() as connection:
            return [known.orphan.uid for known in orphans.everything(connection)]

    def unfinished(self) -> list[str]:
        with self.loop.store.read() as connection:
            return [kept.list_id for kept in run_lists.unfinished(connection)]


@pytest.fixture
def lists(store: Store, monkeypatch: pytest.MonkeyPatch) -> Lists:
    monkeypatch.setattr("agent.scheduler.schedule.inventories._AGAIN", 0.0)
    return Lists(store)


def test_a_run_whose_recorded_pod_is_gone_has_failed(lists: Lists) -> None:
    lists.begin()
    lists.loop.see()
    lists.run()

    job = lists.loop.job()
    run = job.runs[0]
    assert (job.state, run.may_still_live, lists.loop.verdicts()) == (State.RETRY_WAITING, True, {"j-r0": "retry"})
    assert lists.loop.sent()[-1] == "stop j-u0"
    with lists.loop.store.read() as connection:
        found = whole.find(connection, "j", now=lists.loop.now)
    assert found is not None
    (recorded,) = found.runs
    (stored,) = recorded.failures
    assert (recorded.phase, recorded.pod_name) == ("failed", "pod-j-u0")
    assert stored.event_id == scheduler_event_id("j-r0", Occurrence.MISSING)
    assert stored.failure.classification.category == "internal"
    assert stored.failure.classification.subcategory == "pod-missing"
    (unseen,) = stored.failure.missing
    assert unseen.what == "how the pod ended"
    assert unseen.reason == (
        "the list of the pods of cluster east as of 2026-11-26 00:02:00 UTC does not have it; it was last reported "
        "running, and nothing that came before the list says more; its containers may still run"
    )


def test_what_the_agent_says_of_the_missing_pod_later_is_evidence(lists: Lists) -> None:
    lists.begin()
    lists.loop.see()
    lists.run()
    lists.loop.tell(failed(), confirmed=CONTAINERS)
    lists.loop.see()
    lists.run()

    run = lists.loop.job().runs[0]
    assert (run.confirmed, lists.loop.verdicts()) == (CONTAINERS, {"j-r0": "retry"})


def test_a_create_that_was_lost_is_sent_again(lists: Lists) -> None:
    lists.loop.see()
    lists.run()
    assert lists.loop.sent() == ["create j-r0"] * 2

    lists.loop.see()
    lists.run()
    assert lists.loop.sent() == ["create j-r0"] * 2


@pytest.mark.parametrize(
    ("known", "sent"),
    [
        (Consumed(up_to_date=False), []),
        (NotKnown(why="set broker.pulsar.adminUrl"), []),
        (Consumed(up_to_date=True, dead=["j"]), ["create g-r0"]),
        (Consumed(up_to_date=True, dead=["gang"]), ["create j-r0"]),
    ],
    ids=["behind", "not known", "a dead letter of the job", "a dead letter of the other one's gang"],
)
def test_nothing_follows_while_an_event_may_be_unknown(
    lists: Lists, known: Consumed | NotKnown, sent: list[str]
) -> None:
    lists.loop.submit("g", gang_id="gang")
    lists.loop.lease(0, "g")
    lists.loop.wait(60)
    lists.known = known
    lists.loop.see()
    lists.run()

    assert lists.loop.sent()[2:] == sent


@pytest.mark.parametrize(
    ("known", "words"),
    [
        (NotKnown(why="set broker.pulsar.adminUrl"), "broker.pulsar.adminUrl"),
        (Consumed(up_to_date=False), "once all events before the list are consumed"),
        (Consumed(up_to_date=True, dead=["j"]), "may be a dead letter: failctl dlq list"),
    ],
    ids=["not known", "behind", "a dead letter of the job"],
)
def test_explain_says_why_nothing_follows_for_a_pod_that_is_gone(
    lists: Lists, known: Consumed | NotKnown, words: str
) -> None:
    lists.begin()
    assert lists.waits() == ""

    lists.known = known
    lists.loop.see()
    lists.run()
    assert lists.loop.job().state is State.RUNNING
    assert "00:02:00 UTC does not have pod" in lists.waits()
    assert words in lists.waits()

    lists.loop.wait(60)
    lists.loop.see(lists.loop.listed())
    lists.run()
    assert lists.waits() == ""


@pytest.mark.parametrize(("noticed", "words"), [(60, "messages of the cluster are lost"), (-60, "dead letter")])
def test_explain_says_that_messages_are_lost_if_they_may_be_about_the_run(
    lists: Lists, noticed: int, words: str
) -> None:
    lists.begin()
    lists.known = Consumed(up_to_date=True, lost_before=lists.loop.now)
    lists.loop.see()
    lists.run()
    opened_at = lists.loop.job().runs[0].opened_at
    gap = Gap(
        topic="run-events-east",
        spool_id="s",
        after=1,
        through=2,
        position="1",
        noticed_at=opened_at + timedelta(seconds=noticed),
        lost_at=lists.loop.now,
    )
    with lists.loop.store.write() as connection:
        connection.execute(insert(gap_table).values(asdict(gap)))

    assert words in lists.waits()


def test_a_list_waits_until_the_events_in_front_of_it_are_consumed(lists: Lists) -> None:
    lists.known = Consumed(up_to_date=False)
    lists.loop.see()
    lists.run()
    assert (len(lists.loop.sent()), lists.unfinished()) == (1, ["l1"])

    lists.known = ALL
    lists.run()
    lists.run()
    assert (len(lists.loop.sent()), lists.unfinished()) == (2, [])
    assert lists.asked == [("run-events-east", "1")] * 2


def test_that_nothing_can_be_concluded_is_said_once(lists: Lists) -> None:
    lists.known = NotKnown(why="set broker.pulsar.adminUrl")
    lists.loop.see()
    with capture_logs() as logged:
        lists.run()
        lists.run()

    assert [(line["event"], line["why"]) for line in logged] == [
        ("nothing is concluded from lists of pods", "set broker.pulsar.adminUrl")
    ]


def test_that_nothing_can_be_concluded_is_said_once_for_each_of_several_clusters(lists: Lists) -> None:
    lists.loop.see()
    (page,) = lists.loop.pages([])
    west = run_lists.KeptPage(
        list_id="w",
        page=0,
        pages=1,
        cluster_id="west",
        payload=page.message.payload,
        topic="run-events-west",
        position="1",
        received_at=lists.loop.now,
    )
    with lists.loop.store.write() as connection:
        run_lists.add(connection, west)
        found = run_lists.KeptList(
            cluster_id="west", cluster="west", list_id="w", as_of=lists.loop.now, listed_at=lists.loop.now
        )
        run_lists.replace(connection, found)
    lists._inventories._consumed_before = lambda topic, _: NotKnown(why=f"refused to read {topic}")
    with capture_logs() as logged:
        lists.run()
        lists.run()

    assert [line["cluster"] for line in logged] == ["east", "west"]


def test_a_list_that_began_before_the_run_changed_proves_nothing(lists: Lists) -> None:
    lists.begin()
    lists.loop.see(as_of=lists.loop.now - timedelta(seconds=60))
    lists.run()

    assert (lists.loop.job().state, lists.unfinished()) == (State.RUNNING, [])


def test_nothing_follows_for_a_namespace_that_the_agent_no_longer_lists(lists: Lists) -> None:
    """The agent has other settings now: its lists are of the namespaces that it offers."""
    lists.begin()
    lists.loop.submit("k")
    lists.loop.lease(0, "k")
    lists.loop.wait(60)
    other = heartbeat(runs=RunOffer(namespaces=("other",), max_runs=9))
    with lists.loop.store.write() as connection:
        clusters.record(connection, other, received_at=lists.loop.now)
    lists.loop.see()
    lists.run()

    assert (lists.loop.job().state, lists.loop.verdicts(), lists.unfinished()) == (State.RUNNING, {}, [])
    assert lists.loop.sent() == ["create j-r0", "start j-u0", "create k-r0"]


def test_what_happens_before_the_lock_is_taken_counts(lists: Lists, monkeypatch: pytest.MonkeyPatch) -> None:
    """The event is committed between the look at all runs and the transaction."""
    lists.begin()
    lists.loop.see()
    decide = Store.decide

    def late(store: Store, scopes: list[str]) -> object:
        if list(scopes) == ["j"]:
            monkeypatch.undo()
            lists.loop.tell(RunPhase.SUCCEEDED, confirmed=CONTAINERS)
        return decide(store, scopes)

    monkeypatch.setattr(Store, "decide", late)
    lists.run()

    assert (lists.loop.job().state, lists.loop.verdicts()) == (State.SUCCEEDED, {})


@pytest.mark.parametrize("reads", [1, 2], ids=["examined", "concluded"])
def test_nothing_follows_from_a_list_whose_pages_a_newer_one_has_deleted(
    lists: Lists, monkeypatch: pytest.MonkeyPatch, reads: int
) -> None:
    """The newer list becomes whole after the leader has decided to take the earlier one."""
    found = lists.loop.listed(), lists.loop.listed("copy")
    pages, calls = run_lists.pages, count(1)

    def late(connection: Connection, list_id: str) -> list[run_lists.KeptPage]:
        if next(calls) == reads:
            lists.loop.wait(60)
            lists.loop.see(*found)
        return pages(connection, list_id)

    lists.begin()
    lists.loop.see(*found)
    lists.run()
    lists.loop.wait(60)
    lists.loop.see(*found)
    monkeypatch.setattr(run_lists, "pages", late)
    lists.run()
    assert (lists.loop.job().state, lists.orphans(), len(lists.unfinished())) == (State.RUNNING, ["copy"], 1)

    lists.run()
    assert (lists.loop.job().state, lists.orphans(), lists.unfinished()) == (State.RUNNING, ["copy"], [])


def test_a_leader_that_was_replaced_concludes_nothing(lists: Lists) -> None:
    def fence(_: Connection) -> None:
        raise LeadershipLost("another leads")

    lists.loop.see(lists.loop.listed("copy"))
    with pytest.raises(LeadershipLost):
        lists._inventories.run(fence)

    assert (lists.orphans(), len(lists.loop.sent())) == ([], 1)


def test_a_pod_without_our_gate_that_no_run_recorded_is_an_orphan_as_long_as_it_is_there(lists: Lists) -> None:
    lists.begin()
    gone = lists.loop.listed("gone")
    ended = lists.loop.listed("ended", confirmed=Confirmation.CONTAINERS)
    gated = lists.loop.listed("gated", gated=True)
    lists.loop.see(lists.loop.listed(), lists.loop.listed("copy"), gone, ended, gated)
    lists.run()
    assert lists.orphans() == ["copy", "gone"]
    assert REGISTRY.get_sample_value("failure_agent_scheduler_orphans", {"cluster": "east"}) == 2

    lists.loop.wait(60)
    lists.loop.see(lists.loop.listed(), lists.loop.listed("copy"))
    lists.run()
    assert lists.orphans() == ["copy"]
    assert lists.loop.sent() == ["create j-r0", "start j-u0", "discard gated"]


def test_a_persons_word_about_an_orphan_is_kept_while_a_list_is_examined(
    lists: Lists, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is given between the look at what is known of orphans, and the commit."""
    terms = PassTerms(inputs=lists.loop.inputs, runs=SETTINGS)
    vouching = StopConfirmations(
        lists.loop.store, rights=Everybody(), clock=lambda _: lists.loop.now, waiting=Waiting(lambda: terms)
    )
    with ThreadPoolExecutor() as pool:
        given: list[Future[object]] = []

        def counts(_: Connection) -> dict[str, int]:
            given.append(pool.submit(vouching.confirm, ["copy"], who="ann", reason="a copy"))
            wait(given, timeout=0.5)
            return {}

        lists.loop.see(lists.loop.listed("copy"))
        lists.run()
        lists.loop.wait(60)
        lists.loop.see(lists.loop.listed("copy"))
        monkeypatch.setattr(orphans, "counts", counts)
        lists.run()
        given[0].result()

    with lists.loop.store.read() as connection:
        assert [known.confirmed_by for known in orphans.everything(connection)] == ["ann"]


def test_a_list_that_does_not_say_how_old_it_is_proves_no_absence(lists: Lists) -> None:
    lists.loop.see(lists.loop.listed("copy"), unknown=True)
    lists.run()
    lists.loop.see(lists.loop.listed("other"), unknown=True)
    lists.run()

    assert (lists.orphans(), lists.loop.sent(), lists.unfinished()) == (["copy", "other"], ["create j-r0"], [])


def test_the_pass_leases_no_run_while_an_orphan_has_the_name_of_an_earlier_one(lists: Lists) -> None:
    def next_runs() -> int:
        terms = PassTerms(inputs=lists.loop.inputs, runs=SETTINGS)
        with lists.loop.store.write() as connection:
            clusters.record(connection, heartbeat(), received_at=lists.loop.now)
        SchedulingPass(
            lists.loop.store, terms=lambda: terms, clock=lambda _: lists.loop.now, new_run_id=lambda: "next"
        ).run(lambda _: None)
        return sum(run.run_id == "next" for run in lists.loop.job().runs)

    lists.begin()
    lists.loop.tell(failed(), confirmed=CONTAINERS)
    copy = lists.loop.listed("copy")
    named = structs.replace(copy, pod=structs.replace(copy.pod, name=lists.loop.job().runs[0].pod_name))
    lists.loop.wait(600)
    lists.loop.see(named)
    lists.run()
    assert next_runs() == 0

    lists.loop.wait(60)
    lists.loop.see()
    lists.run()
    assert next_runs() == 1


def test_a_pod_that_has_ended_is_an_orphan_while_an_open_run_needs_its_name(lists: Lists) -> None:
    copy = lists.loop.listed("copy", confirmed=CONTAINERS)
    named = structs.replace(copy, pod=structs.replace(copy.pod, name=lists.loop.job().runs[0].pod_name))
    lists.loop.see(named, lists.loop.listed("other", confirmed=CONTAINERS))
    lists.run()
    with lists.loop.store.read() as connection:
        (orphan,) = held.load(connection, ["j"])["j"].job.orphans
    assert (lists.orphans(), orphan.may_run) == (["copy"], False)
    assert REGISTRY.get_sample_value("failure_agent_scheduler_orphans", {"cluster": "east"}) == 0

    lists.loop.wait(60)
    lists.loop.see()
    lists.run()
    assert (lists.orphans(), lists.loop.sent()) == ([], ["create j-r0"] * 2)
