"""Pods of Jobs: their index, and the conditions of ours that they have."""

from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from agent.observe.plain_job import Index, index_of, our_conditions
from tests.cluster.admission.deciding import pod, read


def test_which_index_a_pod_is_of() -> None:
    assert index_of(read(pod(job="j1", index=7))) == Index("j1", 7)
    assert index_of(read(pod(job="j1", index=None))) == Index("j1", None)
    assert index_of(read(pod(annotations={"batch.kubernetes.io/job-completion-index": "-1"}))) == Index("j1", None)
    assert index_of(read(pod(ownerReferences=[]))) is None


def test_our_conditions_are_those_with_our_prefix_that_are_true() -> None:
    said = [
        {"type": INFRASTRUCTURE, "status": "True"},
        {"type": HOPELESS, "status": "False"},
        {"type": "DisruptionTarget", "status": "True"},
    ]

    assert our_conditions(read(pod(status={"conditions": said}))) == {INFRASTRUCTURE}
