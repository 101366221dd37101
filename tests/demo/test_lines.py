"""The demo's table keeps what matters at every width."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from io import StringIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.console.terminal import cells_of
from agent.core.failure import Origin
from agent.core.failure_text.fault import short_fault
from agent.core.limit import VerdictAction
from agent.demo.closing import by_category, example, explain_command, summary
from agent.demo.lines import decision_line, headings, introduction, reason_lines, shape_for
from agent.demo.readings import Decision
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


@given(decisions, st.integers(60, 300))
def test_a_line_fits_and_keeps_what_matters(one: Decision, columns: int) -> None:
    text = decision_line(one, shape_for(columns))

    assert cells_of(text) <= columns
    assert one.job_id[-8:] in text
    assert short_fault(one.origin) in text
    assert one.action.value in text
    assert text.count(":") >= 2, "the time"


@given(decisions, st.integers(40, 59))
def test_below_60_cells_only_the_time_is_left_out(one: Decision, columns: int) -> None:
    text = decision_line(one, shape_for(columns))

    assert cells_of(text) <= columns
    assert one.job_id[-8:] in text
    assert one.action.value in text


@given(st.integers(1, 300) | st.none(), decisions)
def test_headings_stand_above_their_columns(columns: int | None, one: Decision) -> None:
    shape = shape_for(columns)

    if len(one.category) <= shape.category and one.category.isascii() and one.category.isprintable():
        text = decision_line(one, shape)
        assert text.index(short_fault(one.origin), headings(shape).index("FAULT")) == headings(shape).index("FAULT")


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (80, ":01  abcdefgh   3  eviction/node-pressure      node      retry in 4 s"),
        (72, ":01 abcdefgh  3 eviction/node-pressure     node     retry in 4 s"),
        (66, ":01 abcdefgh  3 eviction/node-pressure     node     retry"),
        (60, ":01 abcdefgh  3 eviction/n…e-pressure node     retry"),
        (50, "abcdefgh  3 eviction/n…-pressure node     retry"),
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


def shown(decisions: Sequence[Decision], *, wide: bool) -> list[str]:
    out = StringIO()
    with PlainLines(out, wide=wide) as view:
        view.show(decisions, fresh=decisions, tally=tally([], []), state="")
    return out.getvalue().splitlines()


def test_a_pipe_gets_a_header_and_short_lines() -> None:
    header, line = shown([decision()], wide=False)

    assert header.split() == ["TIME", "JOB", "#", "CATEGORY", "FAULT", "DECISION"]
    assert line.split()[1:] == ["abcdefgh", "3", "eviction/node-pressure", "node", "retry", "in", "4", "s"]
    assert len(line) <= 80


def test_wide_lines_of_a_pipe_end_in_cluster_exit_code_and_reason() -> None:
    _, line = shown([decision()], wide=True)

    assert line.endswith(
        "retry in 4 s     gpu-east, exit 137: Retry in 4s, not on node-7: policy demo, rule 2 says Retry"
    )


def test_categories_are_counted_the_most_frequent_first() -> None:
    fail = VerdictAction.FAIL
    code = [decision(n, category="code", origin=Origin.USER, action=fail) for n in range(2)]

    given_decisions = [*code, decision(3), decision(4), decision(5, action=fail)]
    lines = [line.split() for line in by_category(given_decisions, columns=None)]

    assert lines == [
        ["CATEGORY", "FAULT", "COUNT", "RETRIED", "FAILED"],
        ["eviction/node-pressure", "node", "3", "2", "1"],
        ["code", "job", "2", "0", "2"],
        ["all", "5", "2", "3"],
    ]


@given(st.lists(decisions, max_size=20), st.integers(40, 200))
def test_the_table_by_category_fits(given_decisions: list[Decision], columns: int) -> None:
    table = list(by_category(given_decisions, columns=columns))

    assert max(map(cells_of, table)) <= columns
    assert table[0].split() == ["CATEGORY", "FAULT", "COUNT", "RETRIED", "FAILED"]
    assert sum(int(row.split()[-3]) for row in table[1:-1]) == len(given_decisions)
    assert table[-1].split() == ["all", *(str(n) for n in counted(given_decisions))]


def counted(of: Sequence[Decision]) -> tuple[int, int, int]:
    retried = sum(one.action is VerdictAction.RETRY for one in of)
    return len(of), retried, len(of) - retried


@given(st.integers(40, 200))
def test_prose_fits(columns: int) -> None:
    opening = list(introduction(seconds=3600, columns=columns))
    ending = list(summary(tally([], []), restarts=12, columns=columns))

    assert max(map(len, [*opening, *ending])) <= columns


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
