import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent.documents.problem import ManifestError, render
from agent.manifests.error_table.load import load_error_table
from agent.manifests.resource.kind import Kind
from agent.manifests.resource.read import load_resource, read_resources
from agent.manifests.resource.write import as_list
from tests.manifests.resource.documents import armadas, policy, queue, rule

TABLE = """\
apiVersion: failure-agent.dev/v1
kind: ErrorTable
rules:
- {RetryError_ID: 1, ErrorSource: pilotErrorCode, ErrorCode: 1305, RetryAction: 3, Parameters: maxAttempt=2}
- {RetryError_ID: 2, ErrorSource: exeErrorCode, ErrorCode: 65, RetryAction: no_retry, Expiration_Date: "2027-01-01"}
"""
BETWEEN = [
    "---\n",
    "--- # next\n",
    "---\r\n",
    "...\n---\n",
    "---\n# nothing\n---\n",
    "---\nnull\n...\n---\n",
    "--- ~\n---\n",
]


def said(text: str, *, only: Kind | None = None) -> str:
    return "\n".join(render(problem) for problem in read_resources(text, file="f.yaml", only=only).problems)


def test_documents_of_all_kinds_keep_their_own_text() -> None:
    texts = [policy("infra", comment="ours"), queue("ml", ["infra"], comment="first"), rule(17), armadas("old")]

    found = read_resources("---\n# begins\n" + "---\n".join(texts) + "---\n# nothing\n...\n", file="f")

    assert found.problems == ()
    assert [(resource.kind, resource.name) for resource in found.resources] == [
        (Kind.RETRY_POLICY, "infra"),
        (Kind.QUEUE, "ml"),
        (Kind.ERROR_RULE, "17"),
        (Kind.RETRY_POLICY, "old"),
    ]
    assert [resource.text for resource in found.resources] == [f"# begins\n{texts[0]}", *texts[1:]]


@given(
    st.permutations([policy("infra", comment="ours"), queue("ml", ["infra"]), rule(17), armadas("old")]),
    st.lists(st.sampled_from(BETWEEN), min_size=3, max_size=3),
)
def test_a_documents_own_text_says_what_it_says_among_others(texts: list[str], between: list[str]) -> None:
    whole = "".join(part for pair in zip(["", *between], texts, strict=True) for part in pair)

    found = read_resources(whole, file="f").value_or_raise()

    assert len(found) == len(texts)
    for resource in found:
        assert load_resource(resource.text, file="f", kind=resource.kind).value == resource.value


@pytest.mark.parametrize("make", [policy, armadas])
def test_each_item_of_a_list_is_read_with_the_lists_version(make: object) -> None:
    texts = [make(name) for name in ("a", "b")]  # type: ignore[operator]  # either of two functions
    there = [load_resource(text, file="f", kind=Kind.RETRY_POLICY) for text in texts]
    version = yaml.safe_load(texts[0])["apiVersion"]

    written = as_list(Kind.RETRY_POLICY, texts, version=version)
    again = read_resources(written, file="f").value_or_raise()

    assert [resource.value for resource in again] == [resource.value for resource in there]
    assert set(yaml.safe_load(written)) == {"apiVersion", "kind", "retryPolicies"}


def test_an_empty_list_is_a_list() -> None:
    written = as_list(Kind.RETRY_POLICY, [], version="armadaproject.io/v1beta1")

    assert yaml.safe_load(written) == {
        "apiVersion": "armadaproject.io/v1beta1",
        "kind": "RetryPolicy",
        "retryPolicies": [],
    }
    assert read_resources(written, file="f").value_or_raise() == ()


def test_each_row_of_an_error_table_is_a_rule() -> None:
    found = read_resources(TABLE, file="f").value_or_raise()

    assert [resource.value for resource in found] == list(load_error_table(TABLE, file="f").rules)
    assert [load_resource(resource.text, file="f", kind=Kind.ERROR_RULE).value for resource in found] == [
        resource.value for resource in found
    ]


def test_what_is_no_rule_of_a_table_is_refused() -> None:
    text = TABLE + "classification: [{ID: 1, Error_Source: a, Error_Code: 1, Error_Diag: x, Error_Class: system}]\n"

    assert "only the rules of an error table are resources, not its `classification`" in said(text)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "f.yaml:1:1: the document is empty"),
        ("kind: Queu\n", "f.yaml:1:7: kind: invalid kind `Queu`"),
        ("name: a\n", "`kind` is required"),
        ("apiVersion: v1\nkind: Queue\n", "f.yaml:1:13: apiVersion: invalid version of a queue"),
        (policy("a") + "---\n" + policy("a"), "the retry policy `a` is given twice; first at line 1"),
        (policy("a").replace("action", "acton"), "did you mean `action`?"),
        ("apiVersion: armadaproject.io/v1\nkind: Queue\nqueues: {}\n", "f.yaml:3:9: queues: expected a list"),
        ("apiVersion: armadaproject.io/v1\nkind: Queue\nqueues: [a]\n", "queues[0]: expected a mapping"),
        ("apiVersion: armadaproject.io/v1\nkind: Queue\nqueues: []\nspec: {}\n", "unknown field `spec`"),
        (
            "apiVersion: armadaproject.io/v1\nkind: Queue\nqueues:\n- {metadata: {name: a}, spec: {x: 1}}\n",
            "f.yaml:4:32: queues[0].spec.x: unknown field `x`",
        ),
        (rule(1).replace("no_retry", "no_retri"), "f.yaml:3:"),
    ],
)
def test_what_is_wrong_is_reported_with_its_place(text: str, problem: str) -> None:
    assert problem in said(text)


def test_a_command_about_one_kind_refuses_others() -> None:
    assert "f.yaml:2:7: kind: kind must be RetryPolicy" in said(queue("q"), only=Kind.RETRY_POLICY)
    with pytest.raises(ManifestError, match="expected one document, found 2"):
        load_resource(policy("a") + "---\n" + policy("b"), file="f", kind=Kind.RETRY_POLICY)
