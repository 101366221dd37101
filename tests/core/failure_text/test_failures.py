"""What is said of a failure, by example and by law."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from agent.core.evidence import ContainerState, Pod, StateKind
from agent.core.failure import Failure, Origin, UserCode
from agent.core.failure_text.category import in_words
from agent.core.failure_text.deciding import deciding, last_words, others
from agent.core.failure_text.ending import in_brackets
from agent.core.failure_text.fault import fault, marked_origin, origin_of, whose
from agent.core.failure_text.quoting import LONGEST, line_with, quote
from agent.core.failure_text.step import step
from agent.core.failure_text.times import at, briefly_at, lasted, relative
from agent.core.run_event import CreationFailed
from agent.core.summary.internal import as_failure
from tests.core import strategies
from tests.core.classify.tables import Row
from tests.core.failure_text.rows import failure_of
from tests.tables import table

ROWS: list[Row] = table(Path(__file__).parent / "failures.yaml")


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_what_is_said(row: Row) -> None:
    failure = failure_of(row)

    assert in_words(failure) == row["in_words"]
    assert deciding(failure).marked == row["deciding"]
    assert fault(failure.classification) == row.get("fault", fault(failure.classification))
    assert step(failure) == row.get("step", step(failure))
    assert others(failure) == row.get("others", "")
    assert last_words(failure) == row.get("last_words", last_words(failure))


@pytest.mark.parametrize(
    ("origin", "corroborated", "on_card", "in_table", "in_json"),
    [
        (Origin.USER, None, "user", "user", "the job"),
        (Origin.INFRA, True, "infra", "infra", "the node"),
        (Origin.INFRA, False, "likely infra", "infra?", "likely the node"),
        (Origin.PLATFORM, False, "likely platform", "platform?", "likely the platform"),
        (Origin.UNKNOWN, None, "unknown", "unknown", "not known"),
    ],
)
def test_whose_fault_it_is_has_the_word_of_the_api(
    origin: Origin, *, corroborated: bool | None, on_card: str, in_table: str, in_json: str
) -> None:
    found = replace(failure_of(ROWS[0]).classification, origin=origin, corroborated=corroborated)

    assert (origin_of(found), marked_origin(origin, corroborated=corroborated), fault(found)) == (
        on_card,
        in_table,
        in_json,
    )


def test_a_run_that_was_refused() -> None:
    failure = as_failure(CreationFailed(reason="Forbidden", message="exceeded quota: gpus\nused 8"))

    assert in_words(failure) == "refused before it had a pod (internal/job-creation-failed)"
    assert deciding(failure).marked == "the run was refused (Forbidden): exceeded quota: gpus used 8  [system]"
    assert step(failure) == "correct what the cluster refused"


def of_two(culprit_is_users: bool | None, origin: str) -> Failure:  # noqa: FBT001 - three answers, not a flag
    row: Row = {
        "category": {"name": "it", "origin": origin},
        "rule": {"onExitCodes": {"operator": "In", "values": [1]}},
        "containers": [{"name": "main", "ended": {"exit_code": 1}}, {"name": "proxy"}],
    }
    reason = "the annotation failure-agent.dev/containers lists the submitted containers"
    return replace(failure_of(row), user_code=UserCode(ran=True, culprit_is_users=culprit_is_users, reason=reason))


@pytest.mark.parametrize(
    ("culprit_is_users", "origin", "said"),
    [
        (True, "user", "main is one of the containers you submitted"),
        (True, "unknown", "main is one of the containers you submitted"),
        (True, "infra", ""),
        (True, "platform", ""),
        (False, "platform", "main was added to the pod later; you did not submit it"),
        (None, "user", ""),
    ],
)
def test_the_owner_of_a_container_is_mentioned_where_it_helps(
    culprit_is_users: bool | None,  # noqa: FBT001 - pytest passes by name
    origin: str,
    said: str,
) -> None:
    assert whose(of_two(culprit_is_users, origin)) == said


def test_the_owner_of_a_single_container_is_not_mentioned() -> None:
    failure = of_two(culprit_is_users=True, origin="user")

    assert whose(replace(failure, pod=Pod(containers=failure.pod.containers[:1]))) == ""


@pytest.mark.slow
@given(failure=strategies.failures())
@settings(max_examples=50)
def test_what_is_said_is_never_empty_and_never_a_template(failure: Failure) -> None:
    assert in_words(failure)
    assert deciding(failure).marked
    assert step(failure)
    assert "lists the submitted containers" not in whose(failure)


@given(text=st.text(), before=st.text(), after=st.text())
def test_a_quoted_line_is_bounded_and_one(text: str, before: str, after: str) -> None:
    line = line_with(text, [f"{before}\n{text}{after}"])

    assert len(line) <= LONGEST + 2
    assert "\n" not in line
    assert len(quote(before)) <= LONGEST + 2


def test_what_matched_stays_in_a_line_that_is_cut() -> None:
    line = line_with("needle", [f"{'a ' * 300}needle{' b' * 300}"])

    assert "needle" in line
    assert line.startswith("…")
    assert line.endswith("…")


@pytest.mark.parametrize(
    ("code", "reason", "said"),
    [
        (137, "OOMKilled", " (exit 137, OOMKilled)"),
        (139, "Error", " (exit 139, SIGSEGV)"),
        (1, "Error", " (exit 1)"),
        (None, "", ""),
        (0, "", " (exit 0)"),
    ],
)
def test_an_exit(code: int | None, reason: str, said: str) -> None:
    assert in_brackets(ContainerState(kind=StateKind.TERMINATED, exit_code=code, reason=reason)) == said


NOW = datetime(2026, 11, 21, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (0, "now"),
        (0.4, "now"),
        (-59, "59 s ago"),
        (-300, "5 min ago"),
        (-7_300, "2 h ago"),
        (-260_000, "3 d ago"),
        (90, "in 1 min"),
    ],
)
def test_times_are_relative(seconds: float, said: str) -> None:
    assert relative(NOW + timedelta(seconds=seconds), NOW) == said


@pytest.mark.parametrize(
    ("zone", "whole", "brief"),
    [
        ("UTC", "2026-11-21 23:30:00 UTC", "23:30"),
        ("Europe/Berlin", "2026-11-22 00:30:00 CET", "00:30"),
        ("Asia/Dubai", "2026-11-22 03:30:00 UTC+04:00", "03:30"),
    ],
)
def test_times_are_of_a_zone(zone: str, whole: str, brief: str) -> None:
    assert at(NOW, ZoneInfo(zone)) == whole
    assert briefly_at(NOW, ZoneInfo(zone), now=NOW) == brief


def test_an_earlier_day_is_named() -> None:
    assert briefly_at(NOW - timedelta(days=1), UTC, now=NOW) == "2026-11-20 23:30"


@pytest.mark.parametrize(("seconds", "said"), [(0, "0s"), (4.9, "4s"), (723, "12m 3s"), (7_500, "2h 5m")])
def test_how_long_something_lasted(seconds: float, said: str) -> None:
    assert lasted(seconds) == said
