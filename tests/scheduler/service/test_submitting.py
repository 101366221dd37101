"""Jobs that people submit: what is accepted, what is refused, and that submitting again is harmless."""

import json
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from agent.core.job_event import JobSubmitted
from agent.core.lifecycle.state import State
from agent.manifests.resource.kind import Kind
from agent.scheduler.service.plan import Intent, Refused, Why
from agent.scheduler.service.rights import Denied
from agent.scheduler.service.submitting import SubmitResult
from agent.store.store import Store
from agent.store.submitted import held
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.following import written
from tests.scheduler.service.site import AT, Site, site

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {name}, namespace: team, labels: {{app: "{{JobId}}"}}}}
spec:
  restartPolicy: Never
  serviceAccountName: {account}
  containers: [{{name: main, image: {image}}}]
"""


def pod(name: str = "train", *, image: str = "busybox", account: str = "default") -> str:
    return POD.format(name=name, image=image, account=account)


@pytest.fixture
def ml(api: Site) -> Site:
    api.resources.put(policy("infra") + "---\n" + queue("ml"), who="alice", intent=Intent.CREATE)
    return api


def submit(api: Site, *texts: str, **more: Any) -> tuple[SubmitResult, ...]:
    return api.submissions.submit("---\n".join(texts), queue="ml", who="alice", **more)


def outcomes(results: tuple[SubmitResult, ...]) -> list[tuple[str, str]]:
    return [(result.outcome.value, result.job_id) for result in results]


def test_a_job_is_kept_as_it_was_submitted_and_waits_for_a_cluster(ml: Site) -> None:
    (result,) = submit(ml, pod())

    assert (result.outcome, result.job_id, result.name, result.line) == ("submitted", "job-0001", "team/train", 1)
    with ml.store.read() as connection:
        kept = held.load(connection, ["job-0001"])["job-0001"].submission
        spec = json.loads(held.specs(connection, ["job-0001"])["job-0001"])
    assert (kept.queue, kept.namespace, kept.client_id, kept.submitted_by) == ("ml", "team", "team/train", "alice")
    assert kept.submitted_at == AT
    assert spec["metadata"] == {"labels": {"app": "job-0001"}, "annotations": {}}
    assert spec["spec"]["containers"] == [{"name": "main", "image": "busybox"}]
    (standing,) = ml.requests.get(["job-0001"])
    assert (standing.held.job.state, standing.wait) == ("queued", "no cluster offers runs")


def test_submitting_again_is_the_same_job_and_another_spec_a_conflict(ml: Site) -> None:
    submit(ml, pod("a"))

    again = submit(ml, pod("a"), pod("b"))
    other = submit(ml, pod("a", image="other"), pod("c"))

    assert outcomes(again) == [("exists", "job-0001"), ("submitted", "job-0003")]
    assert outcomes(other) == [("conflict", "job-0001"), ("submitted", "job-0005")]
    assert other[0].message == "queue ml has another job under the client id team/a: job-0001"


def test_each_job_that_is_new_has_an_event(ml: Site) -> None:
    submit(ml, pod("a"), pod("b"))
    submit(ml, pod("a"), pod("b", image="other"))
    submit(ml, pod("c"), dry_run=True)

    first, second = written(ml.store)
    assert (first.job_id, first.sequence, first.state, first.at) == ("job-0001", 1, State.QUEUED, AT)
    assert (first.queue, first.owner, first.namespace) == ("ml", "alice", "team")
    assert isinstance(first.event, JobSubmitted)
    assert first.event.client_id == "team/a"
    assert second.job_id == "job-0002"


def test_without_a_client_id_each_submission_is_a_job(ml: Site) -> None:
    text = "queue: ml\njobSetId: nightly\njobs: [{namespace: a, podSpec: {containers: [{name: main}]}}]\n"

    assert outcomes(submit(ml, text)) == [("submitted", "job-0001")]
    (again,) = submit(ml, text)
    assert (again.outcome, again.job_id, again.name) == ("submitted", "job-0002", "jobs[0]")
    assert again.warnings == ("3:32: `restartPolicy` is Never for jobs, whatever the API server's default is",)


def test_a_dry_run_finds_the_same_and_keeps_nothing(ml: Site) -> None:
    submit(ml, pod("a"))

    tried = submit(ml, pod("a"), pod("b"), dry_run=True)

    assert outcomes(tried) == [("exists", "job-0001"), ("submitted", "")]
    assert outcomes(submit(ml, pod("b")))[0][0] == "submitted"


def test_a_queue_that_does_not_exist_is_named_with_what_creates_it(ml: Site) -> None:
    (refused,) = ml.submissions.submit(pod(), queue="batch", who="alice")

    assert (refused.outcome, refused.job_id) == ("refused", "")
    assert refused.message == "there is no queue batch; create it: failctl create queue batch"


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ("  namespaces: [other]\n", "queue ml does not allow the namespace team; allowed: other"),
        ("", "in queue ml, the ServiceAccount trainer is not allowed; allowed: default"),
        ("  serviceAccounts: [trainer]\n", ""),
    ],
)
def test_a_queue_names_its_namespaces_and_service_accounts(ml: Site, fields: str, message: str) -> None:
    ml.resources.put(queue("ml") + fields, who="alice", intent=Intent.UPDATE)

    results = submit(ml, pod(account="default" if fields.startswith("  n") else "trainer"), pod("b", account="default"))

    assert results[0].message == message
    assert results[1].outcome == ("refused" if "namespace" in message else "submitted")


def test_a_policy_that_does_not_exist_is_a_warning(ml: Site) -> None:
    named = pod().replace("namespace: team", "namespace: team, annotations: {armadaproject.io/retry-policy: gone}")

    (result,) = submit(ml, named)

    assert [warning for warning in result.warnings if "gone" in warning] != []


def test_a_text_with_errors_is_refused_as_a_whole(ml: Site) -> None:
    with pytest.raises(Refused) as refused:
        submit(ml, pod("a"), pod("b").replace("image", "imagee"))

    assert refused.value.why is Why.INVALID
    assert "text:15:29: spec.containers[0].imagee: unknown field" in str(refused.value)
    assert outcomes(submit(ml, pod("a")))[0][0] == "submitted"


def test_who_may_not_submit_is_told_so(store: Store) -> None:
    class Nobody:
        def check(self, who: str, permission: str) -> None:
            raise Denied(f"{who} may not {permission}")

    with pytest.raises(Denied, match="alice may not submit_jobs"):
        submit(site(store, rights=Nobody()), pod())


def test_a_queue_with_jobs_that_have_not_ended_is_not_deleted(ml: Site) -> None:
    submit(ml, pod("a"), pod("b"))
    with pytest.raises(Refused, match=r"queue ml has jobs that have not ended: 2"):
        ml.resources.delete(Kind.QUEUE, "ml", who="alice")

    ml.requests.cancel(["job-0001", "job-0002"], who="alice", reason="")

    assert ml.resources.delete(Kind.QUEUE, "ml", who="alice").name == "ml"


def test_of_many_who_submit_the_same_at_once_one_submits_it(ml: Site) -> None:
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: submit(ml, pod("a"), pod("b")), range(8)))

    found = [result for answer in answers for result in answer]
    assert sorted(result.outcome.value for result in found) == ["exists"] * 14 + ["submitted"] * 2
    assert len({(result.name, result.job_id) for result in found}) == 2
