"""Workloads with every layer that may speak or forbid, drawn at once so that layers often meet."""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from hypothesis import strategies as st
from msgspec import structs

from agent.core.error_table.codes import CodeFrom, ErrorCodes, ErrorOf
from agent.core.error_table.given import Attributes
from agent.core.error_table.row import ErrorRule, ReadingMode
from agent.core.failure import Advice, Failure, Origin
from agent.core.job.pod import JobContainer, JobPod, PodCondition
from agent.core.job.rules import OurRule
from agent.core.jobset.choices import RestartBudget
from agent.core.jobset.validation_policy import REASONS
from agent.core.jobset.words import ACTIONS
from agent.core.retry.effective import InEffect
from agent.core.retry.policy import RetrySettings
from tests.core.error_table.drawn import ATTRIBUTES, rules
from tests.core.retry.builders import effective, failure

Row = dict[str, Any]

CODES = (42, 137)
CATEGORIES = ("bug", "node", "none")
JOBS = {"a": 1, "b": 2}
"""The replicated jobs of a JobSet, and how many Jobs each has."""

ERROR_CODES = ErrorCodes(
    errors=(
        ErrorOf(source="pilotErrorCode", code=1212, on_reasons=frozenset({"OOMKilled"})),
        ErrorOf(source="exeErrorCode", code=CodeFrom.EXIT_CODE),
    )
)


@dataclass(frozen=True)
class Blow:
    """How a run ends; ``place`` chooses which one, of those that live."""

    code: int = 42
    category: str = "none"
    origin: Origin = Origin.UNKNOWN
    advice: Advice | None = None
    out_of_memory: bool = False
    preempted: bool = False
    returned: bool = True
    message: str = ""
    place: int = 0

    def failure(self) -> Failure:
        """The failure, as rules of every layer see it."""
        conditions = [{"type": "DisruptionTarget", "reason": "PreemptionByScheduler"}] if self.preempted else []
        reason = "OOMKilled" if self.out_of_memory else "Error"
        made = failure(
            {
                "containers": [{"name": "main", "exitCode": self.code, "reason": reason, "message": self.message}],
                "categories": [self.category],
                "origin": self.origin.value,
                "conditions": conditions,
            }
        )
        classified = structs.replace(made.classification, advice=self.advice)
        return structs.replace(made, exit_code=self.code, termination_message=self.message, classification=classified)

    def pod(self, index: int | None, *, failures: int) -> JobPod:
        """The same as the Job controller sees it."""
        return JobPod(
            uid="u",
            index=index,
            failure_count=failures,
            containers=(JobContainer(name="main", exit_code=self.code),),
            conditions=(PodCondition(type="DisruptionTarget", status="True"),) if self.preempted else (),
        )


@dataclass(frozen=True)
class Ours:
    """All that is configured beside what Kubernetes and JobSet know."""

    policies: tuple[Row, ...] = ()
    settings: RetrySettings = field(default_factory=RetrySettings)
    table: tuple[ErrorRule, ...] = ()
    mode: ReadingMode = ReadingMode.STRICT
    attributes: Attributes = field(default_factory=Attributes)
    job_rules: tuple[OurRule, ...] = ()
    budgets: tuple[RestartBudget, ...] = ()
    stopped: bool = False
    restarted_before: int = 0

    @cached_property
    def in_effect(self) -> InEffect:
        return effective(*self.policies)


NOTHING = Ours()


@dataclass(frozen=True)
class Workload:
    """What runs, what is configured for it, and what befalls it: sets of blows, a gang's generation each."""

    kind: str
    ours: Ours
    course: tuple[tuple[Blow, ...], ...]
    fail_fast: bool = False
    job: Row = field(default_factory=dict)
    policy: Row | None = None


BLOWS = st.builds(
    Blow,
    code=st.sampled_from(CODES),
    category=st.sampled_from(CATEGORIES),
    origin=st.sampled_from((Origin.UNKNOWN, Origin.INFRA)),
    advice=st.sampled_from((None, Advice.NEVER, Advice.SAME)),
    out_of_memory=st.booleans(),
    preempted=st.sampled_from((False, False, True)),
    returned=st.sampled_from((True, True, True, True, False)),
    message=st.sampled_from(("boom", "boom", "a\nboom", "")),
    place=st.integers(0, 3),
)

_CHARGES = ("application", "infra", "oom", "preemption")
_POLICY_RULES = st.builds(
    lambda action, matcher, more: {"action": action, **matcher, **more},
    st.sampled_from(("Retry", "Retry", "Retry", "Fail")),
    st.one_of(
        st.sampled_from(CODES).map(lambda code: {"onExitCodes": {"operator": "In", "values": [code]}}),
        st.sampled_from(CATEGORIES).map(lambda category: {"onCategory": category}),
    ),
    st.fixed_dictionaries({}, optional={"retryLimit": st.integers(0, 3), "charge": st.sampled_from(_CHARGES)}),
)
_POLICIES = st.fixed_dictionaries(
    {
        "rules": st.lists(_POLICY_RULES, max_size=3),
        "defaultAction": st.sampled_from(("Retry", "Retry", "Retry", "Fail")),
    },
    optional={
        "retryLimit": st.integers(0, 4),
        "budgets": st.dictionaries(st.sampled_from(_CHARGES), st.integers(0, 3), max_size=2),
    },
)
_ERRORS = (*(("exeErrorCode", code) for code in CODES), ("pilotErrorCode", 1212))
WIDE: Row = {"architecture": None, "release": None, "work_queue": None, "expires_at": None, "diag": None}
_LIMITS = ("limit_retry", "limit_retry", "limit_retry", "no_retry")
_ERROR_RULES = st.builds(
    lambda rule, error, narrow: replace(rule, source=error[0], code=error[1], **({} if narrow else WIDE)),
    rules() | rules(st.sampled_from(_LIMITS), st.just("Y")),
    st.sampled_from(_ERRORS),
    st.sampled_from((False, False, False, True)),
)
_SETTINGS = st.builds(
    RetrySettings,
    enabled=st.sampled_from((True, True, True, False)),
    global_max_retries=st.sampled_from((20, None, 3, 1, 0)),
    max_attempted_runs=st.sampled_from((4, 9, 2, 1)),
)
_BUDGETS = st.builds(
    RestartBudget,
    limit=st.integers(0, 3),
    action=st.none() | st.sampled_from(ACTIONS[1:]),
    replicated_job=st.none() | st.sampled_from(sorted(JOBS)),
)


@st.composite
def _ours(draw: st.DrawFn, *, per_index: bool) -> Ours:
    rows = draw(st.lists(_POLICIES, min_size=draw(st.sampled_from((1, 1, 0))), max_size=2))
    actions = ("Ignore", "Count", "FailJob", *(("FailIndex",) if per_index else ()))
    job_rules = st.builds(OurRule, name=st.just("o"), action=st.sampled_from(actions), category=st.just("node"))
    found = draw(st.lists(_ERROR_RULES, max_size=3))
    return Ours(
        policies=tuple(named(rows)),
        settings=draw(_SETTINGS),
        table=tuple(replace(rule, identity=number) for number, rule in enumerate(found, start=1)),
        mode=draw(st.sampled_from(ReadingMode)),
        attributes=draw(ATTRIBUTES),
        job_rules=tuple(draw(st.lists(job_rules, max_size=1))),
        budgets=tuple(draw(st.lists(_BUDGETS, max_size=2))),
        stopped=draw(st.sampled_from((False, False, False, True))),
        restarted_before=draw(st.integers(0, 1)),
    )


def named(rows: list[Row]) -> list[Row]:
    """Policies with names, their rules too."""
    return [
        {**row, "name": f"p{number}", "rules": [{**rule, "name": f"r{at}"} for at, rule in enumerate(row["rules"])]}
        for number, row in enumerate(rows)
    ]


@st.composite
def _job(draw: st.DrawFn, *, limits: tuple[int, ...]) -> Row:
    """The failure fields of a Job's spec, with one of these limits on failures."""
    size = draw(st.integers(1, 3))
    indexed = draw(st.booleans())
    spec: Row = {"completions": size, "parallelism": size}
    per_index = indexed and draw(st.booleans())
    if indexed:
        spec["completionMode"] = "Indexed"
    if per_index:
        spec["backoffLimitPerIndex"] = draw(st.sampled_from((0, 1, 3)))
        spec |= draw(st.fixed_dictionaries({}, optional={"maxFailedIndexes": st.integers(0, size)}))
    if not per_index or draw(st.booleans()):
        spec["backoffLimit"] = draw(st.sampled_from(limits))
    actions = st.sampled_from(("Ignore", "Count", "FailJob", *(("FailIndex",) if per_index else ())))
    exits = st.sampled_from(CODES).map(lambda code: {"onExitCodes": {"operator": "In", "values": [code]}})
    disrupted = st.just({"onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]})
    rule = st.builds(lambda action, what: {"action": action, **what}, actions, exits | disrupted)
    if draw(st.booleans()):
        spec["podFailurePolicy"] = {"rules": draw(st.lists(rule, max_size=2))}
    pod = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "example"}]}
    return {**spec, "template": {"spec": pod}}


_PARENT_RULES = st.fixed_dictionaries(
    {"action": st.sampled_from(ACTIONS)},
    optional={
        "onJobFailureReasons": st.lists(st.sampled_from(REASONS), max_size=2),
        "targetReplicatedJobs": st.lists(st.sampled_from(sorted(JOBS)), max_size=1),
    },
)
_PARENTS = st.fixed_dictionaries(
    {"maxRestarts": st.sampled_from((4, 2, 1, 0)), "rules": st.lists(_PARENT_RULES, max_size=3)}
)
KINDS = ("job", "jobset", "pod", "gang", "jobset", "job")


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    """Draw what runs, with everything that may be configured for it."""
    kind = draw(st.sampled_from(KINDS))
    job = draw(_job(limits=(0, 1) if kind == "jobset" else (6, 3, 1, 0)))
    members = st.lists(BLOWS, min_size=1, max_size=3 if kind == "gang" else 1).map(tuple)
    return Workload(
        kind=kind,
        ours=draw(_ours(per_index="backoffLimitPerIndex" in job)),
        course=tuple(draw(st.lists(members, min_size=3, max_size=8))),
        fail_fast=draw(st.sampled_from((False, False, False, True))),
        job=job,
        policy=draw(st.sampled_from((_PARENTS, _PARENTS, _PARENTS, st.none())).flatmap(lambda policy: policy)),
    )
