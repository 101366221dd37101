"""Rewritten texts: only lines are added, whatever the style, and nothing is said differently."""

import difflib
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.suggestion.change import Change, Put
from agent.core.suggestion.job import suggest_job
from agent.documents.dump import dump
from agent.manifests.suggestion.rewrite import NotRewritableError, rewritten
from agent.manifests.suggestion.workloads import Workloads, read_workloads
from tests.core.suggestion.drawn import documents

PLAIN = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  # how many
  completions: 10
  parallelism: 2   # at a time
  template:
    spec:
      restartPolicy: Never
      containers:
      # the program
      - name: main
        image: 'train:1'
        args: ["--rate", 0x10, 010, 1e3, yes, 2026-01-01]   # as written
# the end
"""
INDENTED = """\
---
# a Service and a Job
apiVersion: v1
kind: Service
metadata: {name: workers}
---
apiVersion: batch/v1
kind: Job
metadata:
    name: train
spec:
    # the pods
    template:
        spec:
            restartPolicy: Never
            containers:
              - name: main
                image: train:1
                command: [sh, -c, 'echo  "a   b"']
                env:
                  - name: LONG
                    value: |
                        two
                          lines
"""
WITH_RULES = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  podReplacementPolicy: Failed
  podFailurePolicy:
    rules:
    # bad input is never tried again
    - action: FailJob
      onExitCodes: {operator: In, values: [42]}
    # and this counts
    - action: Count
      onExitCodes: {operator: NotIn, values: [42]}
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train}]
"""


def content(text: str) -> Workloads:
    return read_workloads(text, file="job.yaml")


def result(text: str) -> str:
    read = content(text)
    changes = {
        workload.number: suggest_job(workload.content, services=read.services).suggestion.changes
        for workload in read.workloads
    }
    return rewritten(text, read.documents, changes)


def differences(before: str, after: str) -> Sequence[str]:
    return [line for line in difflib.ndiff(before.splitlines(), after.splitlines()) if not line.startswith("  ")]


@pytest.mark.parametrize("text", [PLAIN, INDENTED, WITH_RULES], ids=["plain", "indented", "with rules"])
def test_lines_are_only_added(text: str) -> None:
    changed = differences(text, result(text))

    assert len(changed) > 10
    assert [line for line in changed if not line.startswith("+ ")] == []


def test_comments_stay_with_what_they_are_about() -> None:
    lines = result(WITH_RULES).splitlines()
    assert lines[lines.index("    # bad input is never tried again") + 1] == "    - action: FailJob"
    assert lines.index("    # bad input is never tried again") > lines.index("      - type: DisruptionTarget")
    lines = result(INDENTED).splitlines()
    assert lines[lines.index("    # the pods") - 1] == "spec:"


def test_new_fields_stand_before_the_template_where_no_comment_is_between() -> None:
    fields = [line.strip() for line in result(PLAIN).splitlines() if line.startswith("  ") and line[2].isalpha()]

    assert [field.partition(":")[0] for field in fields] == [
        "completions",
        "parallelism",
        "podReplacementPolicy",
        "podFailurePolicy",
        "template",
    ]


def test_json_is_rewritten() -> None:
    text = (
        '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a"}, "spec": {"template": {"spec": '
        '{"restartPolicy": "Never", "containers": [{"name": "main", "image": "b"}]}}}}'
    )
    assert "Infrastructure" in result(text)


def test_equal_templates_that_an_alias_shares_are_changed_once() -> None:
    text = """\
apiVersion: batch/v1
kind: Job
metadata: {name: train}
spec:
  template:
    metadata: &shared {labels: {a: b}}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, env: *shared}]
"""
    read = content(text.replace("env: *shared", "image2: x"))
    changes: list[Change] = [Put(at=("spec", "template", "metadata", "labels"), value={"a": "c"}, why="")]
    assert "a: c" in rewritten(text.replace("env: *shared", "image2: x"), read.documents, {0: changes})
    read = content(text)
    with pytest.raises(NotRewritableError, match="write its aliases, merges and tags out"):
        rewritten(text, read.documents, {0: changes})


def test_a_text_that_ruamel_reads_otherwise_is_refused() -> None:
    with pytest.raises(NotRewritableError):
        result(PLAIN.replace("spec:\n  # how", "!!str spec:\n  # how"))


def test_without_changes_the_text_stays_as_it_is() -> None:
    text = "kind:   Job\n"

    assert rewritten(text, ({"kind": "Job"},), {0: ()}) == text


@given(documents(), st.sampled_from((1, 80)))
def test_any_job_is_rewritten_once(document: dict[str, object], width: int) -> None:
    first = result(dump(document, width=width))

    assert result(first) == first
