"""Compares the policies of a namespace with what we need; pure.

What we need, and why: docs/pulsar.md, "What an operator of Pulsar configures".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

_WEEK_MINUTES: Final = 7 * 24 * 60
_LARGEST: Final = 5 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyFinding:
    """One policy or setting and its value. ``fix`` is the command that corrects it; ``""`` if nothing is wrong."""

    name: str
    words: str
    fix: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configured:
    """A namespace's policies and the broker's settings, as the admin API gives them.

    ``broker`` is ``None`` if our role may not read it: what the namespace leaves to the broker is then not checked.
    """

    namespace: str
    policies: Mapping[str, Any]
    broker: Mapping[str, str] | None


def check_policies(configured: Configured) -> tuple[PolicyFinding, ...]:
    """Every setting whose value is known, in the order of docs/pulsar.md."""
    return tuple(_settings(configured))


def _settings(given: Configured) -> Iterator[PolicyFinding]:
    for check in (
        _deduplication,
        _inactivity,
        _time_to_live,
        _quota,
        _expiration,
        _inactive_topics,
        _partitions,
        _size,
    ):
        yield from check(given)


def _of(given: Configured, policy: object, name: str) -> Any:  # noqa: ANN401 - as the API has it
    """The namespace's policy, else the broker's setting; ``None`` if that is not known."""
    if policy is not None:
        return policy
    return None if given.broker is None else given.broker.get(name)


def _deduplication(given: Configured) -> Iterator[PolicyFinding]:
    found = _of(given, given.policies.get("deduplicationEnabled"), "brokerDeduplicationEnabled")
    if found is not None:
        fix = f"pulsar-admin namespaces set-deduplication {given.namespace} --enable"
        yield _setting("deduplication", "on" if _is_on(found) else "off", fix="" if _is_on(found) else fix)


def _inactivity(given: Configured) -> Iterator[PolicyFinding]:
    found = None if given.broker is None else given.broker.get("brokerDeduplicationProducerInactivityTimeoutMinutes")
    if found is not None:
        fix = f"broker.conf: brokerDeduplicationProducerInactivityTimeoutMinutes={_WEEK_MINUTES}"
        fine = int(found) >= _WEEK_MINUTES
        yield _setting("numbers of silent producers are kept", f"{found} minutes", fix="" if fine else fix)


def _time_to_live(given: Configured) -> Iterator[PolicyFinding]:
    found = _of(given, given.policies.get("message_ttl_in_seconds"), "ttlDurationDefaultInSeconds")
    if found is not None:
        fix = f"pulsar-admin namespaces set-message-ttl {given.namespace} --messageTTL 0"
        fine = int(found) <= 0
        yield _setting("time to live", "none" if fine else f"{found} s", fix="" if fine else fix)


def _quota(given: Configured) -> Iterator[PolicyFinding]:
    quotas: Mapping[str, Mapping[str, Any]] = given.policies.get("backlog_quota_map") or {}
    policies = [quota.get("policy") for quota in quotas.values()]
    if not policies and given.broker is not None:
        policies = [given.broker.get("backlogQuotaDefaultRetentionPolicy")]
    for policy in policies:
        if policy is not None:
            command = f"pulsar-admin namespaces set-backlog-quota {given.namespace} --policy producer_request_hold ..."
            fix = command if policy == "consumer_backlog_eviction" else ""
            yield _setting("a full backlog", str(policy), fix=fix)


def _expiration(given: Configured) -> Iterator[PolicyFinding]:
    policy = given.policies.get("subscription_expiration_time_minutes")
    found = _of(given, policy, "subscriptionExpirationTimeMinutes")
    if found is not None:
        fix = f"pulsar-admin namespaces set-subscription-expiration-time {given.namespace} --time 0"
        fine = int(found) <= 0
        yield _setting("subscriptions expire", "never" if fine else f"{found} minutes", fix="" if fine else fix)


def _inactive_topics(given: Configured) -> Iterator[PolicyFinding]:
    policies: Mapping[str, Any] = given.policies.get("inactive_topic_policies") or {}
    deletes = _of(given, policies.get("deleteWhileInactive"), "brokerDeleteInactiveTopicsEnabled")
    mode = _of(given, policies.get("inactiveTopicDeleteMode"), "brokerDeleteInactiveTopicsMode")
    if deletes is None or mode is None:
        return
    wrong = _is_on(deletes) and mode != "delete_when_no_subscriptions"
    command = f"pulsar-admin namespaces set-inactive-topic-policies {given.namespace} --disable-delete-while-inactive"
    fix = f"{command} --max-inactive-duration 7d --delete-mode delete_when_no_subscriptions"
    yield _setting("idle topics are deleted", str(mode) if _is_on(deletes) else "never", fix=fix if wrong else "")


def _partitions(given: Configured) -> Iterator[PolicyFinding]:
    override: Mapping[str, Any] = given.policies.get("autoTopicCreationOverride") or {}
    allowed = _of(given, override.get("allowAutoTopicCreation"), "allowAutoTopicCreation")
    kind = _of(given, override.get("topicType"), "allowAutoTopicCreationType")
    if allowed is None or kind is None:
        return
    command = f"pulsar-admin namespaces set-auto-topic-creation {given.namespace} --enable --type non-partitioned"
    words = str(kind) if _is_on(allowed) else "made by an operator only"
    yield _setting("new topics", words, fix=command if _is_on(allowed) and kind != "non-partitioned" else "")


def _size(given: Configured) -> Iterator[PolicyFinding]:
    found = None if given.broker is None else given.broker.get("maxMessageSize")
    if found is not None:
        fix = "" if int(found) >= _LARGEST else f"broker.conf: maxMessageSize={_LARGEST}"
        yield _setting("largest message", f"{found} bytes", fix=fix)


def _setting(name: str, words: str, *, fix: str) -> PolicyFinding:
    return PolicyFinding(name=name, words=words, fix=fix)


def _is_on(value: object) -> bool:
    return str(value).lower() == "true"
