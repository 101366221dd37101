"""Metrics of ``failure-agent cluster``. Labels come from rule files and fixed words, so their number is bounded."""

from enum import StrEnum

from prometheus_client import Counter, Gauge, Histogram

_FAST_SECONDS = (0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.05, 0.25, 1.0)
_PATH_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)

FAILURES = Counter(
    "failure_agent_failures",
    "Failures reported, by primary category and subcategory, and by origin (infra, platform, user, unknown).",
    ["category", "subcategory", "origin"],
)
OCCURRENCES = Counter("failure_agent_occurrences", "Occurrences seen, by kind.", ["occurrence"])
CLASSIFICATION_SECONDS = Histogram(
    "failure_agent_classification_seconds",
    "Time of one classification as a whole (all rules are evaluated at once), by primary category.",
    ["category"],
    buckets=_FAST_SECONDS,
)
PATTERN_TIMEOUTS = Counter("failure_agent_pattern_timeouts", "Backtracking searches that ran out of time.")
DETECT_TO_SPOOL_SECONDS = Histogram(
    "failure_agent_detect_to_spool_seconds",
    "From the event reaching the agent to the failure being on disk.",
    buckets=_PATH_SECONDS,
)
SPOOL_ROWS = Gauge("failure_agent_spool_rows", "Messages in the spool that the broker has not acknowledged.")
SPOOL_BYTES = Gauge("failure_agent_spool_bytes", "Size of the spool file with its journal.")
SPOOL_REFUSED = Counter("failure_agent_spool_refused", "Messages that the spool could not take (disk full, limit).")
SPOOL_EVENTS_LIMIT = Gauge("failure_agent_spool_events_limit", "Unacknowledged messages the spool takes (maxEvents).")
SPOOL_BYTES_LIMIT = Gauge("failure_agent_spool_bytes_limit", "Size at which the spool takes no more (maxBytes).")
SPOOL_FULL = Gauge("failure_agent_spool_full", "1 while the spool takes nothing: a limit is reached, or the disk full.")
SPOOL_REJECTED = Gauge("failure_agent_spool_rejected_rows", "Messages the broker never takes, kept in the spool.")
DAMAGED_SPOOLS = Gauge("failure_agent_damaged_spools", "Damaged spools that were moved aside and still exist.")
BACKLOG_PODS = Gauge("failure_agent_backlog_pods", "Changed pods, kept by uid until the spool accepts entries.")
BACKLOGGED = Counter("failure_agent_backlogged_pods", "Pods whose changes were deferred because the spool is full.")
OLDEST_UNPUBLISHED_SECONDS = Gauge(
    "failure_agent_oldest_unpublished_seconds", "Age of the oldest message the broker has not acknowledged; 0 if none."
)
CLOCK_OFFSET_SECONDS = Gauge(
    "failure_agent_clock_offset_seconds", "By how much this machine's clock is ahead of the agent's, the API server's."
)
CLOCK_ERROR_SECONDS = Gauge(
    "failure_agent_clock_error_seconds",
    "The most by which the agent's clock may differ from the API server's; no pod is given up above 5; +Inf: unknown.",
)
MISSING_EVIDENCE = Counter("failure_agent_missing_evidence", "Evidence that could not be gathered, by kind.", ["what"])
STANDBY_BUFFERED = Gauge("failure_agent_shelved", "Messages in the standby buffer, published if the leader does not.")
LEADS = Gauge("failure_agent_leads", "1 while this replica is the leader: publishes, releases pods, sends heartbeats.")
COVERED_NODES = Gauge("failure_agent_covered_nodes", "Nodes whose pods this process watches as no other sees them.")
UNCOVERED_NODES = Gauge("failure_agent_uncovered_nodes", "Nodes beyond the limit, whose pods nobody watches.")
MISSING_RIGHTS = Gauge(
    "failure_agent_missing_rights", "1 while the agent lacks a permission.", ["verb", "resource", "role"]
)
REFUSALS = Counter("failure_agent_refusals", "Requests the API server refused with 403.", ["verb", "resource"])
HELD_PODS = Gauge("failure_agent_held_pods", "Pods kept by our finalizer until their failure is stored.")
RELEASED_PODS = Counter("failure_agent_released_pods", "Pods whose finalizer was removed.")
DELETED_PODS = Counter("failure_agent_deleted_pods", "Requested deletions of pods, graceful or forced.", ["how"])
RUN_COMMANDS = Counter(
    "failure_agent_run_commands",
    "Commands of the scheduler that were handled, by command (create, start, stop, discard, list) and outcome.",
    ["command", "outcome"],
)
WAITING_COMMANDS = Gauge("failure_agent_waiting_run_commands", "Commands that wait, such as for the API server.")
RUN_LIST_SECONDS = Histogram(
    "failure_agent_run_list_seconds",
    "From the beginning of a whole list of the pods of runs to its pages being on disk.",
    buckets=_PATH_SECONDS,
)
LISTED_RUNS = Gauge("failure_agent_listed_runs", "Pods of runs in the last whole list.")


class ListDropped(StrEnum):
    """Why there was no list of the pods of runs.

    ``not-leading``: also while pods are not all listed. ``unpublished``: the broker does not have all of the last list.
    ``gone``: 410, the list took too long. ``refused``: any other error of the API server. ``unforeseen``:
    an error in the agent, which is in the log.
    """

    NOT_LEADING = "not-leading"
    SPOOL = "spool"
    UNPUBLISHED = "unpublished"
    GONE = "gone"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    UNREADABLE = "unreadable"
    UNFORESEEN = "unforeseen"


RUN_LISTS_DROPPED = Counter(
    "failure_agent_run_lists_dropped",
    "Lists of the pods of runs that were not made, or not to their end, by reason; nothing of them is published.",
    ["reason"],
)
AMENDMENTS = Counter("failure_agent_amendments", "Failures reported again with late evidence.")
BAD_OBJECTS = Counter("failure_agent_bad_objects", "Objects that could not be read and were skipped.", ["kind"])
REFLECTOR_LISTS = Counter("failure_agent_reflector_lists", "Lists begun.", ["kind"])
REFLECTOR_WATCHES = Counter("failure_agent_reflector_watches", "Watches begun.", ["kind"])
REFLECTOR_GONE = Counter("failure_agent_reflector_gone", "Watches that ended with 410 Gone.", ["kind"])
REFLECTOR_RECONNECTS = Counter("failure_agent_reflector_reconnects", "Lists or watches begun after an error.", ["kind"])
REFLECTOR_FORBIDDEN = Counter("failure_agent_reflector_forbidden", "Lists and watches refused with 403.", ["kind"])
REFLECTOR_BOOKMARKS = Counter("failure_agent_reflector_bookmarks", "Bookmarks received.", ["kind"])
REFLECTOR_SILENT_SECONDS = Gauge(
    "failure_agent_reflector_silent_seconds", "Since the API server last sent anything, the longest by kind.", ["kind"]
)
REFLECTOR_SYNC_SECONDS = Gauge(
    "failure_agent_reflector_sync_seconds", "What the last whole list took, the longest by kind.", ["kind"]
)
QUEUED = Gauge("failure_agent_queued", "Failures in hand that wait, by what they wait for.", ["what"])
REFLECTOR_OBJECTS = Gauge("failure_agent_reflector_objects", "Objects kept in memory.", ["kind"])


def record_failure(category: str, subcategory: str = "", *, origin: str) -> None:
    """Count one reported failure; an empty category counts nothing, as in Armada's executor."""
    if category != "":
        FAILURES.labels(category, subcategory, origin).inc()


def record_classification(seconds: float, *, category: str, subcategory: str = "") -> None:
    """Observe one classification as a whole under its primary category; an empty category observes nothing.

    ``subcategory`` is accepted so that callers can pass both; it is not a label, to bound the number of series.
    """
    del subcategory
    if category != "":
        CLASSIFICATION_SECONDS.labels(category).observe(seconds)
