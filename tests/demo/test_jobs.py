"""The jobs of a demo, and that they can be submitted."""

import random
from collections import Counter
from collections.abc import Sequence

from agent.demo.jobs import QUEUES, TIMER_QUEUE, DemoJob, Pace, demo_jobs, documents, due
from agent.manifests.submission.read import read_submissions
from agent.simulator.script import Script
from tests.simulator.playing import shipped

_, SCRIPTS = shipped()
NAMESPACES = {"gpu": "training", "cpu": "batch"}
PER_CLUSTER = {"gpu": SCRIPTS, "cpu": {name: script for name, script in SCRIPTS.items() if script.kind != "gpu"}}
RESTARTED = "restarted-in-place"


def planned(seconds: float = 20, *, seed: int = 1, pace: Pace | None = None) -> Sequence[DemoJob]:
    rng = random.Random(seed)  # noqa: S311 - a course that can be repeated, not a secret
    return demo_jobs(PER_CLUSTER, namespaces=NAMESPACES, seconds=seconds, pace=pace or Pace(), rng=rng)


def test_every_script_of_every_cluster_comes_once_first() -> None:
    swept = due(planned(pace=Pace(sweep=4)), elapsed=3.99)

    for cluster, scripts in PER_CLUSTER.items():
        first = [job.first.name for job in swept if job.namespace == NAMESPACES[cluster]]
        assert sorted(first) == sorted(scripts.keys() - {RESTARTED})


def test_then_they_come_at_the_rate_until_time_is_up() -> None:
    jobs = planned(24, pace=Pace(sweep=4, rate=2))
    mixed = [job for job in jobs if job.at >= 4]

    assert Counter(job.namespace for job in mixed) == {"training": 40, "batch": 40}
    assert max(job.at for job in mixed) < 24
    assert [job.at for job in jobs] == sorted(job.at for job in jobs)


def test_a_script_is_chosen_by_its_weight() -> None:
    mixed = Counter(job.first.name for job in planned(2000) if job.at >= 4)

    assert set(mixed) == SCRIPTS.keys() - {RESTARTED}
    assert 0.8 < mixed["oom"] / mixed["python-traceback"] < 1.25, "they have the same weight"
    assert 2 < mixed["oom"] / mixed["segfault"] < 5, "it has three times the weight"


def test_some_runs_fail_again_and_some_jobs_never_succeed() -> None:
    courses = Counter(job.scripts for job in planned(2000) if job.first.name == "oom")

    assert courses.keys() == {("oom", "success"), ("oom", "oom", "success"), ("oom", "oom", "oom", "success"), ("oom",)}
    assert all(job.scripts == ("success",) for job in planned() if job.first.name == "success")


def test_a_job_that_a_kubelet_refuses_is_in_the_queue_with_a_timer() -> None:
    queues = {(job.queue in QUEUES, job.first.name == "admission-refused") for job in planned(2000)}

    assert queues == {(True, False), (False, True)}
    assert {job.queue for job in planned(2000)} == {*QUEUES, TIMER_QUEUE}


def test_a_seed_is_a_course() -> None:
    assert planned(seed=1) == planned(seed=1)
    assert planned(seed=1) != planned(seed=2)


def test_every_job_can_be_submitted() -> None:
    jobs = planned()
    read = read_submissions(documents(jobs), file="jobs.yaml")
    submissions = [job.submission for job in read.value_or_raise()]

    assert read.problems == ()
    assert [each.client_id for each in submissions] == [job.client_id for job in jobs]
    assert [each.namespace for each in submissions] == [job.namespace for job in jobs]
    assert submissions[0].annotations == {"simulator.failure-agent.dev/script": ", ".join(jobs[0].scripts)}


def test_a_script_that_restarts_containers_is_left_out() -> None:
    restarting: dict[str, Script] = {RESTARTED: SCRIPTS[RESTARTED], "oom": SCRIPTS["oom"]}
    rng = random.Random(1)  # noqa: S311 - a course that can be repeated, not a secret
    jobs = demo_jobs({"gpu": restarting}, namespaces=NAMESPACES, seconds=30, pace=Pace(), rng=rng)

    assert {job.first.name for job in jobs} == {"oom"}
