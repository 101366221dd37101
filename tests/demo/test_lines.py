"""The demo's table keeps what matters at every width."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.console.terminal import cells_of
from agent.core.failure import Origin
from agent.core.lifecycle.state import State
from agent.core.limit import VerdictAction
from agent.demo.closing import (
    afterwards,
    by_category,
    counts,
    example,
    explain_command,
    summary,
    what_is_left,
    while_it_stays,
    why_unfinished,
)
from agent.demo.lines import Row, decision_line, headings, outcome_word, reason_lines, shape_for
from agent.demo.opening import introduction, where_to_look
from agent.demo.outcome import JobStanding, Witnessed, job_figures
from agent.demo.readings import Decision, Recovery
from agent.demo.tally import tally
from agent.demo.view import PlainLines

START = datetime(2026, 11, 22, 12, tzinfo=UTC)


def decision(
    number: int = 1,
    *,
    job: str = "01k9abcdefgh",
    attempt: int | None = 2,
    category: str = "eviction/node-pressure",
    origin: Origin = Origin.INFRA,
    action: VerdictAction = VerdictAction.RETRY,
    delay: float | None = 4.0,
) -> Decision:
    return Decision(
        run_id=f"run-{number}",
        pod_uid=f"pod-{number}",
        decided_at=START + timedelta(seconds=number),
        observed_at=START,
        cluster="gpu-east",
        job_id=job,
        attempt=attempt,
        category=category,
        origin=origin,
        exit_code=137,
        matched=True,
        action=action,
        delay_seconds=delay if action is VerdictAction.RETRY else None,
        headline_text="Retry in 4s, not on node-7: policy demo, rule 2 says Retry",
    )


decisions = st.builds(
    decision,
    attempt=st.none() | st.integers(0, 30),
    category=st.text(max_size=40),
    origin=st.sampled_from(Origin),
    action=st.sampled_from(VerdictAction),
    delay=st.floats(0, 86_400),
)


def recovery(last: Decision) -> Recovery:
    return Recovery(ended_at=last.decided_at + timedelta(seconds=9), attempt=(last.attempt or 0) + 1, last=last)


rows = decisions | decisions.map(recovery)


@given(rows, st.integers(60, 300))
def test_a_line_fits_and_keeps_what_matters(row: Row, columns: int) -> None:
    text, decided = decision_line(row, shape_for(columns)), row.last if isinstance(row, Recovery) else row

    assert cells_of(text) <= columns
    assert decided.job_id[-8:] in text
    assert decided.origin.value in text
    assert outcome_word(row) in text
    assert text.count(":") >= 2, "the time"


@given(rows, st.integers(40, 59))
def test_below_60_cells_only_the_time_is_left_out(row: Row, columns: int) -> None:
    text = decision_line(row, shape_for(columns))

    assert cells_of(text) <= columns
    assert (row.last if isinstance(row, Recovery) else row).job_id[-8:] in text
    assert outcome_word(row) in text


@given(st.integers(1, 300) | st.none(), decisions)
def test_headings_stand_above_their_columns(columns: int | None, one: Decision) -> None:
    shape = shape_for(columns)

    if len(one.category) <= shape.category and one.category.isascii() and one.category.isprintable():
        text = decision_line(one, shape)
        assert text.index(one.origin.value, headings(shape).index("FAULT")) == headings(shape).index("FAULT")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (80, ":01  abcdefgh   3  eviction/node-pressure      infra     retry in 4 s"),
        (72, ":01 abcdefgh  3 eviction/node-pressure     infra    retry in 4 s"),
        (66, ":01 abcdefgh  3 eviction/node-pressure     infra    retry"),
        (60, ":01 abcdefgh  3 eviction/n…-pressure infra    retry"),
        (50, "abcdefgh  3 eviction/…-pressure infra    retry"),
    ],
)
def test_less_room_costs_blanks_then_the_delay_then_the_time(columns: int, expected: str) -> None:
    text = decision_line(decision(), shape_for(columns))

    assert text[text.find(":01") if columns >= 60 else 0 :] == expected


def test_hostile_names_cannot_move_the_cursor() -> None:
    one = decision(job="\x1b[2J\x1b[2J", category="oom\x1b[31m\n")

    for text in (decision_line(one, shape_for(None)), *reason_lines(one, shape_for(60))):
        assert text.isprintable()


def test_the_reason_is_whole_at_any_width() -> None:
    for columns in (40, 60, 80, 160, None):
        lines = list(reason_lines(decision(), shape_for(columns)))
        assert " ".join(line.strip() for line in lines) == (
            "gpu-east, exit 137: Retry in 4s, not on node-7: policy demo, rule 2 says Retry"
        )
        assert columns is None or all(len(line) <= columns for line in lines)


def shown(rows: Sequence[Row], *, wide: bool) -> list[str]:
    out = StringIO()
    with PlainLines(out, wide=wide) as view:
        view.show(rows, fresh=rows, figures="", state="")
    return out.getvalue().splitlines()


def test_a_pipe_gets_a_header_and_short_lines() -> None:
    header, line = shown([decision()], wide=False)

    assert header.split() == ["TIME", "JOB", "#", "CATEGORY", "FAULT", "DECISION"]
    assert line.split()[1:] == ["abcdefgh", "3", "eviction/node-pressure", "infra", "retry", "in", "4", "s"]
    assert len(line) <= 80


def test_wide_lines_of_a_pipe_end_in_cluster_exit_code_and_reason() -> None:
    _, line = shown([decision()], wide=True)

    assert line.endswith(
        "retry in 4 s     gpu-east, exit 137: Retry in 4s, not on node-7: policy demo, rule 2 says Retry"
    )


def test_a_recovery_is_a_line_of_its_own() -> None:
    _, line = shown([recovery(decision())], wide=True)

    assert line.split()[0].endswith(":10")
    assert line.split()[1:6] == ["abcdefgh", "4", "eviction/node-pressure", "infra", "recovered"]
    assert line.endswith("run 4 of the job succeeded")


def standing(job_id: str, state: State = State.FAILED, *, retries: int = 0) -> JobStanding:
    return JobStanding(job_id=job_id, state=state, retries=retries)


def by_id(*standings: JobStanding) -> dict[str, JobStanding]:
    return {one.job_id: one for one in standings}


STANDINGS = by_id(
    standing("a", State.SUCCEEDED, retries=1),
    standing("b", retries=2),
    standing("c", State.RUNNING, retries=1),
    standing("d"),
    standing("e", State.SUCCEEDED),
    standing("f", State.STOPPING),
)


def test_jobs_are_counted_by_the_category_of_their_first_failure() -> None:
    first = [decision(number, job=job) for number, job in enumerate("abc")]
    later = [decision(9, job="b", category="code"), decision(8, job="d", category="code", origin=Origin.USER)]

    lines = [line.split() for line in by_category([*later, *first], STANDINGS, columns=None)]

    assert lines == [
        ["CATEGORY", "FAULT", "JOBS", "RETRIED", "RECOVERED", "FAILED"],
        ["eviction/node-pressure", "infra", "3", "3", "1", "1"],
        ["(no", "failure)", "2", "0", "0", "0"],
        ["code", "user", "1", "0", "0", "1"],
        ["all", "6", "3", "1", "2"],
    ]


@given(st.lists(decisions, max_size=20), st.integers(50, 200))
def test_the_table_by_category_fits(given_decisions: list[Decision], columns: int) -> None:
    standings = by_id(*(standing(one.job_id, retries=number % 2) for number, one in enumerate(given_decisions)))
    table = list(by_category(given_decisions, standings, columns=columns))

    assert max(map(cells_of, table)) <= columns
    assert table[0].split() == ["CATEGORY", "FAULT", "JOBS", "RETRIED", "RECOVERED", "FAILED"]
    assert sum(int(row.split()[-4]) for row in table[1:-1]) == len(standings)


def test_what_came_of_the_jobs_fits_a_line() -> None:
    assert counts(STANDINGS.values()) == "6 jobs: 1 succeeded, 1 recovered, 2 failed, 2 not ended"


@pytest.mark.parametrize(
    ("seconds", "standings", "lost", "expected"),
    [
        (3.4, STANDINGS, 0, "3 s to go"),
        (0, STANDINGS, 0, "no new jobs; waiting for 1 running, 1 stopping"),
        (0, by_id(standing("a")), 1, "waiting for the last verdicts"),
        (0, by_id(standing("a")), 0, "every job has ended; comparing with Lookout"),
    ],
)
def test_the_last_line_says_what_it_waits_for(
    seconds: float, standings: dict[str, JobStanding], lost: int, expected: str
) -> None:
    assert what_is_left(seconds, standings.values(), lost=lost) == expected


@pytest.mark.parametrize(
    ("jobs", "interrupted", "said"),
    [
        (0, False, None),
        (3, False, "3 jobs have not ended, and nothing has happened for 90 s."),
        (3, True, "Interrupted: some jobs have not ended."),
    ],
)
def test_a_demo_that_ends_before_its_jobs_says_why(jobs: int, said: str | None, *, interrupted: bool) -> None:
    assert why_unfinished(jobs, interrupted=interrupted, idle=90) == said


@given(st.integers(40, 200))
def test_prose_fits(columns: int) -> None:
    opening = list(introduction(seconds=3600, columns=columns))
    figures = job_figures(STANDINGS, missing=0, runs=[], closures=[], witnessed=Witnessed())
    ending = list(summary(tally([], []), figures, restarts=12, columns=columns))

    assert max(map(len, [*opening, *ending])) <= columns


API = "http://127.0.0.1:18123"


@pytest.mark.parametrize("built", [True, False])
def test_where_to_look_fits_80_cells_and_names_the_address_whole(*, built: bool) -> None:
    opening = list(where_to_look(API, pages=built, columns=80))
    staying = list(while_it_stays(API, columns=80))
    ending = list(afterwards(API, columns=80))

    assert max(map(len, [*opening, *staying, *ending])) <= 80
    assert all(any(API in line for line in part) for part in (opening[:2], staying, ending))


def test_a_line_of_its_own_names_the_page_unless_there_is_none() -> None:
    with_pages = list(where_to_look(API, pages=True, columns=80))
    without = " ".join(where_to_look(API, pages=False, columns=80))

    assert with_pages[1] == f"  {API}"
    assert "they are not built" in without
    assert "make ui" in without


def test_the_example_is_the_job_that_failed_for_good_after_most_attempts() -> None:
    fail = VerdictAction.FAIL
    tried = [decision(n, job="tried", attempt=n) for n in range(3)]
    gave_up = [decision(9, job="once", attempt=0, action=fail), decision(5, job="twice", attempt=1, action=fail)]

    assert example([*tried, *gave_up]) == "twice"
    assert example(tried) == "tried"
    assert example([]) is None


def test_the_command_is_quoted_for_a_shell() -> None:
    assert explain_command(".venv/bin/failctl", "job 1", where=("--store", "sqlite:////tmp/my demo/store.db")) == (
        ".venv/bin/failctl explain 'job 1' --store 'sqlite:////tmp/my demo/store.db'"
    )
