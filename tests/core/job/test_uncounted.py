"""Pods that ``uncountedTerminatedPods`` names: a step was interrupted between counting and releasing them."""

import copy
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent.core.job.advance import advance
from agent.core.job.backoff import NO_FAILURES, BackoffRecord
from agent.core.job.counters import Counters, Gone, open_job
from agent.core.job.defaults import defaulted
from agent.core.job.effects import CreatePod, ReleasePod, RequeueAfter
from agent.core.job.outcome import PodEnding, apply_outcome, begin
from agent.core.job.play import Play
from agent.core.job.pod import FAILED, RUNNING, SUCCEEDED, JobContainer, JobPod
from agent.core.job.reading import read_spec
from agent.core.job.status import JobStatus
from agent.core.job.words import JobSpec
from tests.core.job.drawn import CODES, Drawn, jobs

NOW = datetime(2026, 1, 1, tzinfo=UTC)


def spec(**fields: object) -> JobSpec:
    return defaulted(read_spec({**fields, "template": {"spec": {"restartPolicy": "Never"}}}))


def ended(phase: str, code: int, *, deleted: bool = False) -> JobPod:
    container = JobContainer(name="main", exit_code=code, finished_at=NOW)
    deletion = NOW if deleted else None
    return JobPod(uid="u", name="u", phase=phase, created_at=NOW, deleted_at=deletion, containers=(container,))


def counted_as_failed(pod: JobPod, record: BackoffRecord = NO_FAILURES) -> Counters:
    status = JobStatus(active=0, ready=0, terminating=0, start_time=NOW, uncounted_failed=("u",))
    return open_job(spec(completions=2, parallelism=1), status=status, pods=[pod], record=record)


def test_a_pod_counted_as_failed_stays_failed_though_it_succeeds() -> None:
    counters = counted_as_failed(ended(SUCCEEDED, 0, deleted=True))
    delta, effects = advance(counters, (), now=NOW)

    assert (delta.succeeded, delta.failed, delta.changed) == (0, 1, True)
    assert ReleasePod(uid="u") in effects
    assert counters.report().uncounted_failed == ()


@pytest.mark.parametrize(("before", "waits"), [(0, 0), (1, 10), (2, 20)])
def test_a_pod_counted_as_failed_delays_no_more_than_it_did(before: int, waits: int) -> None:
    record = BackoffRecord(failures=before, last_failure=NOW) if before else NO_FAILURES
    delta, effects = advance(counted_as_failed(ended(FAILED, 1), record), (), now=NOW)

    assert (delta.record, delta.failed) == (record, 1)
    assert [effect.after.total_seconds() for effect in effects if isinstance(effect, RequeueAfter)] == [waits] * bool(
        waits
    )
    assert any(isinstance(effect, CreatePod) for effect in effects) is not bool(waits)


@pytest.mark.parametrize("left", ["before", "at work"])
def test_a_pod_that_is_gone_is_counted_and_reported(left: str) -> None:
    at_work = JobPod(uid="w", name="w", phase=RUNNING, created_at=NOW)
    status = JobStatus(active=1, ready=0, terminating=0, start_time=NOW, uncounted_failed=("u",))
    pods = [at_work] if left == "before" else [at_work, ended(FAILED, 1)]
    counters = open_job(spec(completions=2, parallelism=1), status=status, pods=pods)
    first, effects = advance(counters, [Gone(uid="u")], now=NOW)
    second, _ = advance(counters, (), now=NOW)

    assert (first.failed, first.changed, second.failed, second.changed) == (1, True, 1, False)
    assert effects == ()


def test_a_pod_that_cannot_be_released_yet_counts_toward_the_limit_and_stays_named() -> None:
    """It was counted while it was being deleted; then ``podReplacementPolicy`` became Failed."""
    status = JobStatus(start_time=NOW, uncounted_failed=("u",))
    deleted = JobPod(uid="u", name="u", phase=RUNNING, created_at=NOW, deleted_at=NOW)
    of = spec(completions=2, parallelism=1, backoffLimit=1, podReplacementPolicy="Failed")
    counters = open_job(of, status=status, pods=[deleted])
    delta, effects = advance(counters, (), now=NOW)

    assert (delta.failed, counters.report().uncounted_failed, effects) == (0, ("u",), ())


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(drawn=jobs(), data=st.data())
def test_an_interrupted_step_counts_as_a_complete_one(drawn: Drawn, data: st.DataObject) -> None:
    play = Play(counters=open_job(defaulted(read_spec(drawn.spec))), name="j", now=NOW)
    begin(play)
    apply_outcome(play, PodEnding(exit_code=data.draw(st.sampled_from((0, *CODES)))))
    if play.counters.status.conditions:
        return
    play.now += timedelta(seconds=1)
    before, struck = play.counters.report(), data.draw(st.lists(st.sampled_from((0, *CODES)), max_size=3))
    news = [at(pod, code, play.now) for pod, code in zip(play.living(), struck, strict=False)]
    whole = copy.deepcopy(play.counters)
    delta, effects = advance(whole, news, now=play.now)
    released = [effect.uid for effect in effects if isinstance(effect, ReleasePod)]
    if delta.conditions:
        return
    cut = cut_short(whole, before, released)
    named = (*cut.uncounted_succeeded, *cut.uncounted_failed)
    freed = {uid for uid in released if uid not in named or data.draw(st.booleans())}
    seen = {**play.counters.pods, **{pod.uid: pod for pod in news}}
    pods = [replace(pod, tracked=pod.tracked and pod.uid not in freed) for pod in seen.values()]
    again = open_job(whole.spec, status=cut, pods=pods, record=whole.record)
    after, _ = advance(again, (), now=play.now)

    assert (after.succeeded, after.failed, after.record) == (delta.succeeded, delta.failed, delta.record)
    assert (again.report().completed_indexes, again.report().failed_indexes) == (
        whole.report().completed_indexes,
        whole.report().failed_indexes,
    )
    assert (again.report().uncounted_succeeded, again.report().uncounted_failed) == ((), ())


def at(pod: JobPod, code: int, now: datetime) -> JobPod:
    container = JobContainer(name="main", exit_code=code, finished_at=now)
    return replace(pod, phase=FAILED if code else SUCCEEDED, containers=(container,))


def cut_short(whole: Counters, before: JobStatus, released: list[str]) -> JobStatus:
    """What the status says while the pods of a step wait to be let go."""
    pods = [whole.pods[uid] for uid in released]
    succeeded = [pod.uid for pod in pods if pod.phase == SUCCEEDED and not whole.spec.indexed]
    failed = [pod.uid for pod in pods if whole.fails(pod) and whole.counts(pod)]
    return replace(
        whole.report(),
        succeeded=whole.status.succeeded if whole.spec.indexed else before.succeeded,
        failed=before.failed,
        uncounted_succeeded=tuple(succeeded),
        uncounted_failed=tuple(failed),
    )
