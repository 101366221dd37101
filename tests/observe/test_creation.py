from typing import Any

import msgspec
import pytest

from agent.core.classify.mechanism import mechanism
from agent.core.failure import NO_CATEGORY, Classification, Mechanism, Occurrence
from agent.kube import objects
from agent.observe.creation import cause_of, uncreated_pod
from agent.observe.events import read_event
from agent.observe.evidence import read_evidence
from agent.observe.identity import identify, refer

QUOTA = (
    'Error creating: pods "train-x7k2p" is forbidden: '
    "exceeded quota: q, requested: pods=1, used: pods=4, limited: pods=4"
)


def event(kind: str = "Job", api: str = "batch/v1", *, reason: str = "FailedCreate", **about: Any) -> objects.Event:
    thing = {"kind": kind, "apiVersion": api, "namespace": "ml", "name": "train", "uid": "o-1", **about}
    given = {"involvedObject": thing, "type": "Warning", "reason": reason, "message": QUOTA}
    return msgspec.convert(given, objects.Event)


@pytest.mark.parametrize(
    ("about", "job", "job_set"),
    [
        (event(), "o-1", ("", "")),
        (event("ReplicaSet", "apps/v1"), "o-1", ("", "")),
        (event("JobSet", "jobset.x-k8s.io/v1alpha2", reason="JobCreationFailed"), "o-1", ("train", "o-1")),
    ],
    ids=["Job", "ReplicaSet", "JobSet"],
)
def test_the_subject_is_the_owner_and_its_pods_would_belong_to_the_same_job(
    about: objects.Event, job: str, job_set: tuple[str, str]
) -> None:
    pod = uncreated_pod(about)
    assert pod is not None
    identity, reference = identify(pod), refer(pod)

    assert (identity.job_id, identity.run_id, identity.job_set, identity.job_set_id) == (job, "o-1", *job_set)
    assert (reference.namespace, reference.name, reference.uid, reference.node) == ("ml", "train", "o-1", "")


@pytest.mark.parametrize(
    "other",
    [
        event(reason="BackoffLimitExceeded"),
        event("CronJob"),
        event("StatefulSet", "apps/v1"),
        event("Pod", "v1"),
        event(uid=None),
        objects.Event(),
    ],
)
def test_other_events_are_about_no_pod_that_never_came(other: objects.Event) -> None:
    assert uncreated_pod(other) is None


@pytest.mark.parametrize("reason", ["FailedCreate", "JobCreationFailed"])
def test_its_mechanism_is_that_it_was_never_created_and_the_platform_says_why(reason: str) -> None:
    told = event("JobSet", reason=reason)
    pod = uncreated_pod(told)
    assert pod is not None
    evidence = read_evidence(pod, occurrence=Occurrence.NEVER_CREATED, events=[read_event(told)])

    assert mechanism(evidence) is Mechanism.NEVER_CREATED
    assert evidence.pod_error == QUOTA


def test_a_cause_is_the_leaf_or_the_words_that_do_not_change() -> None:
    known = Classification(category="submit", subcategory="quota-exceeded", matched=True)
    unknown = Classification(category=NO_CATEGORY)

    assert cause_of(known, QUOTA) == "submit/quota-exceeded"
    assert cause_of(unknown, QUOTA) == cause_of(unknown, QUOTA.replace("x7k2p", "9lm4c").replace("pods=4", "pods=7"))
    assert cause_of(unknown, QUOTA) != cause_of(unknown, 'Error creating: admission webhook "w" denied the request')
