"""What the parameters of a request ask, and what is wrong with them."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from msgspec.structs import replace

from agent.core.failure import Detail, DetailKey
from agent.lookout.query.columns import LISTS
from agent.lookout.query.question import Question, read_question
from agent.lookout.query.refusal import Refused
from agent.lookout.store.outlines import outline
from tests.store.events import event, failed
from tests.tables import table

NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)
RANK = Detail(key=DetailKey.RANK, value="7" * 1_000)
LONGEST = [
    *(("reason", "startsWith", 383), ("category", "startsWith", 133), ("container", "startsWith", 383)),
    *(("keyLine", "startsWith", 3_983), ("keyLine", "contains", 3_983)),
]
ASKED = "category=infra/gpu&category=oom&since=24h&sort=-queue"


def asked(name: str, query: str, *, now: datetime = NOW) -> Question:
    return read_question(LISTS[name], parse_qsl(query, keep_blank_values=True), now=now)


@pytest.mark.parametrize("row", table(Path(__file__).with_name("refusals.yaml")), ids=lambda row: str(row["query"]))
def test_what_is_refused_names_the_parameter_and_the_fix(row: dict[str, str]) -> None:
    with pytest.raises(Refused) as refused:
        asked(row["list"], row["query"])

    assert str(refused.value) == row["said"]


def test_all_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Refused) as refused:
        asked("runs", "sort=x&queue=&limit=0&foo=1")

    assert [fault.parameter for fault in refused.value.faults] == ["sort", "limit", "queue", "foo"]


def test_a_cursor_goes_on_with_its_question_and_its_time() -> None:
    first = asked("failures", ASKED)
    cursor = first.cursor(["ml", NOW, "run-1"])
    later = asked("failures", f"{ASKED}&limit=7&count=true&after={cursor}", now=NOW + timedelta(hours=5))

    assert later.after is not None
    assert later.after.keys == ("ml", NOW, "run-1")
    assert (later.since, later.asked_at) == (first.since, NOW)


@pytest.mark.parametrize("other", ["category=oom", f"{ASKED}&node=n", ASKED.replace("24h", "23h"), "sort=queue"])
def test_a_cursor_of_another_question_is_refused(other: str) -> None:
    cursor = asked("failures", ASKED).cursor(["ml", NOW, "run-1"])

    with pytest.raises(Refused, match="after: the cursor is of another question"):
        asked("failures", f"{other}&after={cursor}")


@pytest.mark.parametrize("keys", [["ml"], ["ml", "n", "run-1"], [NOW, NOW, "run-1"], ["\x00", NOW, "x"]])
def test_a_cursor_that_somebody_made_up_is_refused(keys: list[str | datetime]) -> None:
    cursor = asked("failures", ASKED).cursor(keys)

    with pytest.raises(Refused, match="after: that is no cursor"):
        asked("failures", f"{ASKED}&after={cursor}")


def test_a_long_text_is_cut_as_rows_have_it() -> None:
    told = replace(failed(categories=["c" * 200]), termination_reason="r" * 1_000, culprit_container="m" * 500)
    row = outline(event("e1", told), told, amends=None)
    texts = {"reason": "r" * 1_000, "category": "c" * 200, "categories": "c" * 200, "container": "m" * 500}
    question = read_question(LISTS["failures"], texts.items(), now=NOW)
    values = {condition.column.name: condition.value for condition in question.conditions}

    assert (values["reason"], values["container"]) == (row.reason, row.container)
    assert (values["category"].category, values["categories"]) == (row.category, *row.categories)


@pytest.mark.parametrize("row", LONGEST, ids=lambda row: row[0])
def test_the_beginning_of_a_text_is_as_long_as_is_kept_of_every_text(row: tuple[str, str, int]) -> None:
    name, operator, most = row
    (condition,) = asked("failures", f"{name}.{operator}={'x' * most}").conditions
    told = replace(failed(categories=["x" * 5_000]), termination_reason="x" * 5_000, culprit_container="x" * 5_000)
    stored = outline(event("e1", told), told, amends=None)

    if name != "keyLine":
        assert getattr(stored, name).startswith(condition.value)
    with pytest.raises(Refused) as refused:
        asked("failures", f"{name}.{operator}={'x' * (most + 1)}")
    assert str(refused.value) == (
        f"{name}.{operator}: it has {most + 1:,} characters, and of long texts the first {most:,} are kept; "
        f"write at most {most:,}, or with {name} the whole text"
    )


def test_a_detail_is_cut_as_rows_have_it() -> None:
    long = replace(failed(), classification=replace(failed().classification, detail=(RANK,)))
    row = outline(event("e1", long), long, amends=None)
    (condition,) = asked("failures", f"detail=rank={RANK.value}").conditions

    assert {detail.key.value: detail.value for detail in condition.values} == row.detail
