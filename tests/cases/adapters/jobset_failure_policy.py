"""Adapter of ``jobset-failure-policy.json``."""

from collections.abc import Mapping, Sequence
from typing import Any

from agent.core.job.reading import read_condition
from agent.core.jobset.apply import apply
from agent.core.jobset.case import ParentCase, Proposal
from agent.core.jobset.child import ChildJob, finished
from agent.core.jobset.creating import creating
from agent.core.jobset.decide import ActionError, weigh
from agent.core.jobset.defaults import with_rule_names
from agent.core.jobset.effects import CreateJob
from agent.core.jobset.gates import gates_of
from agent.core.jobset.manifest import NOTHING
from agent.core.jobset.match import first_failed, first_match, matches
from agent.core.jobset.owned import sort
from agent.core.jobset.reading import read_failure_policy, read_jobset_spec, read_jobset_status, read_rule
from agent.core.jobset.status import JobSetStatus
from agent.core.jobset.validation import validate_webhook
from agent.core.jobset.words import FailurePolicy
from tests.cases.adapter import Adapter, expect
from tests.cases.adapters.jobset_in_place import IN_PLACE
from tests.cases.adapters.jobset_scenario import play_scenario
from tests.cases.adapters.jobset_words import NOW, failed_jobs, jobset_of
from tests.cases.case import Case

_NAMES = {
    "restart-attempt": "jobset.sigs.k8s.io/restart-attempt",
    "job-restart-attempt": "jobset.sigs.k8s.io/job-restart-attempt",
}


def _first_failed(case: Case) -> None:
    found = first_failed(failed_jobs(case.data["jobs"]))
    expect(case.data["expect"], None if found is None else found.name, of="job")


def _applicable(case: Case) -> None:
    data = case.data
    condition = {"type": "Failed", "status": "True", "lastTransitionSecondsAgo": 0}
    told = {**condition, "reason": data["jobFailureReason"], "message": data["jobFailureMessage"]}
    (job,) = failed_jobs([{"name": "job", **data["job"], "failedCondition": told}])
    expect(data["expect"], matches(read_rule(data["rule"]), job), of="applicable")


def _rule_and_job(case: Case) -> None:
    data = case.data
    found = first_match([read_rule(one) for one in data["rules"]], failed_jobs(data["failedJobs"]))
    got = {"ruleIndex": None if found is None else found[0], "job": None if found is None else found[1].name}
    expect(data["expect"], got, of="rule and job")


def _apply(case: Case) -> None:
    data, expected = case.data, case.data["expect"]
    (job,) = failed_jobs([{**data["matchingFailedJob"], "failedCondition": {"type": "Failed", "status": "True"}}])
    replicated = [{"name": job.replicated_job or "rjob", "replicas": data["replicas"]}]
    jobset = jobset_of({**data, "replicatedJobs": replicated})
    rule = None if data["rule"] is None else read_rule(data["rule"]).name
    said = Proposal(action=data["action"], job=job, decider="the case", rule=rule)
    before = read_jobset_status(data["statusBefore"])
    try:
        verdict = weigh(ParentCase(jobset=jobset, status=before, failed=[job]), said)
        applied = apply(verdict, before, jobset.spec, now=NOW)
    except ActionError as error:
        expect(expected.get("error"), str(error), of="error")
        return
    expect(expected.get("error"), None, of="error")
    wanted = {"conditions": [], **expected["status"]}
    expect(wanted, _plain_status(applied.status, wanted), of="status")
    if "event" in expected:
        expect(expected["event"], applied.events[0].reason, of="event")


def _plain_status(status: JobSetStatus, expected: Mapping[str, Any]) -> dict[str, object]:
    """A status as the cases write it: with a list of replicated jobs, and a terminal state, only where there is one."""
    conditions = expected["conditions"]
    told: dict[str, object] = {
        "restarts": status.restarts,
        "restartsCountTowardsMax": status.restarts_counted,
        "conditions": [
            {key: getattr(one, key) for key in ("type", "status", "reason", "message") if key in _keys(conditions)}
            for one in status.conditions
        ],
    }
    if status.terminal_state:
        told["terminalState"] = status.terminal_state
    if status.replicated_jobs:
        told["replicatedJobsStatus"] = [
            {
                "name": one.name,
                **({} if one.job_restarts is None else {"jobRestarts": list(one.job_restarts)}),
                **(
                    {}
                    if one.job_restarts_counted is None
                    else {"jobRestartsCountTowardsMax": list(one.job_restarts_counted)}
                ),
            }
            for one in status.replicated_jobs
        ]
    return told


def _keys(conditions: Sequence[Mapping[str, Any]]) -> set[str]:
    """What the cases say of conditions; all of it where there is to be none."""
    return {key for one in conditions for key in one} or {"type", "status", "reason", "message"}


def _finished(case: Case) -> None:
    found = finished([read_condition(one) for one in case.data["conditions"]])
    got = {"finished": found is not None, "conditionType": "" if found is None else found.type}
    expect(case.data["expect"], got, of="finished")


def _recreation(case: Case) -> None:
    data = case.data
    name = "replicated-job"
    jobset = jobset_of(
        {
            "failurePolicy": {"restartStrategy": data["restartStrategy"]} if data["restartStrategy"] else None,
            "featureGates": data["featureGates"],
            "replicatedJobs": [{"name": name, "replicas": data["replicas"]}],
        },
        name="test-jobset",
    )
    restarts = data["jobRestarts"]
    status = read_jobset_status({"replicatedJobsStatus": [{"name": name, "jobRestarts": restarts}]} if restarts else {})
    previous = [
        ChildJob(name=one, labels={_NAMES["restart-attempt"]: "-1"}, deleting=True) for one in data["previousJobs"]
    ]
    made = creating(jobset, status, NOTHING, sort(previous, jobset, status), now=NOW)
    got = [
        {
            "name": one.name,
            **{short: one.labels[label] for short, label in _NAMES.items() if label in one.labels},
        }
        for one in made.effects
        if isinstance(one, CreateJob)
    ]
    expect(data["expectCreated"], got, of="created")


def _validation(case: Case) -> None:
    data = case.data
    spec = read_jobset_spec(
        {
            "failurePolicy": data["failurePolicy"],
            "replicatedJobs": [
                {"name": one["name"], "replicas": one["replicas"], "template": {"spec": _without_place(one)}}
                for one in data["replicatedJobs"]
            ],
        }
    )
    gates = gates_of(dict(data["featureGates"]))
    errors = [error.detail for error in validate_webhook("js", spec, gates=gates)]
    expected = data["expectError"]
    expect([] if expected is None else expected, expected if expected in errors else errors, of="errors")


def _without_place(one: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in one.items() if key not in ("name", "replicas")}


def _defaulting(case: Case) -> None:
    policy = read_failure_policy({"rules": case.data["rules"]}) or FailurePolicy()
    expect(case.data["expect"], [rule.name for rule in with_rule_names(policy).rules], of="names")


ADAPTER = Adapter(
    runs={
        "find_first_failed_job_cases": _first_failed,
        "rule_is_applicable_cases": _applicable,
        "find_rule_and_job_cases": _rule_and_job,
        "apply_action_cases": _apply,
        "scenario_cases": play_scenario,
        "job_finished_cases": _finished,
        "recreation_cases": _recreation,
        "validation_cases": _validation,
        "defaulting_cases": _defaulting,
        **{f"in_place_restart_cases.{group}": run for group, run in IN_PLACE.items()},
    }
)
