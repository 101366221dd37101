"""``failctl broker``: checks the connection of a process to its broker, and releases topics."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TextIO

from agent.broker.connect import open_broker
from agent.broker.port import BadAddress, Broker, BrokerError
from agent.broker.pulsar.preflight import CheckState, CheckStep, Finding, Need, Needs, check
from agent.broker.topics import (
    COMMANDS,
    DEAD_LETTER_READER,
    EVENTS,
    HEARTBEATS,
    JOB_EVENTS,
    dead_letter_topic,
    events_topic,
    heartbeat_topic,
    is_consumed,
    is_dead_letter_topic,
    is_heartbeat_topic,
)
from agent.console.columns import Column, line, widened
from agent.console.exits import Exit, NotFoundError, UsageError
from agent.console.options import Form
from agent.console.terminal import visible
from agent.ctl.broker.connect import BrokerAddress, missing_event_log, open_for_command
from agent.settings.broker import BrokerSettings
from agent.settings.cluster import ClusterSettings
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.lookout import LookoutSettings
from agent.settings.scheduler import SchedulerSettings

_SUBSCRIPTION = "scheduler"
_HEARTBEAT_SUBSCRIPTION = "scheduler-heartbeats"
_LOOKOUT = "lookout"
_OTHERS = 2
"""Of the three processes, those whose settings are not given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BrokerCheckRequest:
    """Whose broker to check: the settings of an agent, of a scheduler or of a Lookout; ``url`` overrides theirs."""

    cluster: Path | None = None
    scheduler: Path | None = None
    lookout: Path | None = None
    url: str | None = None
    output: Form = "table"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReleaseRequest:
    """The cluster whose topic to release; without ``yes`` only say so."""

    topic: str
    where: BrokerAddress
    yes: bool = False


def run_check(request: BrokerCheckRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """Report each step; exits with code 1 where something is wrong. Raises UsageError."""
    try:
        settings, needs = _settings_and_needs(request, environ)
        pulsar = settings.url.startswith("pulsar")
        findings = check(settings, needs) if pulsar else _check_event_log(settings)
    except (ConfigError, BadAddress) as error:
        raise UsageError(str(error)) from error
    if request.output == "json":
        out.write(json.dumps([asdict(finding) for finding in findings], indent=2) + "\n")
    else:
        out.writelines(f"{line}\n" for line in _table(findings))
    return Exit.FINDING if any(finding.state is CheckState.WRONG for finding in findings) else Exit.FINE


def release(request: ReleaseRequest, *, environ: Mapping[str, str], out: TextIO) -> Exit:
    """End the ownership of a topic. Raises NotFoundError where nobody owns it, UsageError, UnreachableError."""
    topic = visible(request.topic)
    with open_for_command(request.where, environ) as broker:
        if not request.yes:
            if request.topic not in broker.topics(request.topic):
                raise NotFoundError(f"there is no topic {topic}")
            out.write(f"would release {topic}\n")
            return Exit.FINE
        if not broker.release(request.topic):
            raise NotFoundError(f"{topic} has no owner, so there is nothing to release")
    out.write(f"{topic} is released: the next cluster of that name becomes its owner\n")
    return Exit.FINE


def _settings_and_needs(request: BrokerCheckRequest, environ: Mapping[str, str]) -> tuple[BrokerSettings, Needs]:
    if [request.cluster, request.scheduler, request.lookout].count(None) != _OTHERS:
        raise UsageError("whose settings? Give --cluster FILE, --scheduler FILE or --lookout FILE")
    overrides = {"broker.url": request.url}
    if request.cluster is not None:
        settings = load(ClusterSettings, request.cluster, environ, overrides)
        return settings.broker, lambda _: _of_cluster(settings)
    if request.lookout is not None:
        return load(LookoutSettings, request.lookout, environ, overrides).broker, _of_lookout
    return load(SchedulerSettings, request.scheduler, environ, overrides).broker, _of_scheduler


def _of_cluster(settings: ClusterSettings) -> Sequence[Need]:
    events = Need(topic=events_topic(settings.cluster), publishes=True, subscriptions=settings.subscriptions)
    return [events, Need(topic=heartbeat_topic(settings.cluster), publishes=True)]


def _of_scheduler(broker: Broker) -> Sequence[Need]:
    """What the scheduler needs of the topics that exist now; it needs the same of topics that are created later."""
    topics = [topic for topic in broker.topics(EVENTS) if not is_dead_letter_topic(topic)]
    dead_letter_topics = [dead_letter_topic(topic, _SUBSCRIPTION) for topic in topics]
    return [
        *(
            Need(topic=topic, subscriptions=(_HEARTBEAT_SUBSCRIPTION,))
            for topic in broker.topics(HEARTBEATS)
            if is_heartbeat_topic(topic)
        ),
        *(Need(topic=topic, publishes=True) for topic in broker.topics(COMMANDS) if not is_dead_letter_topic(topic)),
        *(Need(topic=topic, publishes=True) for topic in broker.topics(JOB_EVENTS) if topic == JOB_EVENTS),
        *(Need(topic=topic, subscriptions=(_SUBSCRIPTION,)) for topic in topics),
        *(
            Need(topic=topic, publishes=True, subscriptions=(DEAD_LETTER_READER,))
            for topic in dict.fromkeys(dead_letter_topics)
        ),
    ]


def _of_lookout(broker: Broker) -> Sequence[Need]:
    """What a Lookout needs of the topics that exist now; it needs the same of topics that are created later."""
    heartbeats = [topic for topic in broker.topics(HEARTBEATS) if is_heartbeat_topic(topic)]
    events = [topic for topic in broker.topics(EVENTS) if is_consumed(topic, _LOOKOUT)]
    topics = [JOB_EVENTS, *heartbeats, *events]
    dead_letter_topics = dict.fromkeys(dead_letter_topic(topic, _LOOKOUT) for topic in topics)
    return [
        *(Need(topic=topic, subscriptions=(_LOOKOUT,)) for topic in topics),
        *(Need(topic=topic, publishes=True, subscriptions=(DEAD_LETTER_READER,)) for topic in dead_letter_topics),
    ]


def _check_event_log(settings: BrokerSettings) -> tuple[Finding, ...]:
    """Check an event log; the only step is that its file exists and opens."""
    if (missing := missing_event_log(settings.url)) is not None:
        fix = "correct broker.url, or start the process, which creates the file"
        return (Finding(step=CheckStep.ADDRESS, state=CheckState.WRONG, words=missing, fix=fix),)
    try:
        with closing(open_broker(settings)) as broker:
            broker.ping()
    except BadAddress:
        raise
    except BrokerError as error:
        fix = "correct broker.url, or give this process rights to the folder"
        return (Finding(step=CheckStep.ADDRESS, state=CheckState.WRONG, words=str(error), fix=fix),)
    return (Finding(step=CheckStep.ADDRESS, state=CheckState.FINE, words=settings.url),)


def _table(findings: Sequence[Finding]) -> Iterator[str]:
    shown = (*widened((Column(),), [(finding.step,) for finding in findings]), Column(width=7), Column())
    for finding in findings:
        yield line((finding.step, finding.state, finding.words), shown)
        if finding.fix:
            yield line(("", "", f"to fix it: {finding.fix}"), shown)
