from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.failure import Occurrence
from agent.core.identity.expression import parse_expression
from agent.core.identity.rules import ANY_POD, PRESETS, IdentityRules, PresetName, combine
from agent.core.run_event import Identity, PodReference
from agent.observe.event_id import amendment_id, event_id, scheduler_event_id
from agent.observe.identity import LONGEST_ANNOTATION, LONGEST_NAME, identify, refer
from agent.observe.text import strip
from tests.observe.pods import pod
from tests.tables import table

ROWS = table(Path(__file__).with_name("identities.yaml"))
LABELS = {
    "armada_job_id": "j1",
    "armada_job_run_id": "r1",
    "armada_queue_id": "physics",
    "armada_job_run_index": "2",
}
ANNOTATIONS = {"armada_jobset_id": "sweep", "armadaproject.io/gangId": "g1"}
OWNERS = [{"uid": "o1", "kind": "ReplicaSet"}, {"uid": "o2", "kind": "Job", "controller": True}]


def test_armadas_labels_say_whose_run_it_is() -> None:
    identity = identify(pod(metadata={"labels": LABELS, "annotations": ANNOTATIONS, "ownerReferences": OWNERS}))

    assert identity == Identity(job_id="j1", run_id="r1", queue="physics", job_set="sweep", gang_id="g1", attempt=2)


def test_without_armadas_labels_the_controlling_owner_says_it() -> None:
    assert identify(pod(metadata={"ownerReferences": OWNERS})) == Identity(job_id="o2", run_id="u1")


def test_without_an_owner_the_pod_is_its_own_job() -> None:
    assert identify(pod(metadata={"ownerReferences": OWNERS[:1]})) == Identity(job_id="u1", run_id="u1")


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_each_maker_of_pods_says_it_in_its_own_place(row: dict[str, Any]) -> None:
    metadata = {name: row[name] for name in ("labels", "annotations", "ownerReferences") if name in row}
    identity = identify(pod(metadata=metadata))
    said = {name: getattr(identity, name) for name in ("job_id", *row["gives"])}

    assert said == {"job_id": "u1", **row["gives"]}
    assert identity.scope == row.get("scope", identity.job_id)


def test_settings_override_presets_and_presets_left_out_have_no_effect() -> None:
    ours = IdentityRules(queue=(parse_expression("{label:team}"),), gang=(parse_expression("{namespace}/{label:g}"),))
    rules = combine((ours, PRESETS[PresetName.JOBSET], ANY_POD))
    labels = {**LABELS, "team": "optics", "g": "7", "jobset.sigs.k8s.io/jobset-uid": "s1"}
    identity = identify(pod(metadata={"labels": labels}), rules)

    assert identity == Identity(job_id="u1", run_id="u1", queue="optics", gang_id="jobs/7", job_set_id="s1")
    assert identity.scope == "s1"


def test_an_owner_of_the_same_kind_in_another_group_is_another() -> None:
    rules = IdentityRules(job=(parse_expression("{owner:batch/Job.name}"),))
    owners = [
        {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "name": "v", "uid": "1"},
        {"apiVersion": "batch/v1", "kind": "Job", "name": "b", "uid": "2"},
    ]

    assert identify(pod(metadata={"ownerReferences": owners}), rules).job_id == "b"
    assert identify(pod(metadata={"ownerReferences": owners[:1]}), rules).job_id == ""


@pytest.mark.parametrize("label", [None, "", "-1", "x", "1.5", "²", str(2**31), "9" * 5000])
def test_an_attempt_that_is_no_number_is_absent(label: str | None) -> None:
    assert identify(pod(metadata={"labels": {"armada_job_run_index": label}})).attempt is None


@pytest.mark.parametrize("label", ["0", "007", str(2**31 - 1)])
def test_an_attempt_counts_from_zero(label: str) -> None:
    assert identify(pod(metadata={"labels": {"armada_job_run_index": label}})).attempt == int(label)


def test_a_reference_names_the_pod() -> None:
    assert refer(pod()) == PodReference(namespace="jobs", name="pod", uid="u1", node="n1")


@given(st.text(max_size=400))
def test_no_name_is_hostile_or_longer_than_it_may_be(text: str) -> None:
    metadata: dict[str, Any] = {"labels": {"armada_job_id": text}, "annotations": {"armada_jobset_id": text}}
    identity = identify(pod(metadata=metadata))

    for name in (identity.job_id, identity.job_set):
        assert len(name.encode()) <= LONGEST_NAME
        assert name.replace("\n", "").replace("\t", "").isprintable() or not name.isascii()


PARTS = st.text(max_size=5)


@given(st.tuples(PARTS, PARTS, PARTS, PARTS), st.tuples(PARTS, PARTS, PARTS, PARTS))
def test_only_the_same_thing_has_the_same_id(first: tuple[str, ...], other: tuple[str, ...]) -> None:
    ids = [
        event_id(parts[0], parts[1], Occurrence.CONTAINER_RESTARTED, container=parts[2], discriminator=parts[3])
        for parts in (first, other)
    ]

    assert (ids[0] == ids[1]) == (first == other)


def test_an_id_never_changes() -> None:
    """Written down: an id that changes with a release would report every pod a second time."""
    assert event_id("c", "u", Occurrence.POD_FAILED) == "789880d125d2b398ecc3405a8cede24a"
    assert scheduler_event_id("r", Occurrence.LEASE_EXPIRED) == "cac2adbf6570415854cbb5ffd8503861"
    assert amendment_id("e") == "ebdcb3045bd64ab838c8281a2bf7d5cf"


def test_the_retry_policies_that_annotations_name_are_read_in_order_each_once() -> None:
    annotations = {"armadaproject.io/retry-policies": "b, a", "armadaproject.io/retry-policy": " a ,c,"}

    assert identify(pod(metadata={"annotations": annotations})).retry_policies == "a,c,b"
    assert identify(pod()).retry_policies == ""


@given(st.text(max_size=3000))
def test_an_annotation_is_stripped_and_bounded(text: str) -> None:
    named = identify(pod(metadata={"annotations": {"armadaproject.io/retry-policy": text}})).retry_policies

    assert named == strip(named)
    assert len(named.encode()) <= LONGEST_ANNOTATION
