"""The conditions that follow from a classification: the table beside this file, and laws."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.admission.conditions import (
    LONGEST_MESSAGE,
    MOST_REPORTED,
    PodCondition,
    Withheld,
    admission_of,
    conditions_of,
)
from agent.core.failure import Admission, Advice, Classification, Grade, Match, Origin, Trust
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE, of_category
from agent.core.summary.redaction import Redactor
from tests.core.strategies import classifications
from tests.tables import table

ROWS = table(Path(__file__).parent / "conditions.yaml")
REDACT = Redactor().redact


def classification_of(row: dict[str, Any]) -> Classification:
    category = row.get("category", "gpu")
    grade, advice = row.get("grade", "proven"), row.get("advice")
    match = Match(
        category=category,
        rule_index=0,
        matcher="onPodError",
        where="pod: error",
        text="no healthy devices present",
        trust=Trust(row.get("trust", "system")),
    )
    return Classification(
        category=category,
        origin=Origin(row.get("origin", "unknown")),
        advice=None if advice is None else Advice(advice),
        grade=None if grade is None else Grade(grade),
        matched=row.get("matched", True),
        matches=(match,) if row.get("matched", True) else (),
    )


def said(text: str, *, where: str = "pod: error") -> PodCondition:
    match = Match(category="gpu", rule_index=0, matcher="onPodError", where=where, text=text, trust=Trust.SYSTEM)
    proven = Classification(
        category="gpu", origin=Origin.INFRA, advice=Advice.ELSEWHERE, grade=Grade.PROVEN, matched=True, matches=(match,)
    )
    got = conditions_of(proven, asking=(), redact=REDACT)
    assert not isinstance(got, Withheld)
    (condition,) = got
    return condition


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_conditions_of(row: dict[str, Any]) -> None:
    found = classification_of(row["given"])

    got = conditions_of(found, asking={found.category} if row["given"].get("asks") else (), redact=REDACT)

    if "why" in row:
        assert got is Withheld(row["why"])
    else:
        assert not isinstance(got, Withheld)
        assert [condition.type for condition in got] == row["types"]
        assert {condition.reason for condition in got} == {"gpu"}
        assert {condition.message for condition in got} == {"pod: error: no healthy devices present"}


def test_a_secret_in_the_fact_is_redacted_before_the_message_is_cut() -> None:
    secret = "hunter2-" * 40

    assert said(f"{'x' * 200} password={secret}").message == f"pod: error: {'x' * 200} password=[redacted]"


def test_the_message_is_one_line_of_bounded_length() -> None:
    assert said("a\nb\tc").message == "pod: error: a b c"
    assert said("é" * 5_000).message == f"pod: error: {'é' * (LONGEST_MESSAGE - 13)}…"
    assert said("", where="pod: reason NodeLost").message == "pod: reason NodeLost"


@given(found=classifications(st.text(max_size=300)), asks=st.booleans())
def test_only_what_is_proven_gives_conditions_and_never_both_kinds(found: Classification, *, asks: bool) -> None:
    got = conditions_of(found, asking={found.category} if asks else (), redact=REDACT)

    if not isinstance(got, Withheld):
        types = {condition.type for condition in got}
        assert found.grade is Grade.PROVEN
        assert types
        assert not types >= {HOPELESS, INFRASTRUCTURE}
        assert INFRASTRUCTURE not in types or found.matches[0].trust is Trust.SYSTEM
        assert all(len(condition.message) <= LONGEST_MESSAGE for condition in got)


def reported(types: set[str], *, shadow: bool = False, **row: object) -> Admission | None:
    return admission_of(types, classification_of({"origin": "infra", "advice": "elsewhere", **row}), shadow=shadow)


def test_a_report_names_the_conditions_and_those_that_it_does_not_agree_with() -> None:
    both = {INFRASTRUCTURE, of_category("gpu")}
    named = tuple(sorted(both))

    assert reported(both) == Admission(conditions=named)
    assert reported(both, shadow=True) == Admission(conditions=named, shadow=True)
    assert reported(both, category="node") == Admission(conditions=named, disagreeing=(of_category("gpu"),))
    assert reported(both, grade="likely") == Admission(conditions=named, disagreeing=named)
    assert reported({HOPELESS}) == Admission(conditions=(HOPELESS,), disagreeing=(HOPELESS,))
    assert reported(set()) is None


def test_a_report_leaves_out_what_the_agent_never_gives_and_is_bounded() -> None:
    invented = {"failure-agent.dev/Odd", of_category("not a name"), of_category("x" * 64), "DisruptionTarget"}
    many = {of_category(f"c{number}") for number in range(100)}

    assert reported(invented) is None
    assert len((reported(many) or Admission(conditions=())).conditions) == MOST_REPORTED
