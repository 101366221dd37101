from agent.core.queue import Queue
from agent.core.retry.policy import RetryPolicy
from agent.manifests.resource.relations import policy_problem, queue_problem, using
from agent.manifests.retry.load import load_retry_policy
from tests.manifests.resource.documents import armadas, policy


def loaded(*texts: str) -> dict[str, RetryPolicy]:
    return {policy.name: policy for policy in (load_retry_policy(text, file="f") for text in texts)}


def test_a_queue_names_policies_that_exist() -> None:
    problem = queue_problem(Queue(name="q", policies=("a", "b", "c")), loaded(policy("b")))

    assert problem == "queue q: retry policies do not exist: a, c; there are: b"


def test_the_policies_of_a_queue_have_one_dialect() -> None:
    both = loaded(policy("a"), armadas("b"))

    assert "b (armadaproject.io/v1beta1) counts retries differently from a" in str(
        queue_problem(Queue(name="q", policies=("a", "b")), both)
    )
    assert queue_problem(Queue(name="q", policies=("b",)), both) is None


def test_a_policy_cannot_change_its_dialect_under_a_queue_that_names_two() -> None:
    both = loaded(policy("a"), policy("b"))
    changed = load_retry_policy(armadas("b"), file="f")

    assert policy_problem(changed, both, [Queue(name="q", policies=("a", "b"))]) is not None
    assert policy_problem(changed, both, [Queue(name="q", policies=("b",))]) is None


def test_the_queues_that_name_a_policy_by_name() -> None:
    queues = [Queue(name="z", policies=("a",)), Queue(name="b"), Queue(name="c", policies=("x", "a"))]

    assert [queue.name for queue in using("a", queues)] == ["c", "z"]
