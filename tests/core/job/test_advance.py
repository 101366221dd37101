"""One step of a Job: what its cost follows, when it comes to rest, what its metrics count."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.job.advance import advance
from agent.core.job.counters import open_job
from agent.core.job.defaults import defaulted
from agent.core.job.effects import ReleasePod, RequeueAfter
from agent.core.job.gates import Gates
from agent.core.job.limits import LONGEST_ACTIVE_SECONDS, expires_at
from agent.core.job.metrics import Series, counted
from agent.core.job.outcome import PodEnding, apply_outcome, begin
from agent.core.job.play import Play
from agent.core.job.pod import FAILED, RUNNING, JobContainer, JobPod
from agent.core.job.reading import read_spec
from agent.core.job.status import JobStatus
from agent.core.job.validation_update import amend
from agent.core.job.words import JobSpec

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def spec(**fields: object) -> JobSpec:
    return defaulted(read_spec({**fields, "template": {"spec": {"restartPolicy": "Never"}}}))


def begun(of: JobSpec, *, lingering: bool = False) -> Play:
    play = Play(counters=open_job(of), name="j", now=NOW, lingering=lingering)
    begin(play)
    return play


INDEXED = {"completionMode": "Indexed", "completions": 4, "parallelism": 4, "backoffLimitPerIndex": 0}


def test_a_job_that_fails_waits_for_its_last_pod() -> None:
    play = begun(spec(**INDEXED, maxFailedIndexes=0), lingering=True)
    apply_outcome(play, PodEnding(index=1, exit_code=1))

    assert [condition.type for condition in play.counters.status.conditions] == ["FailureTarget"]
    assert play.counters.status.terminating == 3
    for pod in play.living():
        play.tear_down(pod.uid)
    assert [condition.type for condition in play.counters.status.conditions] == ["FailureTarget", "Failed"]
    assert play.counters.status.failed == 4


def test_a_step_without_news_changes_nothing() -> None:
    play = begun(spec(**INDEXED))
    delta, effects = advance(play.counters, (), now=NOW)

    assert not delta.changed
    assert effects == ()


def test_a_status_whose_indexes_read_differently_is_written_again() -> None:
    """Indexes that no longer exist, and texts that the controller would write in another way."""
    of, at_work = spec(**{**INDEXED, "parallelism": 1}), JobPod(uid="w", phase=RUNNING, index=3)
    status = JobStatus(active=1, ready=0, terminating=0, succeeded=3, failed_indexes="", start_time=NOW)
    for text, changed in (("0-2", False), ("0,1,2", True), ("0-2,9", True)):
        counters = open_job(of, status=replace(status, completed_indexes=text), pods=[at_work])

        assert advance(counters, (), now=NOW)[0].changed is changed
        assert counters.report().completed_indexes == "0-2"


def test_a_job_of_an_unknown_completion_mode_is_left_alone() -> None:
    assert advance(open_job(spec(completionMode="Foo")), (), now=NOW)[1] == ()


def test_news_of_a_pod_accounted_for_is_not_counted_again() -> None:
    play = begun(spec(parallelism=1, completions=1))
    (pod,) = play.living()
    apply_outcome(play, PodEnding(exit_code=1))
    failed = play.counters.status.failed
    play.see(replace(play.counters.pods[pod.uid], tracked=True))

    assert failed == play.counters.status.failed == 1


@given(codes=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), max_size=12))
def test_a_job_that_is_opened_again_is_unchanged(codes: list[tuple[int, int]]) -> None:
    """A controller that starts again knows all from the status and the pods, but for the delay's record."""
    play = begun(spec(**{**INDEXED, "backoffLimitPerIndex": 1}))
    for index, code in codes:
        apply_outcome(play, PodEnding(index=index, exit_code=code))
    counters = play.counters
    again = open_job(counters.spec, status=counters.report(), pods=counters.pods.values())
    advance(again, (), now=play.now)

    assert again.report() == counters.report()
    assert (again.held.keys(), again.taken) == (counters.held.keys(), counters.taken)


def suspended_for(seconds: int) -> Play:
    play = begun(spec(parallelism=1, completions=1, activeDeadlineSeconds=100))
    play.counters.spec = replace(play.counters.spec, suspend=True)
    play.see()
    play.pass_time(timedelta(seconds=seconds))
    assert play.counters.status.active == 0
    play.counters.spec = replace(play.counters.spec, suspend=False)
    play.see()
    return play


def test_the_time_of_a_resumed_job_starts_again() -> None:
    play = suspended_for(60)
    play.pass_time(timedelta(seconds=99))
    assert play.counters.status.finished is None
    play.pass_time(timedelta(seconds=1))

    assert [condition.reason for condition in play.counters.status.conditions if condition.type == "Failed"] == [
        "DeadlineExceeded"
    ]


def test_a_job_suspended_past_its_deadline_fails_when_it_goes_on() -> None:
    """As upstream: the deadline is asked before the time begins anew (docs/jobs.md)."""
    finished = suspended_for(100).counters.status.finished

    assert finished is not None
    assert finished.reason == "DeadlineExceeded"


@pytest.mark.parametrize("seconds", [10**10, 10**12, 10**14, 2**63 - 1])
def test_a_deadline_further_than_time_goes_is_none(seconds: int) -> None:
    play = begun(spec(parallelism=1, completions=1, activeDeadlineSeconds=seconds))
    assert (play.counters.status.active, play.wait) == (1, None)
    play.pass_time(timedelta(days=365_000))

    assert play.counters.status.finished is None


def test_the_longest_deadline_that_go_can_tell_is_kept() -> None:
    play = begun(spec(parallelism=1, completions=1, activeDeadlineSeconds=LONGEST_ACTIVE_SECONDS))
    assert play.wait == timedelta(seconds=LONGEST_ACTIVE_SECONDS)
    play.pass_time(play.wait)
    finished = play.counters.status.finished

    assert finished is not None
    assert finished.reason == "DeadlineExceeded"


@pytest.mark.parametrize("fields", [{}, INDEXED | {"backoffLimitPerIndex": 1}])
def test_a_job_is_looked_at_again_after_a_second_at_the_earliest(fields: dict[str, object]) -> None:
    container = JobContainer(name="main", exit_code=1, finished_at=NOW)
    failed = JobPod(uid="f", phase=FAILED, index=0, containers=(container,))
    after = [
        effect.after
        for waited in (5.0, 9.7)
        for effect in advance(
            open_job(spec(**{**fields, "completions": 1, "parallelism": 1}), pods=[failed]),
            (),
            now=NOW + timedelta(seconds=waited),
        )[1]
        if isinstance(effect, RequeueAfter)
    ]

    assert after == [timedelta(seconds=5), timedelta(seconds=1)]


def test_a_finished_job_is_kept_for_its_time() -> None:
    of = spec(parallelism=1, completions=1, ttlSecondsAfterFinished=60)
    play = begun(of)
    assert expires_at(of, play.counters.status) is None
    apply_outcome(play, PodEnding())

    assert expires_at(of, play.counters.status) == NOW + timedelta(seconds=60)


def test_success_policy_ends_a_job_early() -> None:
    rules = {"rules": [{"succeededIndexes": "0-2", "succeededCount": 2}]}
    play = begun(spec(**INDEXED, successPolicy=rules))
    apply_outcome(play, PodEnding(index=3))
    apply_outcome(play, PodEnding(index=0))
    assert play.counters.status.finished is None
    apply_outcome(play, PodEnding(index=2))

    assert [(condition.type, condition.reason, condition.message) for condition in play.counters.status.conditions] == [
        ("SuccessCriteriaMet", "SuccessPolicy", "Matched rules at index 0"),
        ("Complete", "SuccessPolicy", "Matched rules at index 0"),
    ]
    assert play.counters.status.failed == 0


@pytest.mark.parametrize(
    ("gates", "failed"),
    [
        (Gates(), 1),
        (Gates(pod_replacement_policy=False), 1),
        (Gates(managed_by=False), 1),
        (Gates(pod_replacement_policy=False, managed_by=False), 3),
    ],
    ids=["on", "replacement off", "managed-by off", "both off"],
)
@pytest.mark.parametrize("lingering", [False, True])
def test_a_job_that_completes_at_once_counts_the_pods_that_it_removes(
    gates: Gates, failed: int, *, lingering: bool
) -> None:
    """Without an interim condition what is at work in the step that completes a Job counts as failed."""
    play = Play(counters=open_job(spec(parallelism=4), gates=gates), name="j", now=NOW, lingering=lingering)
    begin(play)
    for outcome in (PodEnding(), PodEnding(exit_code=1)):
        apply_outcome(play, outcome)
    play.counters = amend(play.counters, replace(play.counters.spec, suspend=True))
    turns = play.see()
    for pod in play.living():
        play.tear_down(pod.uid)

    status = play.counters.status
    assert (status.succeeded, status.failed, status.true("Complete") is not None) == (1, failed, True)
    assert not any(isinstance(effect, ReleasePod) for turn in turns for effect in turn.effects)


def test_metrics_count_what_the_steps_say() -> None:
    policy = {"rules": [{"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [42]}}]}
    play = begun(spec(**INDEXED, podFailurePolicy=policy))
    scenes = [apply_outcome(play, PodEnding(index=0, exit_code=42)), apply_outcome(play, PodEnding(every=True))]
    values = counted(play.counters, [turn.delta for scene in scenes for turn in scene.turns])

    assert values == {
        Series("job_finished_indexes_total", (("status", "failed"), ("backoff_limit", "perIndex"))): 1,
        Series("job_finished_indexes_total", (("status", "succeeded"), ("backoff_limit", "perIndex"))): 3,
        Series("job_pods_finished_total", (("completion_mode", "Indexed"), ("result", "failed"))): 1,
        Series("job_pods_finished_total", (("completion_mode", "Indexed"), ("result", "succeeded"))): 3,
        Series("pod_failures_handled_total", (("action", "FailIndex"),)): 1,
        Series(
            "jobs_finished_total",
            (("completion_mode", "Indexed"), ("result", "failed"), ("reason", "FailedIndexes")),
        ): 1,
    }


def test_metrics_never_go_down() -> None:
    """An Indexed Job that is scaled down forgets indexes that succeeded."""
    play = begun(spec(completionMode="Indexed", completions=3, parallelism=3))
    apply_outcome(play, PodEnding(index=2))
    before, _ = advance(play.counters, (), now=play.now)
    play.counters = amend(play.counters, replace(play.counters.spec, completions=2, parallelism=2))
    scaled = [turn.delta for turn in play.see()]
    ended = [turn.delta for turn in apply_outcome(play, PodEnding(index=0)).turns]

    assert (before.succeeded, scaled[-1].succeeded) == (1, 0)
    assert counted(play.counters, scaled, before=before) == {}
    assert counted(play.counters, ended, before=scaled[-1]) == {
        Series("job_finished_indexes_total", (("status", "succeeded"), ("backoff_limit", "global"))): 1,
        Series("job_pods_finished_total", (("completion_mode", "Indexed"), ("result", "succeeded"))): 1,
    }


def made(play: Play, *outcomes: PodEnding) -> dict[str, int]:
    """How many pods were made, by the reason that the metric tells."""
    turns = [turn for outcome in outcomes for turn in apply_outcome(play, outcome).turns]
    values = counted(play.counters, [turn.delta for turn in turns])
    return {
        series.labels[0][1]: count for series, count in values.items() if series.metric == "job_pods_creation_total"
    }


def test_metrics_tell_why_pods_are_made() -> None:
    upstream, failed = begun(spec(parallelism=2, completions=3)), begun(spec(**INDEXED, podReplacementPolicy="Failed"))
    start = Play(counters=open_job(spec(parallelism=2)), name="j", now=NOW)
    first = counted(start.counters, [turn.delta for turn in begin(start).turns])

    assert first[Series("job_pods_creation_total", (("reason", "new"),))] == 2
    assert made(upstream, PodEnding()) == {"new": 1}
    assert made(upstream, PodEnding(exit_code=1), PodEnding()) == {"recreate_terminating_or_failed": 1}
    assert made(failed, PodEnding(index=1, exit_code=1), PodEnding(index=0)) == {}


def test_metrics_tell_what_replaces_failed_pods_only() -> None:
    play = begun(spec(**{**INDEXED, "backoffLimitPerIndex": 1}, podReplacementPolicy="Failed"))

    assert made(play, PodEnding(index=1, exit_code=1), PodEnding(index=1)) == {"recreate_failed": 1}
