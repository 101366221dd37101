"""The pre-flight check: which of address, TLS, token, tenant, permission and settings is wrong, and how to fix it."""

import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from enum import StrEnum

from agent.broker.port import Broker, BrokerError, Busy, Fenced
from agent.broker.pulsar.address import Address
from agent.broker.pulsar.admin import configured
from agent.broker.pulsar.broker import PulsarBroker
from agent.broker.pulsar.client import Endpoint
from agent.broker.pulsar.errors import Forbidden
from agent.broker.pulsar.policies import check_policies
from agent.broker.pulsar.reach import CheckFailure, CheckStep, reach
from agent.broker.pulsar.registry import REGISTRY, REGISTRY_SUBSCRIPTION
from agent.settings.broker import BrokerSettings

__all__ = ["CheckState", "CheckStep", "Finding", "Need", "Needs", "check"]


class CheckState(StrEnum):
    """How a step went. Unknown: it could not be checked."""

    FINE = "fine"
    WRONG = "wrong"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The result of one step; ``fix`` says how to fix it. The fields are those of the JSON output of the check."""

    step: CheckStep
    state: CheckState
    words: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """What a process does with a topic: publishes to it, and creates or consumes subscriptions of it."""

    topic: str
    publishes: bool = False
    subscriptions: Sequence[str] = ()


Needs = Callable[[Broker], Sequence[Need]]
"""What a process needs; it may depend on the topics that the broker has."""


def check(settings: BrokerSettings, needs: Needs) -> tuple[Finding, ...]:
    """Check every step until one fails. Raises BadAddress.

    Topics and subscriptions that do not exist are created, as the process itself would create them.
    """
    endpoint = Endpoint(
        address=Address.parse(settings.url, namespace=settings.pulsar.namespace), settings=settings.pulsar
    )
    return tuple(_findings(endpoint, needs))


def _findings(endpoint: Endpoint, needs: Needs) -> Iterator[Finding]:
    try:
        opened = _open(endpoint)
    except CheckFailure as failure:
        yield from (_fine(step, endpoint) for step in _before(failure.step))
        yield Finding(step=failure.step, state=CheckState.WRONG, words=failure.words, fix=failure.fix)
        return
    yield from (_fine(step, endpoint) for step in _before(CheckStep.PERMISSION))
    with closing(opened) as broker:
        try:
            wanted = [Need(topic=REGISTRY, publishes=True, subscriptions=(REGISTRY_SUBSCRIPTION,)), *needs(broker)]
        except BrokerError as error:
            yield _forbidden(
                broker, Need(topic=REGISTRY, publishes=True, subscriptions=(REGISTRY_SUBSCRIPTION,)), error
            )
            return
        for need in wanted:
            yield _tried(broker, need)
    yield from _set(endpoint)


def _open(endpoint: Endpoint) -> PulsarBroker:
    """A broker that lets us in, and whose namespace is there and open to us. Raises CheckFailure."""
    reach(endpoint)
    broker = PulsarBroker(endpoint)
    try:
        broker.check_namespace()
    except CheckFailure:
        broker.close()
        raise
    return broker


def _before(step: CheckStep) -> Sequence[CheckStep]:
    steps = list(CheckStep)
    return steps[: steps.index(step)]


def _fine(step: CheckStep, endpoint: Endpoint) -> Finding:
    settings, address = endpoint.settings, endpoint.address
    identity = "certificate" if settings.certificate_file else "the broker asks for none"
    words = {
        CheckStep.ADDRESS: address.service_url,
        CheckStep.TLS: "trusted" if address.secure else "not used: messages can be read in transit",
        CheckStep.TOKEN: str(settings.token_file) if settings.token_file else identity,
        CheckStep.TENANT: address.namespace,
    }
    return Finding(step=step, state=CheckState.FINE, words=words.get(step, ""))


def _tried(broker: PulsarBroker, need: Need) -> Finding:
    try:
        for name in need.subscriptions:
            broker.ensure_subscription(need.topic, name)
        if need.publishes:
            _publish(broker, need.topic)
    except BrokerError as error:
        return _forbidden(broker, need, error)
    does = [f"consume as {name}" for name in need.subscriptions] + ["publish"] * need.publishes
    return Finding(step=CheckStep.PERMISSION, state=CheckState.FINE, words=f"{need.topic}: may {', '.join(does)}")


def _forbidden(broker: PulsarBroker, need: Need, error: BrokerError) -> Finding:
    actions = ",".join(["consume"] * bool(need.subscriptions) + ["produce"] * need.publishes)
    command = f"pulsar-admin topics grant-permission {broker.full_name(need.topic)} --actions {actions} --role ROLE"
    fix = command if isinstance(error, Forbidden) else "look for the reason in the broker's log, then check again"
    return Finding(step=CheckStep.PERMISSION, state=CheckState.WRONG, words=f"{need.topic}: {error}", fix=fix)


def _publish(broker: PulsarBroker, topic: str) -> None:
    """Open a producer without sending. That a topic is held exclusively shows that our role may publish, too."""
    try:
        broker.producer(topic, name=f"check/{secrets.token_hex(4)}").close()
    except (Busy, Fenced):
        return


def _set(endpoint: Endpoint) -> Iterator[Finding]:
    url, namespace = endpoint.settings.admin_url, endpoint.address.namespace
    if url is None:
        fix = "name the admin API in broker.pulsar.adminUrl, or compare with the table in docs/pulsar.md"
        yield Finding(step=CheckStep.SETTINGS, state=CheckState.UNKNOWN, words="not checked", fix=fix)
        return
    try:
        found = check_policies(configured(url, endpoint.settings, namespace=namespace))
    except Forbidden as error:
        fix = "run the check with a token of an admin of the tenant"
        yield Finding(step=CheckStep.SETTINGS, state=CheckState.UNKNOWN, words=str(error), fix=fix)
    except BrokerError as error:
        fix = "correct broker.pulsar.adminUrl"
        yield Finding(step=CheckStep.SETTINGS, state=CheckState.UNKNOWN, words=str(error), fix=fix)
    else:
        for finding in found:
            state = CheckState.WRONG if finding.fix else CheckState.FINE
            yield Finding(
                step=CheckStep.SETTINGS, state=state, words=f"{finding.name}: {finding.words}", fix=finding.fix
            )
