"""Rules of ours: what each asks of a failure, and what is heard first."""

from dataclasses import replace

import pytest
from msgspec import structs

from agent.core.classify.matchers.min_grade import MinGrade
from agent.core.classify.matchers.pod_error import joined_errors
from agent.core.failure import Grade, Origin
from agent.core.job.match import judge
from agent.core.job.outcome import PodEnding, failure_of
from agent.core.job.pod import JobContainer, JobPod
from agent.core.job.reading import read_policy
from agent.core.job.rules import OurRule, holds, match_ours
from tests.core.retry.builders import failure

KILLED = PodEnding(
    exit_code=137, reason="OOMKilled", signal=9, category="oom", origin=Origin.USER, message="tried 3 GiB, had 2"
)
BY_CODE = replace(KILLED, signal=None)
ANY = OurRule(name="any", action="Ignore")
PROVEN = MinGrade(least=Grade.PROVEN)


@pytest.mark.parametrize(
    ("rule", "outcome", "is_so"),
    [
        (ANY, KILLED, True),
        (replace(ANY, category="oom"), KILLED, True),
        (replace(ANY, category="data"), KILLED, False),
        (replace(ANY, origin="user"), KILLED, True),
        (replace(ANY, origin="infra"), KILLED, False),
        (replace(ANY, min_grade=PROVEN), replace(KILLED, grade=Grade.PROVEN), True),
        (replace(ANY, min_grade=PROVEN), replace(KILLED, grade=Grade.LIKELY), False),
        (replace(ANY, min_grade=PROVEN), KILLED, False),
        (replace(ANY, min_grade=MinGrade(least=Grade.LIKELY)), replace(KILLED, grade=Grade.PROVEN), True),
        (replace(ANY, signal=9), KILLED, True),
        (replace(ANY, signal=9), BY_CODE, True),
        (replace(ANY, signal=15), BY_CODE, False),
        (replace(ANY, reason="OOMKilled"), KILLED, True),
        (replace(ANY, reason="Evicted"), KILLED, False),
        (replace(ANY, message="3 GiB"), KILLED, True),
        (replace(ANY, message="4 GiB"), KILLED, False),
        (replace(ANY, category="oom", reason="OOMKilled", message="GiB"), KILLED, True),
        (replace(ANY, category="oom", reason="Error"), KILLED, False),
    ],
)
def test_every_condition_of_a_rule_must_hold(rule: OurRule, outcome: PodEnding, *, is_so: bool) -> None:
    assert holds(rule, failure_of(outcome)) is is_so


@pytest.mark.parametrize(
    "rule", [replace(ANY, signal=15), replace(ANY, reason="OOMKilled"), replace(ANY, message="bye")]
)
def test_how_a_sidecar_ended_after_the_main_container_does_not_count(rule: OurRule) -> None:
    main = failure({"containers": [{"name": "main", "exitCode": 1}]})
    proxy = {"name": "proxy", "exitCode": 143, "signal": 15, "reason": "OOMKilled", "message": "bye"}
    sidecar, alone = failure({"containers": [{**proxy, "kind": "sidecar"}]}), failure({"containers": [proxy]})
    both = structs.replace(main.pod, containers=(*main.pod.containers, *sidecar.pod.containers))
    ended = structs.replace(main, pod=both, pod_error=joined_errors(both.containers))

    assert holds(rule, alone)
    assert not holds(rule, ended)


def test_the_first_rule_that_matches_decides_and_gives_its_name() -> None:
    rules = [OurRule(name="data", action="Count", category="data"), OurRule(name="oom", action="FailJob", signal=9)]
    said = match_ours(rules, failure_of(KILLED))

    assert said is not None
    assert (said.rule, said.action, said.counts) == (1, "FailJob", True)
    assert said.message == "Failure of category oom matching FailJob rule oom"


def test_the_jobs_own_policy_is_evaluated_before_rules_of_ours() -> None:
    pod = JobPod(
        uid="u", containers=(JobContainer(name="main", exit_code=137),), ours=match_ours([ANY], failure_of(KILLED))
    )
    policy = read_policy({"rules": [{"action": "Count", "onExitCodes": {"operator": "In", "values": [137]}}]})

    assert judge(policy, pod).action == "Count"
    assert judge(None, pod).action == "Ignore"
