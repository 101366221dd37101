"""Which limit a pod reached, with its value and what was used."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent.core.failure_text.ending import limit_in_words
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.subject import read_subject
from agent.wire import failure as wire
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).with_name("limits.yaml"))
NOW = datetime(2026, 11, 26, 12, tzinfo=UTC)


@pytest.fixture(scope="module", name="diagnoser")
def a_diagnoser() -> Diagnoser:
    return Diagnoser(classifier=load_classifier(None), redactor=Redactor())


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_the_limit_is_named_with_its_value_and_what_was_used(case: dict[str, Any], diagnoser: Diagnoser) -> None:
    failure = diagnoser.diagnose(read_subject(case["subject"]), now=NOW).failure

    assert failure is not None
    assert limit_in_words(failure) == case["says"]
    assert wire.decode(wire.encode(failure)).limit == failure.limit
