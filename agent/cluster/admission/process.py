"""``failure-agent admission``: a process that only answers the webhook, for mode daemonset, where no process sees all.

It watches everything as in mode deployment, and has no spool, no broker and no reports. It changes nothing.
"""

import asyncio
import gc
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass

import structlog

from agent.cluster.admission.answers import ConditionAnswers
from agent.cluster.admission.server import AdmissionServer
from agent.cluster.admission.webhook import make_answers, open_server
from agent.cluster.config.files import ClusterFiles, Configuration, reloader
from agent.cluster.evidence.gather import OwnerChange, make_gatherer
from agent.cluster.rbac import PermissionReview, needed_to_answer, of_owners
from agent.cluster.time_check import hear, settle
from agent.cluster.watch.informers import Informers, cluster_informers
from agent.kube import objects
from agent.kube.access import is_granted
from agent.kube.connection import Connection
from agent.kube.reflector.cache import Change
from agent.process.log import log_by
from agent.process.reloading import Reading
from agent.process.server_clock import ServerClock
from agent.process.stopping import stop_requested, unless_stopped
from agent.settings.cluster import ClusterSettings
from agent.settings.fault import ConfigError, SettingFault
from agent.telemetry.health import Check, HealthServer

_log = structlog.get_logger(__name__)
_STARTING = "the API server has not been reached yet"


@dataclass(frozen=True, slots=True, kw_only=True)
class AdmissionProcess:
    """What is watched, and the webhook that answers from it. ``measured``: the seconds between two looks at gauges."""

    answers: ConditionAnswers
    server: AdmissionServer
    informers: Informers
    measured: float

    async def run(self, asked: asyncio.Event, *others: Coroutine[None, None, None]) -> None:
        """Run with these others until asked to stop. An exception of any part ends all of them."""
        async with asyncio.TaskGroup() as tasks:
            running = [
                tasks.create_task(self.informers.run(lambda: None), name="watch"),
                tasks.create_task(self.server.run(), name="admission"),
                tasks.create_task(self._measure(), name="gauges"),
                *(tasks.create_task(other) for other in others),
            ]
            await asked.wait()
            for task in running:
                task.cancel()

    async def _measure(self) -> None:
        while True:
            self.informers.measure()
            self.answers.measure()
            await asyncio.sleep(self.measured)

    def use(self, configuration: Configuration) -> None:
        """Use these rules and log settings from now on. Call on the event loop."""
        self.answers.use(configuration.rules)
        if self.informers.named is not None:
            self.informers.named.use(configuration.rules.reasons)
        log_by(configuration.settings.log)


class Health:
    """Readiness, from before the process is built. Called on the health server's threads."""

    def __init__(self) -> None:
        self.process: AdmissionProcess | None = None
        self.rights: PermissionReview | None = None

    def ready(self) -> dict[str, Check]:
        """Permissions granted, pods listed, the certificate fit."""
        return {
            "rights": lambda: None if self.rights is None else self.rights.check(),
            "cluster": lambda: _STARTING if self.process is None else self.process.informers.check(),
            "admission": lambda: None if self.process is None else self.process.server.check(),
        }


def make_process(configuration: Configuration, connection: Connection, clock: ServerClock) -> AdmissionProcess:
    """Put the parts together. Raises ConfigError where settings have no webhook or its certificate cannot be used."""
    settings, rules = configuration.settings, configuration.rules
    gatherer = make_gatherer(settings)
    answers = make_answers(settings, rules, gatherer, clock=clock)
    server = open_server(settings, answers, clock=clock)
    if answers is None or server is None:
        raise _no_webhook()

    async def on_pod(change: Change[objects.Pod, None]) -> None:
        answers.on_pod(change)

    async def on_event(change: Change[objects.Event, None]) -> None:
        gatherer.on_event(change, now=clock())

    async def on_node(change: Change[objects.Node, str]) -> None:
        gatherer.on_node(change, now=clock())

    async def on_owner(change: OwnerChange) -> None:
        gatherer.on_owner(change, now=clock())

    gatherer.listing = informers = cluster_informers(
        connection,
        settings.watch,
        on_pod=on_pod,
        on_event=on_event,
        on_node=on_node,
        on_owner=on_owner,
        reasons=rules.reasons,
    )
    every = settings.heartbeat.interval.total_seconds()
    return AdmissionProcess(answers=answers, server=server, informers=informers, measured=every)


async def run(reading: Reading[Configuration], files: ClusterFiles) -> None:
    """Run until asked to stop, with settings and rules as the files say, also when they change."""
    settings = reading.value.settings
    if settings.admission is None:
        raise _no_webhook()
    async with AsyncExitStack() as stack:
        asked = stack.enter_context(stop_requested())
        health = Health()
        server = HealthServer(settings.health.host, settings.health.port, health.ready())
        stack.enter_context(server)
        _log.info("health is served", host=settings.health.host, port=server.port)
        connection = await stack.enter_async_context(await Connection.open(settings.kube))
        clock = ServerClock()
        hear(clock, connection)
        health.rights = _review(connection, settings)
        await unless_stopped(asked, settle(clock, connection))
        health.process = process = make_process(reading.value, connection, clock)
        reloading = reloader(reading, files, use=process.use)
        _log.info("answering", cluster=settings.cluster, rules=reading.value.rules.revision)
        gc.collect()
        gc.freeze()  # what exists now stays permanently; a collection over it would stall the loop for 70 ms
        await process.run(asked, reloading.run(), health.rights.run())
    _log.info("stopped")


def _review(connection: Connection, settings: ClusterSettings) -> PermissionReview:
    rights = PermissionReview(
        lambda access: is_granted(connection, access),
        needed=needed_to_answer(settings),
        used_if_granted=of_owners(settings),
        interval=settings.rights_review.total_seconds(),
    )
    connection.on_forbidden(rights.refused)
    return rights


def _no_webhook() -> ConfigError:
    message = "is not set, and this process only answers the webhook; see docs/operations.md for what it needs"
    return ConfigError(SettingFault(place="settings", path="admission", message=message))
