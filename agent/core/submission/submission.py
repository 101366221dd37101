"""A job as it was submitted, and its id."""

import hashlib
import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from msgspec import Struct, structs

_ESCAPED = "\0"
"""Stands for ``{{JobId}}`` meanwhile; no label has it."""


class Submission(Struct, frozen=True, kw_only=True):
    """A job of one pod.

    ``client_id`` makes submitting again harmless: a queue has at most one job for each; empty: always a new job.
    ``name`` is what people call the job where it was written. A larger ``priority`` is later, as in Armada.
    ``labels`` and ``annotations`` are those of the pod, ``pod_spec`` is its spec as JSON data. ``retry_policies`` are
    those that annotations name.
    """

    queue: str
    namespace: str
    pod_spec: Mapping[str, Any]
    job_set: str = ""
    client_id: str = ""
    name: str = ""
    priority: float = 0.0
    labels: Mapping[str, str] = {}
    annotations: Mapping[str, str] = {}
    retry_policies: tuple[str, ...] = ()

    @property
    def digest(self) -> str:
        """A hash of all that the job is; two submissions with the same digest differ in nothing."""
        written = json.dumps(structs.asdict(self), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()

    def for_job(self, job_id: str) -> "Submission":
        """Replace ``{JobId}`` in labels and annotations by the job's id, as Armada does; ``{{JobId}}`` escapes it."""
        return structs.replace(self, labels=_filled(self.labels, job_id), annotations=_filled(self.annotations, job_id))


def _filled(texts: Mapping[str, str], job_id: str) -> Mapping[str, str]:
    return {key: _with_id(text, job_id) for key, text in texts.items()}


def _with_id(text: str, job_id: str) -> str:
    return text.replace("{{JobId}}", _ESCAPED).replace("{JobId}", job_id).replace(_ESCAPED, "JobId")


ENTROPY: Final = 10
"""Random bytes of an id."""

_ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
_LENGTH: Final = 26


def job_id(at: datetime, entropy: bytes) -> str:
    """The id of a job that is submitted at this time; ``entropy``: ten random bytes.

    It is a ULID in lower case, as Armada's, so that the later job has the larger id.
    """
    number = (int(at.timestamp() * 1000) << 8 * ENTROPY) | int.from_bytes(entropy)
    return "".join(_ALPHABET[number >> 5 * place & 31] for place in reversed(range(_LENGTH)))
