"""How often an index gets our conditions in a simulation, and which pods get none."""

from agent.core.admission.conditions import PodCondition, Withheld
from agent.core.evidence import Condition, Evidence, Pod
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE, of_category
from agent.core.job.marks import Mark, Marks, names_ours
from agent.core.job.reading import read_policy

OOM = of_category("oom")
FAILED = Evidence(pod=Pod(phase="Failed"))
LOST = Mark(conditions=(INFRASTRUCTURE,), why="node")


def marks(*types: str, most: int = 2) -> Marks:
    return Marks(conditions_of=lambda _: tuple(PodCondition(type=kind, reason="node") for kind in types), most=most)


def test_each_index_gets_infrastructure_as_often_as_the_limit_says() -> None:
    job = marks(INFRASTRUCTURE)

    assert [job.mark(index, FAILED) for index in (0, 0, 1, 0)] == [LOST, LOST, LOST, Mark(why=Withheld.LIMIT)]


def test_hopeless_has_no_limit_and_each_other_condition_its_own() -> None:
    job = marks(HOPELESS, OOM, most=1)

    assert [job.mark(None, FAILED) for _ in range(3)] == [
        Mark(conditions=(HOPELESS, OOM), why="node"),
        *[Mark(conditions=(HOPELESS,), why="node")] * 2,
    ]


def test_what_kubernetes_marked_itself_gets_none_and_uses_up_nothing() -> None:
    job = marks(INFRASTRUCTURE, most=1)
    evicted = Evidence(pod=Pod(phase="Failed", conditions=(Condition(type="DisruptionTarget", status="True"),)))

    assert [job.mark(0, evicted), job.mark(0, FAILED)] == [Mark(why=Withheld.DISRUPTED), LOST]


def test_a_pod_whose_outcome_gives_a_condition_is_not_marked() -> None:
    given = Evidence(pod=Pod(phase="Failed", conditions=(Condition(type=HOPELESS, status="True"),)))

    assert marks(INFRASTRUCTURE).mark(0, given) is None


def test_only_a_policy_on_our_conditions_needs_rules() -> None:
    types = ("DisruptionTarget", HOPELESS, "failure-agent.dev/Category-a")
    policies = [read_policy({"rules": [{"action": "Ignore", "onPodConditions": [{"type": kind}]}]}) for kind in types]

    assert [names_ours(policy) for policy in (None, *policies)] == [False, False, True, True]
