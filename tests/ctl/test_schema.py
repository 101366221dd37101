"""``failctl schema``: the schema of each kind of file, for editors."""

import io
import json
from typing import get_args

import pytest

from agent.ctl.main import SchemaName
from agent.ctl.schema import KINDS, run
from agent.manifests.lint import KINDS as LINTED


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_printed(kind: str) -> None:
    out = io.StringIO()
    run(kind, out=out)
    document = json.loads(out.getvalue())

    assert document["title"] == f"failctl {kind}"
    assert all(form["$ref"].removeprefix("#/$defs/") in document["$defs"] for form in document["anyOf"])


def test_every_kind_that_lint_takes_has_a_schema() -> None:
    assert {kind.lower() for kind in LINTED} <= set(KINDS)


def test_the_schema_of_a_job_lists_the_allowed_and_the_required() -> None:
    out = io.StringIO()
    run("job", out=out)
    shapes = json.loads(out.getvalue())["$defs"]

    assert shapes["FailureRuleShape"]["properties"]["action"]["enum"] == ["Count", "FailIndex", "FailJob", "Ignore"]
    assert shapes["JobSpecShape"]["properties"]["completionMode"]["enum"] == ["NonIndexed", "Indexed"]
    assert shapes["JobSpecShape"]["required"] == ["template"]


def test_every_kind_can_be_asked_for_by_name() -> None:
    assert set(get_args(SchemaName)) == set(KINDS)
