from agent.core.queue import Queue
from agent.manifests.queue.load import load_queue
from agent.manifests.resource.write import without_policy
from tests.manifests.resource.documents import queue


def test_a_policy_is_taken_out_and_comments_stay() -> None:
    text = "# the queue of ml\n" + queue("ml", ["infra", "other"], comment="why")

    after = without_policy(text, "infra")

    assert after == "# the queue of ml\n" + queue("ml", ["other"], comment="why")
    assert load_queue(without_policy(after, "other"), file="q") == Queue(name="ml", max_active_runs=10)


def test_a_queue_of_armadas_too() -> None:
    text = "apiVersion: armadaproject.io/v1beta1\nkind: Queue\nname: q\nretryPolicies: [a, b]  # both\n"

    assert without_policy(text, "a") == text.replace("[a, b]", "[b]   ")
