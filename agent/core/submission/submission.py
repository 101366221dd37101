"""A job as it was submitted."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

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
