"""Each labelled failure of examples.yaml, judged by the rules there."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest
import yaml

from agent.console.terminal import Palette
from agent.core.classify.classifier import Classifier
from agent.core.summary.redaction import Redactor
from agent.ctl.rule_file import load_classifier
from agent.evaluate.examples import judge, lines
from agent.evaluate.labelled import labelled_failure
from tests.tables import table

TABLE: Final = table(Path(__file__).with_name("examples.yaml"))


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Classifier:
    file = tmp_path_factory.mktemp("rules") / "rules.yaml"
    file.write_text(yaml.safe_dump(TABLE["rules"]))
    return load_classifier(file)


@pytest.mark.parametrize("row", TABLE["rows"], ids=lambda row: row["what"])
def test_an_example_passes_or_says_why_not(row: Mapping[str, Any], classifier: Classifier) -> None:
    failure = labelled_failure({"id": "it", **row["failure"], "labels": row["labels"]}, "line 1")

    *shown, _ = lines([judge(failure, classifier, Redactor())], columns=80, palette=Palette())

    assert shown == row["lines"]


def test_how_many_passed_comes_last(classifier: Classifier) -> None:
    failures = [
        labelled_failure({"id": str(number), **row["failure"], "labels": row["labels"]}, "line 1")
        for number, row in enumerate(TABLE["rows"])
    ]

    *_, last = lines([judge(failure, classifier, Redactor()) for failure in failures], columns=80, palette=Palette())

    assert last == "6 passed, 6 failed"
