"""``failure-agent scheduler``: wires the parts of the process together, runs them, and stops them in order."""

import os
import socket
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from secrets import token_bytes
from threading import Event, Thread
from uuid import uuid4

import structlog

from agent.broker.connect import open_broker
from agent.broker.consume.consumer import ConsumeLimits, Consumer, Handle, Source
from agent.broker.port import Broker, BrokerError, Delivery, SubscriptionKind
from agent.core.submission.submission import ENTROPY, job_id
from agent.core.summary.redaction import Redactor
from agent.process.exits import Exit
from agent.process.log import log_by
from agent.process.reloading import Reading
from agent.process.stopping import watch_for_stop
from agent.scheduler.config.files import Configuration, SchedulerFiles, reloader
from agent.scheduler.config.in_force import InForce
from agent.scheduler.consume.handler import SUBSCRIPTION, Decisions, StoredAttempts, topics_of
from agent.scheduler.schedule.consumed import ConsumedEvents
from agent.scheduler.schedule.gaps import Gaps
from agent.scheduler.schedule.heartbeats import HEARTBEAT_SUBSCRIPTION, Heartbeats, heartbeat_topics_of
from agent.scheduler.schedule.inventories import Inventories
from agent.scheduler.schedule.leadership import Duties, Leadership
from agent.scheduler.schedule.list_requests import ListRequests
from agent.scheduler.schedule.publishing import Publishing
from agent.scheduler.schedule.scheduling_pass import SchedulingPass
from agent.scheduler.schedule.terms import PassTerms
from agent.scheduler.service.confirming import StopConfirmations
from agent.scheduler.service.job_servicer import JobServicer
from agent.scheduler.service.records import RecordServicer
from agent.scheduler.service.requesting import JobRequests
from agent.scheduler.service.resources import Resources
from agent.scheduler.service.rights import Everybody
from agent.scheduler.service.server import ApiServer, Services
from agent.scheduler.service.servicer import ResourceServicer
from agent.scheduler.service.submitted_pods import SubmittedPods
from agent.scheduler.service.submitting import Submissions
from agent.scheduler.service.waiting import Waiting
from agent.scheduler.store_clock import StoreClock, report_source
from agent.settings.scheduler import ApiSettings
from agent.store.errors import StoreError
from agent.store.store import Store
from agent.telemetry.check import Check, problem_of
from agent.telemetry.health import HealthServer

_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class App:
    """The running parts of a scheduler. ``stop`` ends the consumer after its current batch."""

    broker: Broker
    store: Store
    consumer: Consumer
    heartbeats: Consumer
    leadership: Leadership
    worker: Thread
    others: Sequence[Thread]
    stop: Event

    def checks(self) -> dict[str, Check]:
        """The checks of readiness: the broker, the store and its tables, the consumers, the passes if it is leader."""
        return {
            "broker": lambda: problem_of(self.broker.ping, BrokerError),
            "store": lambda: problem_of(self.store.check, StoreError),
            "consumer": self.consumer.check,
            "heartbeats": self.heartbeats.check,
            "schedule": self.leadership.check,
        }

    def alive(self) -> dict[str, Check]:
        """The checks of liveness: what only a restart can fix."""
        return {thread.name: partial(_ended, thread) for thread in (self.worker, *self.others)}

    def start(self) -> None:
        """Begin to consume, and to lead if no other scheduler does."""
        for thread in (self.worker, *self.others):
            thread.start()


def _ended(thread: Thread) -> str | None:
    return None if thread.is_alive() else f"the {thread.name} thread has ended"


def build(reading: Reading[Configuration], files: SchedulerFiles, stack: ExitStack) -> App:
    """Open everything; ``stack`` closes it. Raises BrokerError and StoreError."""
    settings = reading.value.settings
    store = stack.enter_context(Store.open(settings.store.url, password_file=settings.store.password_file))
    clock = StoreClock()
    report_source(store.dialect)
    broker = open_broker(settings.broker)
    stack.callback(broker.close)
    decisions = Decisions(store, inputs=reading.value.decision_inputs(), clock=clock)
    stop = Event()
    in_force = InForce(reading.value, store, use=decisions.use)
    in_force.cache.look()
    api = stack.enter_context(_api(settings.api, store, in_force, stop, clock=clock))
    name = process_name()
    limits = ConsumeLimits(discover=settings.discover.total_seconds())
    attempts = StoredAttempts(store, clock=clock)
    leadership = _leadership(broker, store, in_force, holder=name, clock=clock)
    handle = _followed(decisions.handle, by=leadership.publish)
    consumer = Consumer(broker, _events(broker, name), handle, attempts=attempts, limits=limits)
    heartbeats = Consumer(broker, _beats(broker, name), Heartbeats(store, clock=clock).handle, attempts=attempts)
    reloading = reloader(reading, files, use=partial(_use, in_force))
    Thread(target=reloading.run_until, args=(stop,), name="reload", daemon=True).start()
    refresh = partial(in_force.cache.run_until, every=settings.api.refresh.total_seconds())
    Thread(target=refresh, args=(stop,), name="resources", daemon=True).start()
    _log.info("deciding", policies=in_force.policies(), enabled=settings.scheduling.retry_policy.enabled)
    _log.info("the API is served", host=settings.api.host, port=api.port)
    return App(
        broker=broker,
        store=store,
        consumer=consumer,
        heartbeats=heartbeats,
        leadership=leadership,
        worker=_thread("consumer", consumer.run, stop),
        others=(_thread("heartbeats", heartbeats.run, stop), _thread("schedule", leadership.run, stop)),
        stop=stop,
    )


def _thread(name: str, run: Callable[[Event], None], stop: Event) -> Thread:
    return Thread(target=run, args=(stop,), name=name, daemon=True)


def process_name() -> str:
    """What this process is called among schedulers. One that takes its place after a crash may have the same name."""
    return f"{socket.gethostname()}-{os.getpid()}"


def _followed(handle: Handle, *, by: Callable[[], None]) -> Handle:
    """Handle a batch, and do something when what follows from it is stored."""

    def handle_and_follow(deliveries: Sequence[Delivery]) -> None:
        handle(deliveries)
        by()

    return handle_and_follow


def _events(broker: Broker, name: str) -> Source:
    return Source(
        topics=lambda: topics_of(broker),
        subscription=SUBSCRIPTION,
        kind=SubscriptionKind.KEY_SHARED,
        consumer=name,
    )


def _beats(broker: Broker, name: str) -> Source:
    return Source(
        topics=lambda: heartbeat_topics_of(broker),
        subscription=HEARTBEAT_SUBSCRIPTION,
        kind=SubscriptionKind.FAILOVER,
        consumer=name,
    )


def _leadership(broker: Broker, store: Store, in_force: InForce, *, holder: str, clock: StoreClock) -> Leadership:
    def interval() -> float:
        return in_force.configuration.settings.runs.interval.total_seconds()

    terms = partial(_terms, in_force)
    duties = Duties(
        passes=(
            SchedulingPass(store, terms=terms, clock=clock, new_run_id=lambda: str(uuid4())),
            ListRequests(store, terms=terms, clock=clock),
            Gaps(store, broker, clock=clock),
            Inventories(store, consumed_before=ConsumedEvents(store, broker).before, terms=terms, clock=clock),
        ),
        publishing=lambda epoch: Publishing(store, broker, epoch=epoch),
        interval=interval,
    )
    return Leadership(store, holder=holder, clock=clock, duties=duties)


def _terms(in_force: InForce) -> PassTerms:
    settings = in_force.configuration.settings
    return PassTerms(inputs=in_force.inputs, runs=settings.runs, retries_stopped=settings.retries.stopped)


def _api(settings: ApiSettings, store: Store, in_force: InForce, stop: Event, *, clock: StoreClock) -> ApiServer:
    resources = Resources(
        store,
        in_force=in_force,
        rights=Everybody(),
        clock=clock,
        new_uid=lambda: str(uuid4()),
    )
    servicer = ResourceServicer(
        resources, in_force=lambda: in_force.cache.current, stop=stop, poll=settings.refresh.total_seconds()
    )
    waiting = Waiting(partial(_terms, in_force))
    records = RecordServicer(store, catalog=lambda: in_force.catalog, clock=clock, waiting=waiting)
    services = Services(resources=servicer, records=records, jobs=_jobs(store, in_force, clock=clock))
    return ApiServer(settings.host, settings.port, services, stop=stop)


def _jobs(store: Store, in_force: InForce, *, clock: StoreClock) -> JobServicer:
    rights = Everybody()
    submissions = Submissions(
        store,
        rights=rights,
        warn=in_force.notes,
        clock=clock,
        new_id=lambda now: job_id(now, token_bytes(ENTROPY)),
    )
    waiting = Waiting(partial(_terms, in_force))
    requests = JobRequests(store, rights=rights, clock=clock, waiting=waiting)
    confirmations = StopConfirmations(store, rights=rights, clock=clock, waiting=waiting)
    pods = SubmittedPods(store, rights, Redactor())
    return JobServicer(submissions=submissions, pods=pods, requests=requests, confirmations=confirmations)


def _use(in_force: InForce, configuration: Configuration) -> None:
    in_force.take(configuration)
    log_by(configuration.settings.log)


def run(reading: Reading[Configuration], files: SchedulerFiles) -> Exit:
    """Run until asked to stop; changed files are read again meanwhile. Returns the exit code."""
    settings = reading.value.settings
    with ExitStack() as stack:
        asked = stack.enter_context(watch_for_stop())
        app = build(reading, files, stack)
        health = HealthServer(settings.health.host, settings.health.port, app.checks(), alive=app.alive())
        stack.enter_context(health)
        _log.info("health is served", host=settings.health.host, port=health.port)
        app.start()
        asked.wait_for_stop_or_end(app.worker)
        return _finish(app, settings.shutdown.total_seconds())


def _finish(app: App, seconds: float) -> Exit:
    """Stop the threads. Nothing is lost if one does not stop in time: the broker delivers again."""
    app.stop.set()
    until = time.monotonic() + seconds
    for thread in (app.worker, *app.others):
        thread.join(max(until - time.monotonic(), 0.0))
    if app.worker.is_alive():
        _log.warning("the current batch did not finish in time; it will be delivered again", seconds=seconds)
        return Exit.FAILED
    _log.info("stopped")
    return Exit.FINE
