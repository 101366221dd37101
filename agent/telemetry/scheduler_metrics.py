"""Metrics of ``failure-agent scheduler``. What it receives and dead-letters is in ``broker_metrics``."""

from prometheus_client import Counter, Gauge, Histogram

_BATCH_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_PATH_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 3600.0)

EVENTS = Counter("failure_agent_scheduler_events", "Events consumed for the first time, by kind.", ["kind"])
DUPLICATES = Counter(
    "failure_agent_scheduler_duplicates", "Events received before: known by id, states by their spool."
)
DECIDED = Counter(
    "failure_agent_scheduler_decided",
    "Verdicts, by origin of the failure (infra, platform, user, unknown).",
    ["verdict", "origin"],
)
ATTACHED = Counter("failure_agent_scheduler_attached", "Events attached as evidence to a run with a verdict.")
UNREADABLE = Counter("failure_agent_scheduler_unreadable", "Messages that could not be decoded.")
DECIDE_SECONDS = Histogram(
    "failure_agent_scheduler_decide_seconds",
    "Time to read the history of, decide and commit one batch.",
    buckets=_BATCH_SECONDS,
)
DETECT_TO_DECISION_SECONDS = Histogram(
    "failure_agent_detect_to_decision_seconds",
    "From the failure being observed in its cluster to its verdict being committed; spans two clocks.",
    buckets=_PATH_SECONDS,
)
CLOCK_OFFSET_SECONDS = Gauge(
    "failure_agent_scheduler_clock_offset_seconds",
    "By how much this machine's clock is ahead of the database's, by which is decided; 0 with SQLite.",
)
STORE_RETRIES = Counter("failure_agent_scheduler_store_retries", "Batches tried again because the store was busy.")
SILENT_CLUSTERS = Gauge("failure_agent_scheduler_silent_clusters", "Clusters that missed their heartbeat.")
GAPS = Gauge("failure_agent_scheduler_gaps", "Gaps in the numbers of clusters' messages: lost in the last week.")
LOST = Counter("failure_agent_scheduler_lost", "Messages of clusters that were lost.")
LEADER = Gauge("failure_agent_scheduler_leader", "1 if this scheduler leases runs and sends commands, 0 on a standby.")
PASS_SECONDS = Histogram(
    "failure_agent_scheduler_pass_seconds", "Time of one pass over the jobs that are due.", buckets=_BATCH_SECONDS
)
JOBS_SKIPPED = Counter(
    "failure_agent_scheduler_jobs_skipped", "Jobs that were due and could not be taken, in each pass."
)
LEASED = Counter("failure_agent_scheduler_leased", "Runs leased to a cluster.", ["cluster"])
LISTS_ASKED = Counter(
    "failure_agent_scheduler_lists_asked", "Lists of the pods of runs that a cluster was asked for.", ["cluster"]
)
LISTS_CONCLUDED = Counter(
    "failure_agent_scheduler_lists_concluded",
    "Lists of the pods of runs that were compared with all open runs of their cluster.",
    ["cluster"],
)
ABSENT = Counter(
    "failure_agent_scheduler_absent",
    "Open runs without a pod in a list of their cluster: missing (decided) or not-created (sent again).",
    ["absence"],
)
ORPHANS = Gauge(
    "failure_agent_scheduler_orphans",
    "Pods with the labels of a run that nobody started, as the latest list of their cluster has them.",
    ["cluster"],
)
HEARTBEATS = Counter("failure_agent_scheduler_heartbeats", "Heartbeats received, by cluster.", ["cluster"])
