"""Jobs of Kubernetes' own controller, whose pods the agent marks while the API server stores that they failed."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import pytest

from agent.core.failure import Admission
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from tests.cluster.admission.admitting import Admitting, reported_admissions
from tests.cluster.admission.plain_job import (
    BUG,
    FAILS_OF_HOPELESS,
    IGNORES_DISRUPTIONS,
    IGNORES_INFRASTRUCTURE,
    INDEXES,
    LOST_GPU,
    first_half,
    of_infrastructure,
    ours,
)
from tests.servers.audit import StatusWrite, status_writes
from tests.servers.control_plane import ControlPlane
from tests.simulator.api import Json

pytestmark = pytest.mark.slow

READY = {"type": "Ready", "status": "False", "reason": "PodFailed", "lastTransitionTime": "2026-01-01T00:00:00Z"}


def asked(webhook: Admitting, *pods: Json) -> list[StatusWrite]:
    """What the audit log has of these pods before whose writes the API server asked."""
    names = {pod["metadata"]["name"] for pod in pods}
    written = status_writes(webhook.plane.site.folder, webhook.real.namespace)
    return [write for write in written if write.pod in names and write.asked]


@contextmanager
def without_controllers(plane: ControlPlane) -> Iterator[None]:
    """Pause the Job controller: it would delete the other pods when the first has failed the Job."""
    controllers = plane.living()["kube-controller-manager"]
    controllers.pause()
    try:
        yield
    finally:
        controllers.resume()


def test_what_kubernetes_does_not_mark_runs_again_and_a_bug_fails_the_job(webhook: Admitting) -> None:
    job = webhook.job("obeys")
    before = webhook.answers()
    job.create(IGNORES_INFRASTRUCTURE, FAILS_OF_HOPELESS)
    failed = webhook.fail(job, first_half(of_infrastructure))
    job.until_runs(failed, but=[pod["metadata"]["name"] for pod in failed.values()])

    assert [ours(pod) for pod in failed.values()] == [[INFRASTRUCTURE]] * len(failed)
    assert (job.status().get("failed", 0), job.why_failed()) == (0, None)

    with without_controllers(webhook.plane):
        bugs = webhook.fail(job, dict.fromkeys(range(INDEXES // 2, INDEXES), BUG))

    assert [ours(pod) for pod in bugs.values()] == [[HOPELESS]] * len(bugs)
    assert job.until_failed() == "PodFailurePolicy"
    found = asked(webhook, *failed.values(), *bugs.values())
    assert [(write.code, write.asked, write.changed) for write in found] == [(200, 1, 1)] * INDEXES
    assert webhook.answers() == before + INDEXES
    names = [pod["metadata"]["name"] for pod in (*failed.values(), *bugs.values())]
    webhook.real.until_reported(*names)
    reported = reported_admissions(webhook)
    types = [INFRASTRUCTURE] * len(failed) + [HOPELESS] * len(bugs)
    assert [reported[name] for name in names] == [Admission(conditions=(kind,)) for kind in types]


def test_with_a_rule_for_disruptions_only_the_job_fails_of_the_same(webhook: Admitting) -> None:
    job = webhook.job("knows-disruptions-only")
    job.create(IGNORES_DISRUPTIONS)
    webhook.fail(job, first_half(of_infrastructure))

    assert job.until_failed() == "BackoffLimitExceeded"


def test_a_status_that_is_written_again_keeps_the_condition_and_asks_nobody(webhook: Admitting) -> None:
    """By a patch from a view that never had the condition, as a kubelet sends it; and by an update of the whole."""
    job = webhook.job("is-written-again")
    job.create(IGNORES_DISRUPTIONS)
    (failed,) = webhook.fail(job, {0: LOST_GPU}).values()
    (condition,) = [found for found in failed["status"]["conditions"] if found["type"] == INFRASTRUCTURE]
    name, uid = failed["metadata"]["name"], failed["metadata"]["uid"]
    seen = {"$setElementOrder/conditions": [{"type": "Ready"}], "conditions": [READY]}
    patched = job.write(name, {"metadata": {"uid": uid}, "status": {**seen, "message": "again"}}).json()
    whole = {**patched, "status": {**patched["status"], "message": "and again"}}
    updated = job.client.ask("PUT", f"{job.pods}/{name}/status", body=whole).json()

    assert condition in patched["status"]["conditions"]
    assert condition in updated["status"]["conditions"]
    assert (patched["status"]["message"], updated["status"]["message"]) == ("again", "and again")
    assert len(asked(webhook, failed)) == 1


def test_writes_that_conflict_ask_again_and_all_of_them_are_stored(webhook: Admitting) -> None:
    job = webhook.job("conflicts")
    job.create(IGNORES_DISRUPTIONS)
    name = job.live()[0]["metadata"]["name"]
    with ThreadPoolExecutor(8) as writers:
        labelled = [
            writers.submit(job.client.patch, f"{job.pods}/{name}", {"metadata": {"labels": {f"n{at}": "x"}}})
            for at in range(40)
        ]
        (failed,) = webhook.fail(job, {0: LOST_GPU}).values()
        for writer in labelled:
            writer.result()

    stored = job.client.get(f"{job.pods}/{name}")
    assert ours(stored) == [INFRASTRUCTURE]
    assert sum(label.startswith("n") for label in stored["metadata"]["labels"]) == 40
    assert [(write.code, write.changed) for write in asked(webhook, failed)] == [(200, 1)]


def test_an_index_is_ignored_three_times_and_then_counts(webhook: Admitting) -> None:
    job = webhook.job("is-limited")
    job.create(IGNORES_INFRASTRUCTURE)
    marked = []
    for _ in range(4):
        (failed,) = webhook.fail(job, {0: LOST_GPU}).values()
        marked.append(ours(failed))
        job.until_runs([0], but=[failed["metadata"]["name"]])
    (other,) = webhook.fail(job, {1: LOST_GPU}).values()

    assert marked == [[INFRASTRUCTURE]] * 3 + [[]]
    assert ours(other) == [INFRASTRUCTURE]
    assert job.status()["failed"] == 1


def test_nobody_is_asked_about_any_other_write(webhook: Admitting) -> None:
    """Of a pod that runs, succeeds, or is no Job's."""
    job = webhook.job("lives")
    job.create(IGNORES_DISRUPTIONS)
    pod = job.live()[0]
    name = pod["metadata"]["name"]
    job.write(name, {"status": {"phase": "Running"}})
    job.write(name, {"status": {"phase": "Running", "message": "still"}})
    job.write(name, {"status": {"phase": "Succeeded"}})
    bare = webhook.real.create("bare")
    webhook.real.fail("bare", 1)

    assert asked(webhook, pod, bare) == []
