"""``failure-agent lookout``: wires the parts of the process together, runs them, and stops them in order."""

import gc
import os
import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from threading import Event, Thread
from typing import Final

import structlog

from agent.broker.connect import open_broker
from agent.broker.consume.consumer import ConsumeLimits, Consumer, Source
from agent.broker.port import Broker, BrokerError, SubscriptionKind
from agent.broker.topics import JOB_EVENTS
from agent.lookout.api.application import create
from agent.lookout.api.backend import Backend
from agent.lookout.api.live import Live
from agent.lookout.api.server import ApiServer
from agent.lookout.changes import Changes
from agent.lookout.config import Configuration, LookoutFiles, reloader
from agent.lookout.ingest.handler import Ingest, StoredAttempts
from agent.lookout.ingest.lag import Lag
from agent.lookout.ingest.topics import SUBSCRIPTION, MessageKind, topics_of
from agent.lookout.prune import Ages, Pruner
from agent.lookout.store.opening import open_store
from agent.lookout.writer import writing
from agent.process.clock import elapsed_time, system_time
from agent.process.exits import Exit
from agent.process.log import log_by
from agent.process.reloading import Reading
from agent.process.stopping import watch_for_stop
from agent.settings.lookout import LookoutSettings
from agent.store.errors import StoreError
from agent.store.store import Store
from agent.telemetry import lookout_metrics as metrics
from agent.telemetry.check import Check, problem_of
from agent.telemetry.health import HealthServer

_log = structlog.get_logger(__name__)

_BATCH: Final = 1_000
"""Messages in one transaction. Those of a run that come together are one row, and one more costs little."""

_UNTIL_COLLECTED: Final = 10_000
"""New objects before Python runs its garbage collector, by default 700."""


@dataclass(kw_only=True)
class App:
    """The running parts of a Lookout. ``stop`` ends the consumer after its current batch."""

    settings: LookoutSettings
    broker: Broker
    store: Store
    consumer: Consumer
    lag: Lag
    changes: Changes
    worker: Thread
    pruner: Pruner
    pruning: Thread
    stop: Event

    def checks(self) -> Mapping[str, Check]:
        """The checks of readiness: the broker, the database and its tables, the consumer, and how far it is behind."""
        return {
            "broker": lambda: problem_of(self.broker.ping, BrokerError),
            "database": lambda: problem_of(self.store.check, StoreError),
            "consumer": self.consumer.check,
            "lag": lambda: self.lag.problem(self.settings.max_lag),
        }

    def alive(self) -> Mapping[str, Check]:
        """The checks of liveness: what only a restart can fix."""
        return {thread.name: partial(_ended, thread) for thread in (self.worker, self.pruning)}

    def use(self, configuration: Configuration) -> None:
        """Go by these settings from now on, as far as they need no restart."""
        self.settings = configuration.settings
        self.pruner.ages = Ages.of(configuration.settings)
        log_by(configuration.settings.log)


def _ended(thread: Thread) -> str | None:
    return None if thread.is_alive() else f"the {thread.name} thread has ended"


def build(settings: LookoutSettings, stack: ExitStack) -> App:
    """Open everything; ``stack`` closes it. Raises BrokerError and StoreError."""
    own = settings.database
    stack.enter_context(writing(own.url))
    store = stack.enter_context(open_store(own.url, password_file=own.password_file))
    broker = open_broker(settings.broker)
    stack.callback(broker.close)
    # A topic without a subscription is trimmed: from now on this one keeps what schedulers decide.
    broker.ensure_subscription(JOB_EVENTS, SUBSCRIPTION)
    lag, changes, stop = Lag(system_time), Changes(), Event()
    metrics.show_kinds(*MessageKind)
    pruner = Pruner(store, Ages.of(settings), changes, clock=system_time)
    consumer = Consumer(
        broker,
        _source(broker),
        Ingest(store=store, lag=lag, changes=changes).handle,
        attempts=StoredAttempts(store=store, clock=system_time),
        limits=ConsumeLimits(batch=_BATCH, discover=settings.discover.total_seconds()),
    )
    return App(
        settings=settings,
        broker=broker,
        store=store,
        consumer=consumer,
        lag=lag,
        changes=changes,
        worker=Thread(target=consumer.run, args=(stop,), name="consumer", daemon=True),
        pruner=pruner,
        pruning=Thread(target=pruner.run, args=(stop,), name="pruner", daemon=True),
        stop=stop,
    )


def _source(broker: Broker) -> Source:
    return Source(
        topics=partial(topics_of, broker),
        subscription=SUBSCRIPTION,
        kind=SubscriptionKind.KEY_SHARED,
        consumer=f"{socket.gethostname()}-{os.getpid()}",
    )


def collect_rarely() -> None:
    """Have Python look for garbage that refers to itself in what is new only, and seldom: a batch makes none.

    Otherwise it takes a tenth of the time for what exists when the process has started, and a twentieth for the rest.
    """
    gc.freeze()
    gc.set_threshold(_UNTIL_COLLECTED)


def run(reading: Reading[Configuration], files: LookoutFiles) -> Exit:
    """Run until asked to stop; a changed file is read again meanwhile. Returns the exit code."""
    settings = reading.value.settings
    with ExitStack() as stack:
        asked = stack.enter_context(watch_for_stop())
        app = build(settings, stack)
        reloading = reloader(reading, files, use=app.use)
        Thread(target=reloading.run_until, args=(app.stop,), name="reload", daemon=True).start()
        _serve(app, stack)
        collect_rarely()
        app.worker.start()
        app.pruning.start()
        asked.wait_for_stop_or_end(app.worker)
        return _finish(app, settings.shutdown.total_seconds())


def _serve(app: App, stack: ExitStack) -> None:
    """Answer on both ports. The API stops first: what it works with is closed after it. Raises OSError."""
    own, others = app.settings.health, app.settings.api
    api = stack.enter_context(ApiServer(others.host, others.port)) if others.enabled else None
    alive = dict(app.alive())
    if api is not None:
        alive["api"] = api.problem
        alive.update(_hearing(app))
    health = HealthServer(own.host, own.port, app.checks(), alive=alive)
    if api is not None:
        live = Live(app.changes)
        backend = Backend(
            store=app.store,
            health=health.pages,
            live=live,
            changes=app.changes,
            lag=app.lag.now,
            scheduler=others.scheduler,
        )
        api.serve(create(backend, allowed_hosts=others.allowed_hosts), ending=live.close)
        _log.info("the API is served", host=others.host, port=api.port)
    stack.enter_context(health)
    _log.info("health is served", host=own.host, port=health.port)


def _hearing(app: App) -> Mapping[str, Check]:
    """Hear what other processes of a Postgres store; the liveness of the thread that does."""
    if app.store.dialect != "postgresql":
        return {}
    hearing = Thread(target=app.changes.hear_until, args=(app.stop, app.store), name="changes", daemon=True)
    hearing.start()
    return {hearing.name: partial(_ended, hearing)}


def _finish(app: App, seconds: float) -> Exit:
    """Stop the threads. Nothing is lost if one does not stop in time: the broker delivers again."""
    app.stop.set()
    until = elapsed_time() + seconds
    for thread in (app.worker, app.pruning):
        thread.join(max(until - elapsed_time(), 0))
    if app.worker.is_alive():
        _log.warning("the current batch did not finish in time; it will be delivered again", seconds=seconds)
        return Exit.FAILED
    _log.info("stopped")
    return Exit.FINE
