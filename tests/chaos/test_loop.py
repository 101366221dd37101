"""Chaos for submitted jobs; how a scripted job must end; and what would not count as holding."""

import json
import os
import secrets
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.job_event import RequestKind
from agent.core.lifecycle.job import EndedBy
from agent.core.lifecycle.run import Closing
from agent.core.lifecycle.state import FINAL, State
from agent.core.limit import VerdictAction
from agent.core.run_command import RunCommand, StartRun, StopRun
from agent.core.run_event import PodReference
from agent.demo.outcome import Closure, LeasedRun
from agent.simulator.ledger import LivedContainer
from agent.store.submitted.requests import JobRequest
from tests.chaos.loop.audit import audit
from tests.chaos.loop.course import run
from tests.chaos.loop.jobs import Asked, Fault, Play, ScriptedJob, drawn
from tests.chaos.loop.model import End, end_of
from tests.chaos.loop.outcome import Outcome, summary
from tests.chaos.loop.plan import Plan, Victim
from tests.chaos.loop.policy import LIMITS
from tests.chaos.loop.records import EndingRecord, Records, RunRecord, VerdictRecord
from tests.chaos.whole.stage import Site
from tests.servers.control_plane import ControlPlane
from tests.servers.pulsar_namespace import PulsarNamespace

WHOLE_SITE = pytest.mark.timeout(240)  # each of its parts is killed and starts again
MANY_KILLS = pytest.mark.timeout(3600)  # as above, ten times as often
START = datetime(2026, 11, 26, tzinfo=UTC)
RETRY, FAIL = VerdictAction.RETRY, VerdictAction.FAIL


@pytest.fixture
def site(
    scheduled_control_plane: ControlPlane,
    scheduled_namespace: str,
    pulsar_namespace: PulsarNamespace,
    postgres_store: str,
    tmp_path: Path,
) -> Site:
    return Site(
        plane=scheduled_control_plane,
        namespace=scheduled_namespace,
        pulsar=pulsar_namespace,
        store_url=postgres_store,
        folder=tmp_path,
    )


def seed() -> int:
    """Another one each time; ``CHAOS_SEED`` repeats one that a failure printed."""
    return int(os.environ.get("CHAOS_SEED") or secrets.randbelow(10**9))


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")


@pytest.mark.parametrize(
    ("jobs", "kills"),
    [
        pytest.param(20, 1, marks=[pytest.mark.slow, WHOLE_SITE], id="short"),
        pytest.param(500, 10, marks=[pytest.mark.long, MANY_KILLS], id="round"),
    ],
)
def test_every_job_ends_as_if_nothing_had_died(site: Site, jobs: int, kills: int) -> None:
    plan = Plan(jobs=jobs, kills=kills, seed=seed())
    say(f"CHAOS_SEED={plan.seed}")

    outcome = run(plan, site, say=say)

    assert outcome.holds, "\n".join(outcome.findings.words())
    assert outcome.jobs == jobs


def plays(*faults: Fault | None) -> tuple[Play, ...]:
    return tuple(Play(seconds=1.0, fault=fault) for fault in faults)


@pytest.mark.parametrize(
    ("job", "end"),
    [
        (ScriptedJob(number=0, plays=plays(None)), (State.SUCCEEDED, EndedBy.SUCCESS, ())),
        (
            ScriptedJob(number=0, plays=plays(Fault.CODE, Fault.STUCK, None)),
            (State.SUCCEEDED, EndedBy.SUCCESS, (RETRY, RETRY)),
        ),
        (
            ScriptedJob(number=0, plays=plays(Fault.MEMORY)),
            (State.FAILED, EndedBy.VERDICT, (RETRY,) * LIMITS[Fault.MEMORY] + (FAIL,)),
        ),
        (ScriptedJob(number=0, plays=plays(Fault.NO_RULE, None)), (State.FAILED, EndedBy.VERDICT, (FAIL,))),
        (ScriptedJob(number=0, plays=plays(None), asked=Asked.CANCEL), (State.CANCELLED, EndedBy.CANCEL, ())),
        (ScriptedJob(number=0, plays=plays(None), asked=Asked.CANCEL_AT_ONCE), (State.CANCELLED, EndedBy.CANCEL, ())),
        (
            ScriptedJob(number=0, plays=plays(Fault.PREEMPTED, None), asked=Asked.NEVER_RETRY),
            (State.FAILED, EndedBy.VERDICT, (FAIL,)),
        ),
    ],
)
def test_how_a_scripted_job_must_end(job: ScriptedJob, end: tuple[State, EndedBy, tuple[VerdictAction, ...]]) -> None:
    assert end_of(job) == End(state=end[0], by=end[1], verdicts=end[2])


@given(st.integers(min_value=0, max_value=10**9))
def test_every_job_that_is_drawn_ends_and_is_the_same_again(number: int) -> None:
    jobs = drawn(20, seed=number)

    assert jobs == drawn(20, seed=number)
    assert all(end_of(job).state in FINAL for job in jobs)


def test_a_plan_kills_each_as_often_as_it_says_in_the_order_of_its_seed() -> None:
    plan = Plan(jobs=50, kills=10, seed=3)

    blows = plan.blows()

    assert Counter(victim for blow in blows for victim in blow.victims) == dict.fromkeys(Victim, 10)
    assert {blow.agent for blow in blows if Victim.AGENT in blow.victims} == {0, 1}
    assert any(len(blow.victims) > 1 for blow in blows)
    assert blows == plan.blows()
    assert blows != replace(plan, seed=4).blows()
    assert sorted(job.number for share in plan.shares(len(blows)) for job in share) == list(range(50))


def run_record(index: int, **more: Any) -> RunRecord:
    given_one: dict[str, Any] = {
        "run_id": f"run-{index}",
        "job_id": "job",
        "place": index,
        "index": index,
        "uid": f"uid-{index}",
        "phase": "running",
        "closed_why": Closing.VERDICT.value,
        **more,
    }
    return RunRecord(**given_one)


def container(index: int, **more: Any) -> LivedContainer:
    """A container of this run; the next one starts ten seconds later."""
    given_one: dict[str, Any] = {
        "pod_uid": f"uid-{index}",
        "namespace": "ns",
        "pod": f"pod-{index}",
        "job_id": "job",
        "run_id": f"run-{index}",
        "gated": True,
        "container": "main",
        "container_id": f"id-{index}",
        "started_at": START + timedelta(seconds=10 * index),
        "ended_at": START + timedelta(seconds=10 * index + 5),
        **more,
    }
    return LivedContainer(**given_one)


def command(content: StartRun | StopRun, run_id: str) -> RunCommand:
    return RunCommand(cluster_id="c", job_id="job", run_id=run_id, issued_at=START, command=content)


def pod(uid: str) -> PodReference:
    return PodReference(namespace="ns", name="pod", uid=uid)


SUCCEEDED = run_record(1, phase="succeeded", closed_why=Closing.SUCCESS.value)
RETRIED = VerdictRecord(run_id="run-0", job_id="job", action=RETRY)
CANCELLED = JobRequest(job_id="job", kind=RequestKind.CANCEL, by="x", reason="", at=START)
ENDED = EndingRecord(job_id="job", state="succeeded", by="success")
GOOD = Records(
    jobs={"job": "succeeded"},
    runs=[run_record(0), SUCCEEDED],
    verdicts=[RETRIED],
    endings=[ENDED],
    commands=[command(StartRun(pod("uid-0")), "run-0"), command(StopRun(pod("uid-0")), "run-0")],
    containers=[container(0), container(1)],
    leased=[LeasedRun(job_id="job", leased_at=START, pod_uid="uid-0")],
    closures=[Closure(job_id="job", since=START + timedelta(seconds=20))],
)
MODEL = {"job": End(state=State.SUCCEEDED, by=EndedBy.SUCCESS, verdicts=(RETRY,))}


def figures(records: Records, model: Mapping[str, End] = MODEL) -> Mapping[str, int]:
    """What is found that should not be."""
    outcome = Outcome(jobs=1, findings=audit(records, model), seconds=1.0)
    assert outcome.holds is not any(outcome.figures.values())
    assert bool([*outcome.findings.words()]) is not outcome.holds
    return {name: count for name, count in outcome.figures.items() if count}


def test_a_job_that_went_as_it_must_has_no_findings() -> None:
    assert figures(GOOD) == {}


@pytest.mark.parametrize(
    ("changed", "found"),
    [
        ({"containers": [container(0, ended_at=START + timedelta(seconds=11)), container(1)]}, {"overlaps": 1}),
        ({"jobs": {}}, {"lost": 1}),
        ({"jobs": {"job": "running"}}, {"lost": 1}),
        ({"jobs": {"job": "failed"}}, {"lost": 1}),
        ({"dead_letters": ["events", "events"]}, {"lost": 1}),
        (
            {"leased": [LeasedRun(job_id="job", leased_at=START + timedelta(seconds=30), pod_uid=None)]},
            {"after_end": 1},
        ),
        ({"waiting": 2}, {"verdicts_without_effect": 1}),
        ({"containers": [container(0), container(1, ended_at=None)]}, {"verdicts_without_effect": 1}),
        ({"containers": [container(0), container(7)]}, {"effects_without_verdict": 1}),
        ({"commands": [command(StartRun(pod("uid-7")), "run-0")]}, {"effects_without_verdict": 1}),
        ({"commands": [command(StopRun(pod("uid-7")), "run-7")]}, {"effects_without_verdict": 1}),
        ({"runs": [run_record(0), SUCCEEDED, run_record(2, uid=None)]}, {"effects_without_verdict": 2}),
        ({"runs": [run_record(0, closed_why="rejected"), SUCCEEDED]}, {"effects_without_verdict": 1}),
    ],
)
def test_what_should_not_be_is_found(changed: Mapping[str, Any], found: Mapping[str, int]) -> None:
    assert figures(replace(GOOD, **changed)) == found


def test_a_rejected_run_needs_no_verdict_for_the_one_in_its_place() -> None:
    rejected = run_record(1, run_id="run-r", uid=None, phase=None, closed_why=Closing.REJECTED.value)

    assert figures(replace(GOOD, runs=[run_record(0), rejected, replace(SUCCEEDED, place=2)])) == {}


@pytest.mark.parametrize(
    ("endings", "requests", "found"),
    [
        ([EndingRecord(job_id="job", state="cancelled", by="cancel")], [CANCELLED], {}),
        ([EndingRecord(job_id="job", state="cancelled", by="cancel")], [], {"effects_without_verdict": 1}),
        ([], [CANCELLED], {"lost": 1, "verdicts_without_effect": 1}),
    ],
)
def test_an_ending_has_its_request_and_a_request_its_ending(
    endings: Sequence[EndingRecord], requests: Sequence[JobRequest], found: Mapping[str, int]
) -> None:
    records = Records(
        jobs={"job": "cancelled"}, runs=[run_record(0, closed_why="ending")], endings=endings, requests=requests
    )

    assert figures(records, {"job": End(state=State.CANCELLED, by=EndedBy.CANCEL, verdicts=())}) == found


@pytest.mark.parametrize(
    ("endings", "found"),
    [
        ([EndingRecord(job_id="job", state="failed", by="verdict")], {}),
        ([], {"lost": 1, "verdicts_without_effect": 1}),
        ([EndingRecord(job_id="job", state="failed", by="limit")], {"lost": 1, "effects_without_verdict": 1}),
    ],
)
def test_a_fail_ends_the_job(endings: Sequence[EndingRecord], found: Mapping[str, int]) -> None:
    failed = VerdictRecord(run_id="run-0", job_id="job", action=FAIL)
    records = Records(jobs={"job": "failed"}, runs=[run_record(0)], verdicts=[failed], endings=endings)

    assert figures(records, {"job": End(state=State.FAILED, by=EndedBy.VERDICT, verdicts=(FAIL,))}) == found


def test_a_retry_is_followed_by_a_run() -> None:
    records = Records(jobs={"job": "retry-waiting"}, runs=[run_record(0)], verdicts=[RETRIED])

    assert figures(records) == {"lost": 1, "verdicts_without_effect": 1}


def test_the_summary_of_rounds_is_one_line_of_sums() -> None:
    lost = Outcome(jobs=1, findings=audit(replace(GOOD, jobs={}), MODEL), seconds=1.0)

    assert json.loads(summary([lost, lost], seed=7)) == {
        "jobs": 2,
        "seed": 7,
        "overlaps": 0,
        "lost": 2,
        "after_end": 0,
        "verdicts_without_effect": 0,
        "effects_without_verdict": 0,
    }
