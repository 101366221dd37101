"""What a Job may choose otherwise than upstream, each beside upstream's way."""

from datetime import UTC, datetime, timedelta

from agent.core.job.counters import open_job
from agent.core.job.defaults import defaulted
from agent.core.job.manifest import Choices
from agent.core.job.outcome import PodEnding, apply_outcome, begin
from agent.core.job.play import Play
from agent.core.job.pod import JobContainer
from agent.core.job.reading import read_spec
from agent.core.job.words import JobSpec

NOW = datetime(2026, 1, 1, tzinfo=UTC)
IGNORE = {"rules": [{"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]}]}
DISRUPTED = PodEnding(every=True, exit_code=143, conditions=("DisruptionTarget",))


def spec(**fields: object) -> JobSpec:
    restart = fields.pop("restartPolicy", "Never")
    return defaulted(read_spec({**fields, "template": {"spec": {"restartPolicy": restart}}}))


def begun(of: JobSpec, choices: Choices | None = None) -> Play:
    play = Play(counters=open_job(of, choices=choices or Choices()), name="j", now=NOW)
    begin(play)
    return play


def test_three_failures_at_once_delay_40_s_or_by_choice_10() -> None:
    drained = spec(parallelism=3, completions=3, podFailurePolicy=IGNORE)
    upstream, chosen = begun(drained), begun(drained, Choices(delay_each=False))
    apply_outcome(upstream, DISRUPTED)
    apply_outcome(chosen, DISRUPTED)

    assert upstream.wait == timedelta(seconds=40)
    assert chosen.wait == timedelta(seconds=10)
    assert upstream.counters.status.failed == 0


def test_ignored_failures_delay_or_by_choice_do_not() -> None:
    drained = spec(parallelism=3, completions=3, podFailurePolicy=IGNORE)
    chosen = begun(drained, Choices(delay_ignored=False))
    apply_outcome(chosen, DISRUPTED)

    assert chosen.wait is None
    assert chosen.counters.status.active == 3


def test_ignored_failures_of_an_index_delay_or_by_choice_do_not() -> None:
    fields = {"completionMode": "Indexed", "completions": 2, "parallelism": 2, "backoffLimitPerIndex": 1}
    drained = spec(**fields, podFailurePolicy=IGNORE)
    upstream, chosen = begun(drained), begun(drained, Choices(delay_ignored=False))
    apply_outcome(upstream, DISRUPTED)
    apply_outcome(chosen, DISRUPTED)

    assert upstream.wait == timedelta(seconds=10)
    assert chosen.wait is None


def test_on_failure_counts_one_less_or_by_choice_does_not() -> None:
    restarting = spec(backoffLimit=2, restartPolicy="OnFailure")
    upstream, chosen = begun(restarting), begun(restarting, Choices(restarts_reach=False))
    for play, still_on in ((upstream, False), (chosen, True)):
        (pod,) = play.living()
        containers = (JobContainer(name="main", restarts=2),)
        play.see(type(pod)(uid=pod.uid, name=pod.name, phase="Running", containers=containers))
        assert (play.counters.status.finished is None) is still_on
