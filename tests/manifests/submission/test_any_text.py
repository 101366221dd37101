"""Laws: no text makes the reader of submitted jobs fail, and what it says is placed."""

import json
import unicodedata
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from agent.documents.problem import errors_of, render
from agent.documents.source import decode
from agent.manifests.submission.pod_fields import pod_types
from agent.manifests.submission.read import read_submissions
from tests.manifests.documents import BYTES, LOOKALIKES
from tests.manifests.holds import UNSAFE

FIELDS = st.sampled_from(sorted({field for fields in pod_types().values() for field in fields}))
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=5) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(FIELDS | st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
NAMES = st.sampled_from(["a", "B", "team/a", "", "x" * 70, "armadaproject.io/gangId", "failure-agent.dev/job"])
METADATA = st.fixed_dictionaries(
    {"name": NAMES | VALUES},
    optional={
        "namespace": NAMES,
        "labels": st.dictionaries(NAMES, NAMES | VALUES, max_size=2),
        "ownerReferences": VALUES,
    },
)
SPECS = st.dictionaries(FIELDS, VALUES, max_size=4)
PODS = st.fixed_dictionaries({"apiVersion": st.just("v1"), "kind": st.just("Pod"), "metadata": METADATA, "spec": SPECS})
JOBS = st.fixed_dictionaries(
    {"queue": NAMES | VALUES, "jobSetId": NAMES | VALUES},
    optional={
        "jobs": st.lists(
            st.fixed_dictionaries(
                {"namespace": NAMES},
                optional={
                    "clientId": NAMES,
                    "priority": VALUES,
                    "podSpec": SPECS | VALUES,
                    "podSpecs": st.lists(SPECS, max_size=2) | VALUES,
                    "services": VALUES,
                },
            ),
            max_size=3,
        )
        | VALUES
    },
)


def holds(text: str | bytes) -> None:
    """A text gives jobs or errors; each problem is within the text and harmless on a terminal."""
    read = read_submissions(text, file="f.yaml", queue="ml")
    source, _ = decode(text, file="f.yaml")

    assert read.jobs or errors_of(read.problems)
    for problem in read.problems:
        assert problem.excerpt == source.line(problem.line)
        assert 1 <= problem.column <= len(problem.excerpt) + 1
        assert not [char for char in render(problem).replace("\n", "") if unicodedata.category(char) in UNSAFE]
    if not errors_of(read.problems):
        assert len({job.submission.digest for job in read.jobs}) > 0


@given(LOOKALIKES | BYTES)
def test_of_a_text_that_looks_like_yaml_and_of_any_bytes(text: str | bytes) -> None:
    holds(text)


@given(PODS)
def test_of_a_pod_with_anything_in_it(pod: dict[str, Any]) -> None:
    holds(json.dumps(pod))


@given(JOBS)
def test_of_a_jobs_file_with_anything_in_it(jobs: dict[str, Any]) -> None:
    holds(json.dumps(jobs))
