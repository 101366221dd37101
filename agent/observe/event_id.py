"""Event ids: the same for two observers of the same occurrence, so that duplicates can be dropped.

This is the step ``dedup`` of docs/protocol.md.
"""

from hashlib import sha256

from agent.core.failure import Occurrence

_DIGITS = 32


def event_id(
    cluster_id: str, pod_uid: str, occurrence: Occurrence, *, container: str = "", discriminator: str = ""
) -> str:
    """32 hexadecimal digits. A restart in place also gives its container and the terminated instance."""
    return _digest("observed", cluster_id, pod_uid, occurrence.value, container, discriminator)


def scheduler_event_id(run_id: str, occurrence: Occurrence) -> str:
    """The id of an occurrence that the scheduler itself makes, such as ``lease-expired``."""
    return _digest("scheduled", run_id, occurrence.value)


def run_event_id(cluster_id: str, subject: str, what: str) -> str:
    """The id of what happened to a run that is no failure; ``subject``: the uid of its pod, else the id of the run."""
    return _digest("run", cluster_id, subject, what)


def job_event_id(kind: str, *subject: str) -> str:
    """The id of what the scheduler decided about a job; ``subject`` says of what."""
    return _digest("job", kind, *subject)


def amendment_id(amends: str) -> str:
    """The id of the one amendment that a failure may have; ``amends`` is the failure's event id."""
    return _digest("amendment", amends)


def _digest(*parts: str) -> str:
    """Each part is preceded by its length, so that no two lists of parts give the same bytes."""
    written = b"".join(len(raw).to_bytes(4, "big") + raw for raw in (part.encode(errors="replace") for part in parts))
    return sha256(written).hexdigest()[:_DIGITS]
