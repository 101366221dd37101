"""Metrics of publishing and consuming, shared by every process that does. One topic a cluster bounds the labels."""

from enum import StrEnum

from prometheus_client import Counter, Gauge, Histogram

_BATCH_SIZES = (1, 2, 5, 10, 25, 50, 100, 250, 500)

PUBLISHED = Counter(
    "failure_agent_published", "Messages the broker acknowledged, by outcome (stored, duplicate).", ["topic", "outcome"]
)
RECOVERED = Counter(
    "failure_agent_publish_recovered",
    "Messages the broker had stored although no acknowledgement reached us, found when reopening.",
    ["topic"],
)
REJECTED = Counter("failure_agent_publish_rejected", "Messages rejected because no broker accepts them.", ["topic"])
RESTARTS = Counter("failure_agent_publish_restarts", "Producers closed after an error, by error.", ["topic", "error"])
RENUMBERED = Counter(
    "failure_agent_publish_renumbered",
    "Times the broker knew more than the spool, which took a new id.",
    ["topic"],
)
CONNECTED = Gauge("failure_agent_publish_connected", "1 while the producer is open.", ["topic"])
IN_FLIGHT = Gauge("failure_agent_publish_in_flight", "Messages sent and not yet acknowledged.", ["topic"])

CONSUMED = Counter("failure_agent_consumed", "Messages handled and acknowledged.", ["subscription"])
REDELIVERED = Counter("failure_agent_redelivered", "Messages received that were delivered before.", ["subscription"])
RETURNED = Counter("failure_agent_returned", "Messages given back to be delivered again.", ["subscription"])
DEAD_LETTERS = Counter(
    "failure_agent_dead_letters",
    "Messages moved to the dead letters, by reason (unreadable, refused, or attempts: handling it failed too often).",
    ["subscription", "reason"],
)
NEWER = Gauge(
    "failure_agent_waiting_for_later_version",
    "1 while messages wait that only a later version of this program can handle.",
    ["subscription"],
)
BATCH_SIZE = Histogram("failure_agent_batch_messages", "Messages in one batch.", ["subscription"], buckets=_BATCH_SIZES)
HANDLE_SECONDS = Histogram("failure_agent_handle_seconds", "Time to handle one batch.", ["subscription"])


class DeadLetterReason(StrEnum):
    """Why a message became a dead letter."""

    UNREADABLE = "unreadable"
    ATTEMPTS = "attempts"
    REFUSED = "refused"


def show_topic(topic: str) -> None:
    """Show the series of a topic from 0 on: Prometheus sees no increase between no series and 1."""
    CONNECTED.labels(topic).set(0)
    for counter in (RECOVERED, REJECTED, RENUMBERED):
        counter.labels(topic)
    for outcome in ("stored", "duplicate"):
        PUBLISHED.labels(topic, outcome)


def show_subscription(subscription: str) -> None:
    """Show the dead letters of a subscription from 0 on."""
    for reason in DeadLetterReason:
        DEAD_LETTERS.labels(subscription, reason)
