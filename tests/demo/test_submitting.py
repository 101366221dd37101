"""Jobs reach the scheduler once, also while it is away for a while."""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from agent.demo.jobs import DemoJob, Pace, demo_jobs
from agent.demo.standings import read_standings
from agent.demo.submitting import SubmissionRefused, Submitter, api_address
from agent.manifests.submission.read import read_submissions
from agent.store.store import Store
from tests.scheduler.service.site import served, site
from tests.servers.ports import free_ports
from tests.simulator.playing import shipped
from tests.store.databases import new_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(new_store(tmp_path)) as opened:
        yield opened


def jobs() -> Sequence[DemoJob]:
    _, scripts = shipped()
    few = {name: scripts[name] for name in ("oom", "success")}
    rng = random.Random(1)  # noqa: S311 - a course that can be repeated, not a secret
    pace = Pace(sweep=2, rate=1)
    return demo_jobs({"east": few}, namespaces={"east": "training"}, seconds=4, pace=pace, rng=rng)


def test_what_is_due_is_submitted_and_kept_in_a_file(store: Store, tmp_path: Path) -> None:
    with served(site(store)) as address:
        submitter = Submitter(jobs(), address=lambda: address, copy=tmp_path / "jobs.yaml")
        created = submitter.create_queues(), submitter.create_queues()
        submitter.submit(elapsed=1.5)
        first = len(submitter.accepted), submitter.waiting
        submitter.submit(elapsed=9)

    copy = read_submissions((tmp_path / "jobs.yaml").read_text(), file="jobs.yaml").value_or_raise()
    assert created == (True, True)
    assert first == (2, 2)
    assert submitter.waiting == 0
    assert read_standings(store).keys() == submitter.accepted
    assert [each.submission.client_id for each in copy] == [job.client_id for job in jobs()]


def test_without_an_answer_jobs_are_submitted_later_and_once(store: Store, tmp_path: Path) -> None:
    addresses: list[str | None] = [None, f"127.0.0.1:{free_ports(1)[0]}"]
    with served(site(store)) as address:
        known = Submitter(jobs(), address=lambda: address, copy=tmp_path / "other.yaml")
        known.create_queues()
        known.submit(elapsed=9)  # the answer to this was lost
        submitter = Submitter(jobs(), address=lambda: addresses.pop(0), copy=tmp_path / "jobs.yaml")
        for _ in range(2):
            submitter.submit(elapsed=9)
        unanswered = submitter.waiting
        addresses.append(address)
        submitter.submit(elapsed=9)

    assert (unanswered, submitter.waiting) == (4, 0)
    assert submitter.accepted == known.accepted == read_standings(store).keys()


def test_a_job_that_is_refused_ends_the_demo_with_the_reason(store: Store, tmp_path: Path) -> None:
    with served(site(store)) as address:
        submitter = Submitter(jobs(), address=lambda: address, copy=tmp_path / "jobs.yaml")
        with pytest.raises(SubmissionRefused, match=r"does not take the job demo-0001: .*queue"):
            submitter.submit(elapsed=9)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([], None),
        (["the API is served"], None),
        (["[info     ] the API is served [agent.scheduler.app] host=127.0.0.1 port=4711"], "127.0.0.1:4711"),
        (["the API is served host=127.0.0.1 port=1", "x", "the API is served host=127.0.0.1 port=2"], "127.0.0.1:2"),
    ],
)
def test_the_address_is_that_of_the_last_start(lines: list[str], expected: str | None, tmp_path: Path) -> None:
    log = tmp_path / "scheduler.log"
    assert api_address(log) is None

    log.write_text("".join(f"{line}\n" for line in lines))
    assert api_address(log) == expected
