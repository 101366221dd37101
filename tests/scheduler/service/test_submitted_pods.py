"""A submitted pod as people read it: as it was written, without secrets, for those who may see jobs."""

import pytest
import structlog.testing
import yaml

from agent.scheduler.service.plan import Intent, Refused, Why
from agent.scheduler.service.rights import Denied
from agent.store.store import Store
from tests.manifests.resource.documents import queue
from tests.scheduler.service.site import Site, site

POD = """\
apiVersion: v1
kind: Pod
metadata: {name: train, namespace: team, labels: {app: "{JobId}"}, annotations: {my.org/token: abc}}
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: python:3
    command: [sh, -c, "set -e\\ntrain --all\\n"]
    env: [{name: MODE, value: fast}, {name: API_KEY, value: abc}]
"""
SHOWN = """\
apiVersion: v1
kind: Pod
metadata:
  name: train
  namespace: team
  labels:
    app: job-0001
  annotations:
    my.org/token: '[redacted]'
spec:
  restartPolicy: Never
  containers:
  - name: main
    image: python:3
    command:
    - sh
    - -c
    - |
      set -e
      train --all
    env:
    - name: MODE
      value: fast
    - name: API_KEY
      value: '[redacted]'
"""


class Submitting:
    """Allows everybody to submit and to change queues, and nobody to see jobs."""

    def check(self, who: str, permission: str) -> None:
        if permission == "watch_jobs":
            raise Denied(f"{who} may not {permission}")


def submitted(made: Site) -> str:
    with structlog.testing.capture_logs():
        made.resources.put(queue("ml"), who="ann", intent=Intent.CREATE)
        (result,) = made.submissions.submit(POD, queue="ml", who="ann")
    return result.job_id


def test_a_pod_is_shown_as_it_was_written_without_secrets(api: Site) -> None:
    text, shown = api.pods.read(submitted(api), who="bob")

    assert text == SHOWN
    assert yaml.safe_load(text) == shown.pod
    assert list(shown.redacted) == [
        "metadata.annotations.my.org/token",
        "spec.containers[0].env[1].value",
    ]


@pytest.mark.parametrize(("job_id", "why"), [("none", Why.NOT_FOUND), ("a\x00", Why.INVALID)])
def test_there_is_no_pod_of_a_job_that_nobody_submitted(api: Site, job_id: str, why: Why) -> None:
    with pytest.raises(Refused) as refused:
        api.pods.read(job_id, who="bob")

    assert refused.value.why is why


def test_who_may_not_see_jobs_gets_no_pod(store: Store) -> None:
    made = site(store, rights=Submitting())

    with pytest.raises(Denied, match="bob may not watch_jobs"):
        made.pods.read(submitted(made), who="bob")
