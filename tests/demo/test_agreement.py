"""What Lookout stored is compared run by run, and a difference is said in words."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from agent.core.failure import Occurrence
from agent.demo.agreement import Account, Kind, Report, RunAccount, compare, counted, reasons
from agent.demo.course import DemoOutcome
from agent.demo.outcome import Witnessed, job_figures
from agent.demo.tally import tally

START = datetime(2026, 11, 26, 12, tzinfo=UTC)
OOM = Kind("oom", "memory", "user")
GPU = Kind("gpu", "", "infra")
GONE = Kind("external", "", "unknown")
RETRIED = RunAccount(job_id="job-1", attempt=0, kind=OOM, verdict="retry")
RECOVERED = RunAccount(job_id="job-1", attempt=1, kind=None, verdict="")


def account(runs: Mapping[str, RunAccount], state: str = "succeeded") -> Account:
    return Account(runs=runs, jobs={"job-1": state}, failures=counted(runs.values()))


DECIDED = account({"run-1": RETRIED, "run-2": RECOVERED})


def report(
    event: str,
    kind: Kind,
    *,
    second: int = 0,
    amends: str | None = None,
    occurrence: Occurrence = Occurrence.POD_FAILED,
) -> Report:
    at = START + timedelta(seconds=second)
    return Report(
        run_id="run-1",
        event_id=event,
        amends=amends,
        occurrence=occurrence,
        occurred_at=at,
        observed_at=at,
        kind=kind,
    )


def test_what_is_equal_is_said_in_one_line() -> None:
    found = compare(DECIDED, DECIDED)

    assert [*found.lines(seconds=30, log="lookout.log", columns=80)] == [
        "Lookout stored the same: 1 jobs, 2 runs, 1 failures, 1 verdicts"
    ]


@pytest.mark.parametrize(
    ("stored", "expected"),
    [
        (account(DECIDED.runs, "running"), ["job job-1: running instead of succeeded"]),
        (
            account({"run-1": RETRIED}),
            ["run run-2: missing instead of job-1 #2 no failure, no verdict"],
        ),
        (
            account({"run-1": replace(RETRIED, kind=GPU), "run-2": replace(RECOVERED, attempt=0)}),
            [
                "run run-1: job-1 #1 gpu (infra), retry instead of job-1 #1 oom/memory (user), retry",
                "run run-2: job-1 #1 no failure, no verdict instead of job-1 #2 no failure, no verdict",
                "failures gpu (infra): 1 instead of missing",
                "failures oom/memory (user): missing instead of 1",
            ],
        ),
        (replace(DECIDED, failures={str(OOM): 2}), ["failures oom/memory (user): 2 instead of 1"]),
    ],
)
def test_each_difference_is_said(stored: Account, expected: list[str]) -> None:
    assert compare(DECIDED, stored).differences == expected


def test_many_differences_are_counted() -> None:
    runs = {f"run-{number}": RECOVERED for number in range(9)}

    lines = [*compare(account({}), account(runs)).lines(seconds=30, log="logs/lookout.log", columns=80)]

    assert lines[0] == "Lookout stored 1 jobs, 9 runs, 0 failures, 0 verdicts, and differs after 30 s."
    assert lines[1] == "Its log: logs/lookout.log"
    assert len(lines) == 8
    assert lines[-1] == "- and 4 more"


@pytest.mark.parametrize(("stored", "sound"), [(DECIDED, True), (account({}), False)])
def test_a_demo_whose_lookout_differs_is_not_sound(stored: Account, *, sound: bool) -> None:
    figures = job_figures({}, missing=0, runs=(), closures=(), witnessed=Witnessed())
    outcome = DemoOutcome(
        tally=tally([], []),
        jobs=figures,
        decisions=(),
        standings={},
        restarts=0,
        lookout=compare(DECIDED, stored),
    )

    assert outcome.is_sound is sound


@pytest.mark.parametrize(
    ("reports", "expected"),
    [
        ([report("a", OOM)], OOM),
        ([report("a", OOM), report("b", GPU, second=1)], OOM),
        ([report("b", GPU, second=1), report("a", OOM)], OOM),
        ([report("a", GONE, occurrence=Occurrence.DELETED_EXTERNALLY), report("b", OOM, second=1)], OOM),
        ([report("a", OOM), report("b", GONE, second=1, occurrence=Occurrence.DELETED_EXTERNALLY)], OOM),
        ([report("a", OOM), report("b", GPU, second=1, amends="a")], GPU),
        ([report("c", OOM, second=2, amends="a"), report("b", GPU, second=1, amends="a"), report("a", GONE)], OOM),
        ([report("a", OOM, occurrence=Occurrence.CONTAINER_RESTARTED)], None),
    ],
)
def test_the_reason_is_the_first_real_failure_as_it_was_amended(reports: list[Report], expected: Kind | None) -> None:
    assert reasons(reports).get("run-1") == expected
