"""A failure in words, as Lookout's API has it."""

import pytest
from msgspec.structs import replace

from agent.core.evidence import OWN_JOB
from agent.core.failure import Failure, ReachedLimit
from agent.lookout.query.answers import answer_of
from tests.core.retry.builders import failure


def made_by(controller: str | None) -> Failure:
    failed = failure({"containers": [{"name": "main", "exitCode": 137, "reason": "OOMKilled"}]})
    return replace(failed, pod=replace(failed.pod, controller=controller))


@pytest.mark.parametrize(
    ("controller", "said"),
    [
        ("", "nothing starts bare pods"),
        ("StatefulSet db", "the controller of StatefulSet db makes another pod"),
        (f"{OWN_JOB} 01f3", ""),
        (None, ""),
    ],
)
def test_it_says_who_starts_the_pod_again_unless_a_scheduler_does(controller: str | None, said: str) -> None:
    assert answer_of(made_by(controller))["follows"] == said


def test_it_names_the_limit_that_was_reached() -> None:
    reached = ReachedLimit(what="memory limit of container main", limit="64Mi", used="64Mi used")

    assert answer_of(replace(made_by(""), limit=reached))["limit"] == "memory limit of container main: 64Mi; 64Mi used"
    assert answer_of(made_by(""))["limit"] == ""
