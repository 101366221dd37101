from datetime import timedelta
from pathlib import Path

import pytest

from agent.core.jobset.gates import Gates
from agent.core.retry.policy import BackoffPolicy, RetrySettings
from agent.settings.base import LogLevel, LogSettings
from agent.settings.fault import ConfigError
from agent.settings.load import load
from agent.settings.scheduler import RetryPolicySettings, SchedulerSettings, SchedulingSettings

LEAST = "broker: {url: sqlite:///log.db}\nstore: {url: sqlite:///store.db}\n"


def read(tmp_path: Path, text: str) -> SchedulerSettings:
    file = tmp_path / "settings.yaml"
    file.write_text(LEAST + text)
    return load(SchedulerSettings, file, {})


def test_the_example_of_armadas_proposal_is_read(tmp_path: Path) -> None:
    text = """\
scheduling:
  retryPolicy:
    enabled: true
    globalMaxRetries: 20
    defaultPolicyName: default
    defaultBackoff:
      initialDelay: 0s
      maxDelay: 10m
      multiplier: 2.0
"""
    assert read(tmp_path, text).retrying() == RetrySettings(
        enabled=True,
        global_max_retries=20,
        default_policy_name="default",
        default_backoff=BackoffPolicy(initial=timedelta(0), maximum=timedelta(minutes=10), multiplier=2.0),
        max_attempted_runs=3,
    )


def test_retry_policies_are_off_unless_switched_on(tmp_path: Path) -> None:
    assert read(tmp_path, "").retrying() == RetrySettings(default_policy_name="default")
    assert not RetrySettings().enabled


def test_a_cap_of_zero_is_a_number(tmp_path: Path) -> None:
    assert read(tmp_path, "scheduling: {retryPolicy: {globalMaxRetries: 0}}").retrying().global_max_retries == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("scheduling: {retryPolicy: {defaultBackoff: {multiplier: 0.5}}}", "must be at least 1$"),
        ("scheduling: {retryPolicy: {defaultBackoff: {maxDelay: 10 minutes}}}", "not a duration"),
        ("scheduling: {retryPolicy: {globalMaxRetries: 2.5}}", "settings.yaml:3:46"),
        ("api: {host: 0.0.0.0}", "the API has no access control yet"),
        ("api: {host: example.com}", "use 127.0.0.1, ::1 or localhost"),
        ("maxAttemptedRuns: 0", "maxAttemptedRuns"),
    ],
)
def test_values_that_cannot_be_meant_are_refused(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        read(tmp_path, text)


def test_feature_gates_of_jobsets_are_off_unless_switched_on(tmp_path: Path) -> None:
    assert read(tmp_path, "").job_sets.gates() == Gates()
    on = read(tmp_path, "jobSets: {featureGates: {RestartJob: true, InPlaceRestart: false}}")
    assert on.job_sets.gates() == Gates(restart_job=True)
    with pytest.raises(ConfigError, match="RestartJobs"):
        read(tmp_path, "jobSets: {featureGates: {RestartJobs: true}}")


def test_the_settings_that_differ_are_named_as_files_spell_them() -> None:
    before = SchedulerSettings.model_validate({"broker": {"url": "sqlite:///a"}, "store": {"url": "sqlite:///b"}})
    after = before.model_copy(
        update={
            "policies": (Path("p.yaml"),),
            "log": LogSettings(level=LogLevel.DEBUG),
            "scheduling": SchedulingSettings(retry_policy=RetryPolicySettings(global_max_retries=7)),
        }
    )

    assert set(before.changed(after)) == {"policies", "log.level", "scheduling.retryPolicy.globalMaxRetries"}
    assert before.changed(before) == ()
