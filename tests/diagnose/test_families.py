"""Pods and the Jobs and JobSets that made them, in any order of one input."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.diagnose.families import Families, Key
from agent.diagnose.subject import Subject, read_owner, read_subject
from agent.observe.templates import JOB_SET_NAME, Owner


def pod(name: str, *, job: str = "", job_set: str = "", namespace: str = "team") -> Subject:
    owners = [{"kind": "Job", "name": job, "uid": job, "controller": True}] if job else []
    labels = {JOB_SET_NAME: job_set} if job_set else {}
    meta = {"name": name, "namespace": namespace, "ownerReferences": owners, "labels": labels}
    return read_subject({"kind": "Pod", "metadata": meta, "status": {"phase": "Failed"}})


def owner(kind: str, name: str, namespace: str = "team") -> Owner:
    read = read_owner({"kind": kind, "metadata": {"name": name, "namespace": namespace, "uid": name}})
    assert read is not None
    return read


def told(subjects: Iterator[Subject]) -> list[tuple[str, list[str | None]]]:
    """The names of pods, and those of their owners."""
    return [(subject.name.removeprefix("team/"), [own.metadata.name for own in subject.owners]) for subject in subjects]


def test_a_pod_waits_for_its_job_and_the_jobset_above_it() -> None:
    families = Families()

    assert told(families.add(pod("a", job="train", job_set="night"), waits=True)) == []
    assert told(families.know(owner("Job", "train"))) == []
    assert told(families.know(owner("JobSet", "night"))) == [("a", ["train", "night"])]
    assert told(families.add(pod("b", job="train"), waits=True)) == [("b", ["train"])]
    assert (families.without_pods, families.late) == ((), [])


def test_a_job_of_the_same_name_in_another_namespace_is_another() -> None:
    families = Families()
    list(families.know(owner("Job", "train", "other")))

    assert told(families.add(pod("a", job="train"), waits=False)) == [("a", [])]
    assert families.without_pods == (Key("Job", "other", "train"),)


def test_what_does_not_wait_is_given_at_once_and_its_job_comes_too_late() -> None:
    families = Families()

    assert told(families.add(pod("a", job="train"), waits=False)) == [("a", [])]
    list(families.know(owner("Job", "train")))
    assert families.late == [Key("Job", "team", "train")]


def test_no_more_pods_wait_than_there_may() -> None:
    families = Families(most=2)
    given = [told(families.add(pod(name, job="train"), waits=True)) for name in "abc"]

    assert given == [[], [], [("a", [])]]
    assert told(families.know(owner("Job", "train"))) == [("b", ["train"]), ("c", ["train"])]
    assert families.late == [Key("Job", "team", "train")]


@given(st.data())
def test_pods_come_in_their_order_with_their_jobs_wherever_those_are(data: st.DataObject) -> None:
    jobs = ["j0", "j1", "j2"]
    of = data.draw(st.lists(st.sampled_from(["", *jobs]), max_size=8))
    things: list[Subject | str] = [pod(f"p{number}", job=job) for number, job in enumerate(of)]
    for job in jobs:
        things.insert(data.draw(st.integers(0, len(things))), job)
    families, given = Families(), list[tuple[str, list[str | None]]]()
    for thing in things:
        given += told(families.know(owner("Job", thing)) if isinstance(thing, str) else families.add(thing, waits=True))
    given += told(families.rest())

    assert given == [(f"p{number}", [job] if job else []) for number, job in enumerate(of)]


@pytest.mark.parametrize("value", [None, 3, {}, {"kind": "Pod"}, {"kind": "Deployment"}])
def test_anything_else_is_no_owner(value: object) -> None:
    assert read_owner(value) is None
