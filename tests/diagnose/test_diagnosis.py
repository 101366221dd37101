from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.core.failure import Admission
from agent.core.failure_text.category import leaf
from agent.core.identity.conditions import HOPELESS, INFRASTRUCTURE
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier, load_rules
from agent.diagnose.diagnosis import Diagnoser, State
from agent.diagnose.subject import read_subject
from agent.observe.waiting.wait import NotKnown, Waiting
from tests.tables import table

Row = dict[str, Any]
ROWS: list[Row] = table(Path(__file__).with_name("states.yaml"))
NOW = datetime(2026, 2, 1, tzinfo=UTC)


@pytest.fixture(name="diagnoser", scope="module")
def a_diagnoser() -> Diagnoser:
    return Diagnoser(classifier=load_classifier(None), redactor=Redactor())


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_a_subject_has_one_state(diagnoser: Diagnoser, row: Row) -> None:
    diagnosis = diagnoser.diagnose(read_subject(row["subject"]), now=NOW)

    assert diagnosis.state == row["state"]
    if "why" in row:
        assert isinstance(diagnosis.wait, NotKnown)
        assert diagnosis.wait.why == row["why"]
    if row["state"] == "failed":
        assert (diagnosis.wait is None) == ("kind" not in row)
    if "kind" in row:
        assert isinstance(diagnosis.wait, Waiting)
        assert diagnosis.wait.kind == row["kind"]
    if "occurrence" in row:
        assert diagnosis.failure is not None
        assert diagnosis.failure.occurrence == row["occurrence"]
    if "leaf" in row:
        assert diagnosis.failure is not None
        found = diagnosis.failure.classification
        assert leaf(found.category, found.subcategory) == row["leaf"]


@pytest.mark.parametrize("row", [row for row in ROWS if row["state"] != "failed"], ids=lambda row: row["name"])
def test_rules_are_explained_of_what_has_not_failed(row: Row) -> None:
    explaining = Diagnoser(classifier=load_classifier(None), redactor=Redactor(), explain=True)

    diagnosis = explaining.diagnose(read_subject(row["subject"]), now=NOW)

    assert len(diagnosis.considerations) == sum(len(category.rules) for category in load_rules(None).categories)


def test_every_state_has_a_row() -> None:
    assert {row["state"] for row in ROWS} == set(State)


def test_a_pod_that_got_conditions_is_shown_with_those_that_do_not_follow(diagnoser: Diagnoser) -> None:
    conditions = [{"type": kind, "status": "True"} for kind in (HOPELESS, INFRASTRUCTURE)]
    status = {"phase": "Failed", "reason": "OutOfcpu", "conditions": conditions}
    pod = {"kind": "Pod", "spec": {"containers": [{"name": "main"}]}, "status": status}

    failure = diagnoser.diagnose(read_subject(pod), now=NOW).failure

    assert failure is not None
    assert failure.admission == Admission(conditions=(HOPELESS, INFRASTRUCTURE), disagreeing=(HOPELESS,))
