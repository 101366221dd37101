"""JobSet's own decision, written a second time."""

import re
from collections.abc import Sequence
from typing import Any

from agent.core.jobset.child import FailedJob
from agent.core.jobset.words import RESTARTS_OF_ONE_JOB


def upstream(policy: dict[str, Any] | None, jobs: Sequence[FailedJob], used: int) -> tuple[str, str, str]:
    """JobSet's own decision, written as its documents tell it: the outcome, why, and the Job that is named."""
    earliest = sorted(jobs, key=lambda job: job.at)
    if policy is None:
        return "fail-jobset", "FailedJobs", earliest[0].name
    action, job = "RestartJobSet", earliest[0]
    for rule in policy["rules"]:
        about = [job for job in earliest if is_about(rule, job)]
        if about:
            action, job = rule["action"], about[0]
            break
    if action in ("RestartJobSet", "RestartJob") and used >= policy["maxRestarts"]:
        return "fail-jobset", "ReachedMaxRestarts", job.name
    alone = action in RESTARTS_OF_ONE_JOB
    outcome = "fail-jobset" if action == "FailJobSet" else "restart-job" if alone else "restart-jobset"
    return outcome, f"{action}FailurePolicyAction", job.name


def is_about(rule: dict[str, Any], job: FailedJob) -> bool:
    """Whether a rule of a failure policy, as it is written, is about a failed Job."""
    patterns = rule.get("onJobFailureMessagePatterns", [])
    found = [pattern for pattern in patterns if pattern != "(" and re.search(pattern, job.message)]
    return (
        (not rule.get("onJobFailureReasons") or job.reason in rule["onJobFailureReasons"])
        and (not patterns or bool(found))
        and (not rule.get("targetReplicatedJobs") or job.replicated_job in rule["targetReplicatedJobs"])
    )
