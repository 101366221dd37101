"""Event id: the same for two observers of the same thing (design 4.1)."""

from hashlib import sha256

from agent.core.failure import Occurrence

_DIGITS = 32


def event_id(
    cluster_id: str, pod_uid: str, occurrence: Occurrence, *, container: str = "", discriminator: str = ""
) -> str:
    """32 hexadecimal digits. For a restart in place also of the container and which dead one it is about."""
    return _digest("observed", cluster_id, pod_uid, occurrence.value, container, discriminator)


def scheduler_event_id(run_id: str, occurrence: Occurrence) -> str:
    """Of what the scheduler makes itself, as ``lease-expired``."""
    return _digest("scheduled", run_id, occurrence.value)


def amendment_id(amends: str) -> str:
    """Of the one amendment that a failure may have; ``amends`` is the failure's event id."""
    return _digest("amendment", amends)


def _digest(*parts: str) -> str:
    """Each part is written with its length, so that no two lists of parts read the same."""
    written = b"".join(len(raw).to_bytes(4, "big") + raw for raw in (part.encode(errors="replace") for part in parts))
    return sha256(written).hexdigest()[:_DIGITS]
