"""The pre-flight check: which of address, TLS, token, tenant, permission and settings is wrong, and how to mend it."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum

from agent.broker.port import Broker, BrokerError, Busy, Fenced
from agent.broker.pulsar.address import Address
from agent.broker.pulsar.admin import configured
from agent.broker.pulsar.broker import PulsarBroker
from agent.broker.pulsar.client import Site
from agent.broker.pulsar.errors import Forbidden
from agent.broker.pulsar.policies import judge
from agent.broker.pulsar.reach import CheckStep, Wrong, reach
from agent.broker.pulsar.registry import KEEPER, REGISTRY
from agent.settings.broker import BrokerSettings

__all__ = ["CheckStep", "Finding", "Need", "Needs", "State", "check"]


class State(StrEnum):
    """How a step went. Unknown: it could not be looked at."""

    FINE = "fine"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What was found at one step; ``mend`` says what to do, where something is wrong."""

    step: CheckStep
    state: State
    words: str
    mend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a process does with a topic: publishes to it, and makes or consumes subscriptions of it."""

    topic: str
    publishes: bool = False
    subscriptions: Sequence[str] = ()


Needs = Callable[[Broker], Sequence[Need]]
"""What a process needs, given the broker, of whose topics that may depend."""


def check(settings: BrokerSettings, needs: Needs) -> tuple[Finding, ...]:
    """Look at everything, as far as one can be reached after the other. Raises BadAddress.

    What is needed is done: topics and subscriptions that are not there are made, as the process itself would.
    """
    site = Site(address=Address.parse(settings.url, namespace=settings.pulsar.namespace), settings=settings.pulsar)
    return tuple(_findings(site, needs))


def _findings(site: Site, needs: Needs) -> Iterator[Finding]:
    try:
        reach(site)
    except Wrong as wrong:
        yield from (_fine(step, site) for step in _before(wrong.step))
        yield Finding(step=wrong.step, state=State.WRONG, words=wrong.words, mend=wrong.mend)
        return
    yield from (_fine(step, site) for step in _before(CheckStep.PERMISSION))
    with closing(PulsarBroker(site)) as broker:
        try:
            wanted = [Need(topic=REGISTRY, publishes=True, subscriptions=(KEEPER,)), *needs(broker)]
        except BrokerError as error:
            yield _forbidden(broker, Need(topic=REGISTRY, publishes=True, subscriptions=(KEEPER,)), error)
            return
        for need in wanted:
            yield _tried(broker, need)
    yield from _set(site)


def _before(step: CheckStep) -> Sequence[CheckStep]:
    steps = list(CheckStep)
    return steps[: steps.index(step)]


def _fine(step: CheckStep, site: Site) -> Finding:
    settings, address = site.settings, site.address
    identity = "certificate" if settings.certificate_file else "none is asked for"
    words = {
        CheckStep.ADDRESS: address.service_url,
        CheckStep.TLS: "trusted" if address.secure else "not used: what is sent can be read on the way",
        CheckStep.TOKEN: str(settings.token_file) if settings.token_file else identity,
        CheckStep.TENANT: address.namespace,
    }
    return Finding(step=step, state=State.FINE, words=words.get(step, ""))


def _tried(broker: PulsarBroker, need: Need) -> Finding:
    try:
        for name in need.subscriptions:
            broker.ensure_subscription(need.topic, name)
        if need.publishes:
            _publish(broker, need.topic)
    except BrokerError as error:
        return _forbidden(broker, need, error)
    does = [f"consume as {name}" for name in need.subscriptions] + ["publish"] * need.publishes
    return Finding(step=CheckStep.PERMISSION, state=State.FINE, words=f"{need.topic}: may {', '.join(does)}")


def _forbidden(broker: PulsarBroker, need: Need, error: BrokerError) -> Finding:
    actions = ",".join(["consume"] * bool(need.subscriptions) + ["produce"] * need.publishes)
    command = f"pulsar-admin topics grant-permission {broker.full_name(need.topic)} --actions {actions} --role ROLE"
    mend = command if isinstance(error, Forbidden) else "see what the broker's log says of it, then check again"
    return Finding(step=CheckStep.PERMISSION, state=State.WRONG, words=f"{need.topic}: {error}", mend=mend)


def _publish(broker: PulsarBroker, topic: str) -> None:
    """Open a producer without sending; a topic that is held already shows that it may be published to."""
    try:
        broker.producer(topic, name=f"check/{secrets.token_hex(4)}").close()
    except (Busy, Fenced):
        return


def _set(site: Site) -> Iterator[Finding]:
    url, namespace = site.settings.admin_url, site.address.namespace
    if url is None:
        mend = "name the admin API in broker.pulsar.adminUrl, or compare with the table in docs/pulsar.md"
        yield Finding(step=CheckStep.SETTINGS, state=State.UNKNOWN, words="not looked at", mend=mend)
        return
    try:
        found = judge(configured(url, site.settings, namespace=namespace))
    except Forbidden as error:
        mend = "run the check with a token of an admin of the tenant"
        yield Finding(step=CheckStep.SETTINGS, state=State.UNKNOWN, words=str(error), mend=mend)
    except BrokerError as error:
        mend = "correct broker.pulsar.adminUrl"
        yield Finding(step=CheckStep.SETTINGS, state=State.UNKNOWN, words=str(error), mend=mend)
    else:
        for one in found:
            state = State.WRONG if one.mend else State.FINE
            yield Finding(step=CheckStep.SETTINGS, state=state, words=f"{one.name}: {one.words}", mend=one.mend)
