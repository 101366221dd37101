import pytest

from agent.core.queue import GracefulShutdown, LostCluster, Permission, Queue, Subject, SubjectKind, Verb
from agent.documents.problem import ManifestError
from agent.manifests.queue.load import load_queue

OURS = """\
apiVersion: armadaproject.io/v1
kind: Queue
metadata: {name: ml}
spec:
  retryPolicies: [infra, ml-training]
  priority: 2.5
  clusters: [east]
  maxActiveRuns: 100
  applyToJobs: true
  gracefulShutdown: confirmed
  lostCluster: wait
  namespaces: [team-a]
  serviceAccounts: []
  permissions:
  - {subjects: [{kind: Group, name: ml}], verbs: [submit, watch]}
  cordoned: true
  labels: {team: a}
"""
ARMADAS = """\
apiVersion: armadaproject.io/v1beta1
kind: Queue
name: ml
priorityFactor: 2
userOwners: [alice]
groupOwners: [ml]
permissions:
- subjects: [{kind: User, name: bob}]
  verbs: [cancel]
resourceLimitsByPriorityClassName:
  armada-default: {maximumResourceFraction: {cpu: 0.5}}
retryPolicies: [infra]
"""


def test_every_field_of_ours() -> None:
    assert load_queue(OURS, file="q") == Queue(
        name="ml",
        policies=("infra", "ml-training"),
        priority=2.5,
        clusters=("east",),
        max_active_runs=100,
        apply_to_jobs=True,
        graceful_shutdown=GracefulShutdown.CONFIRMED,
        lost_cluster=LostCluster.WAIT,
        namespaces=("team-a",),
        service_accounts=(),
        permissions=(
            Permission(
                subjects=(Subject(kind=SubjectKind.GROUP, name="ml"),), verbs=frozenset({Verb.SUBMIT, Verb.WATCH})
            ),
        ),
        cordoned=True,
        labels={"team": "a"},
    )


def test_what_is_not_written_is_as_in_armada() -> None:
    text = "apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {name: q}\nspec: {}\n"

    assert load_queue(text, file="q") == Queue(name="q", priority=1.0)


def test_a_file_of_armadas_works_unchanged() -> None:
    found = load_queue(ARMADAS, file="q")

    assert (found.name, found.priority, found.policies) == ("ml", 2.0, ("infra",))
    owners, granted = found.permissions
    assert [subject.name for subject in owners.subjects] == ["alice", "ml"]
    assert owners.verbs == frozenset(Verb)
    assert granted.verbs == {Verb.CANCEL}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("retryPolicies: [a, b, a]", "the policy `a` is named twice; first at 4:24 [duplicate-policy]"),
        ("priority: 0", "must be more than 0"),
        ("lostCluster: replacee", "did you mean `replace`?"),
        ("retryPolicy: [a]", "did you mean `retryPolicies`?"),
        ("permissions: [{subjects: [], verbs: [submit]}]", "spec.permissions[0].subjects"),
        ("permissions: [{subjects: [{name: a}], verbs: [own]}]", "spec.permissions[0].verbs[0]"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_its_place(line: str, problem: str) -> None:
    text = f"apiVersion: armadaproject.io/v1\nkind: Queue\nmetadata: {{name: q}}\nspec: {{{line}}}\n"

    with pytest.raises(ManifestError) as refused:
        load_queue(text, file="q.yaml")

    assert problem in str(refused.value)
    assert "q.yaml:4:" in str(refused.value)
