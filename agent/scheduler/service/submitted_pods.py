"""The pods of jobs as they were submitted, to read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent.core.summary.redaction import Redactor
from agent.core.summary.submitted_pod import ShownPod, without_secrets
from agent.documents.dump import dump
from agent.json_reader.reader import read_value
from agent.scheduler.service.plan import Refused, Why
from agent.scheduler.service.requesting import check
from agent.scheduler.service.rights import Authorizer
from agent.store.store import Store
from agent.store.submitted import held
from agent.store.submitted.held import Submission

PERMISSION = "watch_jobs"


@dataclass(frozen=True, slots=True)
class SubmittedPods:
    """Shows pods without what may be a secret, whoever asks: an environment is where people put what they should not.

    Raises StoreError, Refused, Denied and RightsUnknown.
    """

    store: Store
    rights: Authorizer
    redactor: Redactor

    def read(self, job_id: str, *, who: str) -> tuple[str, ShownPod]:
        """The pod of a job as YAML, and what of it is not shown."""
        check([job_id])
        self.rights.check(who, PERMISSION)
        with self.store.read() as connection:
            jobs, pods = held.load(connection, [job_id]), held.specs(connection, [job_id])
        if job_id not in jobs or job_id not in pods:
            raise Refused(Why.NOT_FOUND, f"there is no submitted job {job_id}")
        shown = without_secrets(_manifest(jobs[job_id].submission, read_value(pods[job_id])), self.redactor)
        return dump(shown.pod), shown


def _manifest(submission: Submission, pod: Mapping[str, Any]) -> Mapping[str, Any]:
    """A Pod as people write it; without what is empty."""
    metadata = {"name": submission.name, "namespace": submission.namespace, **pod["metadata"]}
    given = {key: value for key, value in metadata.items() if value}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": given, "spec": pod["spec"]}
