"""The election, played in time that nobody waits for: laws over every course of answers, crashes and pauses."""

from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from agent.cluster.leader import election
from agent.cluster.leader.election import Candidate, Read, Timing, Write
from agent.kube.lease import Record

START = datetime(2026, 11, 21, tzinfo=UTC)
TIMING = Timing()
LIMIT = 15.0
"""Seconds within which another must lead when the one that led is dead, as docs/operations.md promises."""
QUICK_ENOUGH = 1.5
"""Seconds an answer may take for that: two looks, a pause, the lease's duration, a look and a write are within it."""


@dataclass
class Server:
    """One lease, changed only on its newest version."""

    record: Record | None = None
    writes: int = 0

    def put(self, record: Record) -> Record | None:
        if record.version != ("" if self.record is None else self.record.version):
            return None
        self.writes += 1
        self.record = replace(record, version=str(self.writes))
        return self.record


@dataclass
class Replica:
    """One candidate with a clock of its own: a monotonic one begins anywhere."""

    server: Server
    me: str
    offset: float = 0.0
    candidate: Candidate = field(init=False)
    next_at: float = 0.0

    def __post_init__(self) -> None:
        self.candidate = Candidate(me=self.me)

    def leads(self, now: float) -> bool:
        return election.leads(self.candidate, TIMING, now=now + self.offset)

    def step(self, now: float, *, answered: bool = True, stored: bool = True, took: float = 0.0) -> None:
        """One round that began at ``now``; its answer came ``took`` later, or never."""
        at = START + timedelta(seconds=now)
        step = election.next_step(self.candidate, TIMING, now=now + self.offset, at=at, behind=None)
        match step:
            case Write(record=record):
                self._write(record, now, answered=answered, stored=stored)
            case Read():
                if answered:
                    later = now + took + self.offset
                    self.candidate, claim = election.after_read(
                        self.candidate, self.server.record, TIMING, now=later, at=at
                    )
                    if claim is not None:
                        self._write(claim.record, now + took, answered=True, stored=stored)
        self.next_at = now + took + election.pause(self.candidate, TIMING, now=now + took + self.offset)

    def _write(self, record: Record, now: float, *, answered: bool, stored: bool) -> None:
        if not stored:
            return
        written = self.server.put(record)
        if written is None and answered:
            found = self.server.record
            at = START + timedelta(seconds=now)
            self.candidate, _ = election.after_read(self.candidate, found, TIMING, now=now + self.offset, at=at)
        elif written is not None and answered:
            self.candidate = election.granted(self.candidate, written, asked_at=now + self.offset)


def test_the_first_to_ask_leads_and_the_first_term_is_number_1() -> None:
    server = Server()
    first, second = Replica(server, "a"), Replica(server, "b")
    first.step(0.0)
    second.step(0.1)

    assert (first.leads(0.2), second.leads(0.2)) == (True, False)
    assert (first.candidate.epoch, server.record and server.record.holder) == (1, "a")


def test_a_term_goes_on_as_long_as_it_is_renewed() -> None:
    server = Server()
    first, second = Replica(server, "a"), Replica(server, "b")
    for tick in range(60):
        first.step(tick * TIMING.every)
        second.step(tick * TIMING.every + 0.5)
        assert first.leads(tick * TIMING.every + 0.6)
        assert not second.leads(tick * TIMING.every + 0.6)
    assert first.candidate.epoch == 1


def test_who_gives_the_lease_up_is_followed_at_the_next_look() -> None:
    server = Server()
    first, second = Replica(server, "a"), Replica(server, "b")
    first.step(0.0)
    second.step(0.1)
    assert server.record is not None
    server.put(election.given_up_lease(server.record, at=START))

    second.step(second.next_at)

    assert second.leads(second.next_at)
    assert second.candidate.epoch == 2


def test_an_answer_to_a_renewal_that_was_lost_ends_no_term() -> None:
    server = Server()
    replica = Replica(server, "a")
    replica.step(0.0)
    replica.step(2.0, answered=False, stored=True)
    replica.step(2.5)
    replica.step(3.0)

    assert replica.leads(7.0)
    assert replica.candidate.epoch == 1


def test_a_deleted_lease_does_not_count_from_1_again() -> None:
    server = Server()
    replica = Replica(server, "a")
    replica.step(0.0)
    server.record = None
    replica.step(20.0)

    assert replica.candidate.epoch == 2


@given(
    phases=st.tuples(st.floats(0, 4), st.floats(0, 4)),
    died=st.floats(0, 60),
    took=st.floats(0, QUICK_ENOUGH),
    offset=st.floats(0, 1e6),
)
def test_another_leads_within_the_limit_after_a_sudden_death(
    phases: tuple[float, float], died: float, took: float, offset: float
) -> None:
    server = Server()
    first, second = Replica(server, "a"), Replica(server, "b", offset=offset)
    first.next_at = phases[0]
    first.step(0.0)
    second.next_at = phases[1]
    while min(first.next_at, second.next_at) <= died:
        due = first if first.next_at <= second.next_at else second
        due.step(due.next_at, took=took)
    last = died
    while not second.leads(second.next_at):
        second.step(max(second.next_at, died), took=took)
        last = second.next_at
        assert last - max(died, phases[1]) < LIMIT + TIMING.every

    assert second.candidate.renewed_at is not None
    assert second.candidate.renewed_at - offset - max(died, phases[1]) < LIMIT


@given(
    course=st.lists(
        st.tuples(st.sampled_from("abc"), st.floats(0, 12), st.booleans(), st.booleans(), st.floats(0, 2)), max_size=80
    ),
    offsets=st.tuples(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e6)),
)
def test_never_do_two_lead(
    course: list[tuple[str, float, bool, bool, float]], offsets: tuple[float, float, float]
) -> None:
    """Whoever is asked, paused for however long, and whichever requests or answers are lost."""
    server = Server()
    replicas = {name: Replica(server, name, offset=offset) for name, offset in zip("abc", offsets, strict=True)}
    now = 0.0
    for name, passed, answered, stored, took in course:
        now += passed
        replicas[name].step(now, answered=answered, stored=stored, took=took)
        now += took

        assert sum(replica.leads(now) for replica in replicas.values()) <= 1


@given(
    course=st.lists(st.tuples(st.sampled_from("ab"), st.floats(0, 20), st.booleans()), max_size=80),
)
def test_every_term_has_a_higher_number_than_the_ones_before(course: list[tuple[str, float, bool]]) -> None:
    server = Server()
    replicas = {name: Replica(server, name) for name in "ab"}
    now, terms = 0.0, list[tuple[int, str]]()
    for name, passed, deleted in course:
        now += passed
        if deleted and passed > 19:
            server.record = None
        replicas[name].step(now)
        if replicas[name].leads(now) and (replicas[name].candidate.epoch, name) not in terms:
            terms.append((replicas[name].candidate.epoch, name))

    per_replica = [[epoch for epoch, who in terms if who == name] for name in "ab"]
    assert all(epochs == sorted(set(epochs)) for epochs in per_replica)
    if server.record is not None and not any(deleted for *_, deleted in course):
        assert [epoch for epoch, _ in terms] == sorted({epoch for epoch, _ in terms})
