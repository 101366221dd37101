"""Metrics of ``failure-agent lookout``. What it receives and dead-letters is in ``broker_metrics``."""

from prometheus_client import Counter, Gauge, Histogram, Info

_BATCH_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)

SETTINGS = Info("failure_agent_lookout_settings", "The settings in effect: a hash of them.")
STORED = Counter(
    "failure_agent_lookout_stored",
    "Messages whose effect is stored, by kind; one that comes twice counts twice.",
    ["kind"],
)
RUNS = Counter("failure_agent_lookout_runs", "Runs that were not known before.")
FAILURES = Counter("failure_agent_lookout_failures", "Failures that were not known before.")
TOO_OLD = Counter(
    "failure_agent_lookout_too_old", "Messages about runs and jobs that were pruned; they are not stored again."
)
UNREADABLE = Counter("failure_agent_lookout_unreadable", "Messages that could not be decoded.")
STORE_SECONDS = Histogram("failure_agent_lookout_store_seconds", "Time to store one batch.", buckets=_BATCH_SECONDS)
STORE_RETRIES = Counter(
    "failure_agent_lookout_store_retries", "Batches tried again because the database did not answer."
)
PRUNED = Counter("failure_agent_lookout_pruned", "Rows that were deleted because of their age, by table.", ["table"])
PRUNED_AT = Gauge(
    "failure_agent_lookout_prune_timestamp_seconds",
    "When this process last deleted everything that was past its time; stays as it is while another process does so.",
)
PRUNE_FAILURES = Counter(
    "failure_agent_lookout_prune_failures", "Times that pruning stopped because of the database; it is tried again."
)
LAG_SECONDS = Gauge(
    "failure_agent_lookout_lag_seconds",
    "From publication to being stored, of the latest batch, or until now of one that waits or is stored just then; "
    "0 after a minute without one. It spans two clocks.",
)

LIVE_CLIENTS = Gauge("failure_agent_lookout_live_clients", "Clients that wait for changes.")
LIVE_DROPPED = Counter(
    "failure_agent_lookout_live_dropped", "Clients that took no changes, so that their connections were closed."
)


def show_kinds(*kinds: str) -> None:
    """Show the series of kinds of messages from 0 on: Prometheus sees no increase between no series and 1."""
    for kind in kinds:
        STORED.labels(kind)


def show_tables(*tables: str) -> None:
    """The same for the tables that rows are pruned from."""
    for table in tables:
        PRUNED.labels(table)
