"""Records of one round: what store, broker and node have of the jobs, read when all is over."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Final

from sqlalchemy import func, select

from agent.broker.connect import connect
from agent.broker.port import Broker, DeadLetter, SubscriptionKind
from agent.broker.topics import commands_topic, dead_letter_topic, events_topic
from agent.cluster.runs import consumer as agent
from agent.core.limit import VerdictAction
from agent.core.run_command import RunCommand
from agent.demo.outcome import Closure, LeasedRun
from agent.demo.standings import read_closures, read_runs
from agent.scheduler.consume import handler as scheduler
from agent.simulator.ledger import LivedContainer
from agent.store import outbox
from agent.store.store import Store
from agent.store.submitted import requests
from agent.store.submitted.requests import JobRequest
from agent.store.submitted.tables import ending_table, job_table, request_table, run_table
from agent.store.tables.failures import table as failure_table
from agent.store.tables.verdicts import table as verdict_table
from agent.wire.commands import decode_any

CLUSTER: Final = "real"
EVENTS: Final = events_topic(CLUSTER)
COMMANDS: Final = commands_topic(CLUSTER)
READERS: Final = {EVENTS: scheduler.SUBSCRIPTION, COMMANDS: agent.SUBSCRIPTION}
"""Who has to read which topic."""

AUDITOR: Final = "audit"
"""A subscription of its own, made before any command is published, so that all of them are kept."""

_RECEIVED_AT_MOST: Final = 500
_END_SECONDS: Final = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """A run as the store has it. ``closed_why`` is None while it is open."""

    run_id: str
    job_id: str
    place: int
    index: int
    uid: str | None
    phase: str | None
    closed_why: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VerdictRecord:
    """A verdict. ``about`` is the failure in words, for people."""

    run_id: str
    job_id: str
    action: VerdictAction
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndingRecord:
    job_id: str
    state: str
    by: str


@dataclass(frozen=True, kw_only=True)
class Records:
    """All there is. ``jobs`` are states by id, ``waiting`` the messages that the outbox still has.

    ``dead_letters`` are those of events and of commands, by the topic that they were sent to.
    """

    jobs: dict[str, str]
    runs: Sequence[RunRecord] = ()
    verdicts: Sequence[VerdictRecord] = ()
    endings: Sequence[EndingRecord] = ()
    requests: Sequence[JobRequest] = ()
    commands: Sequence[RunCommand] = ()
    containers: Sequence[LivedContainer] = ()
    leased: Sequence[LeasedRun] = ()
    closures: Sequence[Closure] = ()
    waiting: int = 0
    dead_letters: Sequence[str] = ()


def keep_commands(url: str) -> None:
    """Have the broker keep all commands from now on."""
    with closing(connect(url)) as broker:
        broker.ensure_subscription(COMMANDS, AUDITOR)


def read(store: Store, *, broker_url: str, containers: Sequence[LivedContainer]) -> Records:
    """Read everything."""
    return Records(
        jobs=states(store),
        runs=_runs(store),
        verdicts=_verdicts(store),
        endings=_endings(store),
        requests=_requests(store),
        commands=_commands(broker_url),
        dead_letters=_dead_letters(broker_url),
        containers=containers,
        leased=read_runs(store),
        closures=read_closures(store),
        waiting=waiting(store),
    )


def states(store: Store) -> dict[str, str]:
    """The state of every job."""
    with store.read() as connection:
        return {row.job_id: row.state for row in connection.execute(select(job_table.c.job_id, job_table.c.state))}


def waiting(store: Store) -> int:
    """How many messages the broker does not have."""
    with store.read() as connection:
        return connection.scalar(select(func.count()).select_from(outbox.table)) or 0


def count_changes(store: Store) -> int:
    """Grows whenever the loop goes on: verdicts and endings."""
    with store.read() as connection:
        counts = [connection.scalar(select(func.count()).select_from(each)) for each in (verdict_table, ending_table)]
    return sum(count or 0 for count in counts)


def _runs(store: Store) -> list[RunRecord]:
    named = {"index": "run_index"}
    columns = {name: run_table.c[named.get(name, name)] for name in RunRecord.__dataclass_fields__}
    query = select(*(column.label(name) for name, column in columns.items())).order_by(
        run_table.c.job_id, run_table.c.place
    )
    with store.read() as connection:
        return [RunRecord(**row) for row in connection.execute(query).mappings()]


def _verdicts(store: Store) -> list[VerdictRecord]:
    about = [failure_table.c[name] for name in ("pod_name", "occurrence", "category", "subcategory")]
    query = select(verdict_table.c.run_id, verdict_table.c.job_id, verdict_table.c.action, *about).join(
        failure_table, failure_table.c.event_id == verdict_table.c.event_id
    )
    with store.read() as connection:
        return [
            VerdictRecord(run_id=run_id, job_id=job_id, action=VerdictAction(action), about=" ".join(words))
            for run_id, job_id, action, *words in connection.execute(query)
        ]


def _endings(store: Store) -> list[EndingRecord]:
    query = select(ending_table.c.job_id, ending_table.c.state, ending_table.c.ended_by)
    with store.read() as connection:
        return [EndingRecord(job_id=row.job_id, state=row.state, by=row.ended_by) for row in connection.execute(query)]


def _requests(store: Store) -> list[JobRequest]:
    with store.read() as connection:
        job_ids = connection.scalars(select(request_table.c.job_id).distinct()).all()
        return [each for job_id in job_ids for each in requests.of_job(connection, job_id)]


def _commands(url: str) -> list[RunCommand]:
    """Every command about a run, in the order of the topic."""
    with closing(connect(url)) as broker:
        subscription = broker.subscribe([COMMANDS], name=AUDITOR, kind=SubscriptionKind.FAILOVER, consumer=AUDITOR)
        found: list[RunCommand] = []
        while some := subscription.receive(at_most=_RECEIVED_AT_MOST, timeout=_END_SECONDS):
            decoded = [decode_any(delivery.message.payload) for delivery in some]
            found.extend(each for each in decoded if isinstance(each, RunCommand))
            subscription.ack(some)
        return found


def _dead_letters(url: str) -> list[str]:
    with closing(connect(url)) as broker:
        return [topic for topic, reader in READERS.items() for _ in _read_dead(broker, topic, reader)]


def _read_dead(broker: Broker, topic: str, reader: str) -> list[DeadLetter]:
    dead = dead_letter_topic(topic, reader)
    if dead not in broker.topics(topic):
        return []
    with closing(broker.dead_letters(dead)) as found:
        return list(found.read())
