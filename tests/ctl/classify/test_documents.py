import io
import json
from collections.abc import Callable
from itertools import islice

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent.ctl.classify.documents import Document, Unreadable, read_documents

PODS = [{"kind": "Pod", "metadata": {"name": f"p{number}"}, "status": {"phase": "Failed"}} for number in range(3)]
LIST = {"apiVersion": "v1", "items": PODS, "kind": "List", "metadata": {}}

FORMS: dict[str, bytes] = {
    "json lines": "\n".join(json.dumps(pod) for pod in PODS).encode(),
    "json objects one after the other": "".join(json.dumps(pod, indent=1) for pod in PODS).encode(),
    "kubectl -o json": json.dumps(LIST, indent=4).encode(),
    "a list on one line": json.dumps(LIST).encode(),
    "a list with metadata first": json.dumps({"kind": "PodList", "metadata": {}, "items": PODS}).encode(),
    "a json array": json.dumps(PODS).encode(),
    "yaml documents": yaml.safe_dump_all(PODS).encode(),
    "kubectl -o yaml": yaml.safe_dump(LIST).encode(),
    "a byte order mark": b"\xef\xbb\xbf" + json.dumps(PODS).encode(),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_objects(form: str) -> None:
    documents = list(read_documents(io.BytesIO(FORMS[form])))

    assert [document.value for document in documents if isinstance(document, Document)] == PODS
    assert len(documents) == len(PODS)


@pytest.mark.parametrize("dump", [json.dumps, yaml.safe_dump])
def test_one_object_is_one_document(dump: Callable[[object], str]) -> None:
    documents = list(read_documents(io.BytesIO(dump(PODS[0]).encode())))

    assert [document.value for document in documents if isinstance(document, Document)] == [PODS[0]]


def test_a_bad_line_does_not_hide_the_next() -> None:
    text = f"{json.dumps(PODS[0])}\n{{bad\n{json.dumps(PODS[1])}\n".encode()

    first, bad, last = read_documents(io.BytesIO(text))

    assert isinstance(first, Document)
    assert isinstance(bad, Unreadable)
    assert bad.place == "line 2"
    assert isinstance(last, Document)
    assert last.place == "line 3"


def test_a_list_that_breaks_off_gives_what_came_before_and_says_so() -> None:
    *read, broken = read_documents(io.BytesIO(json.dumps(LIST).encode()[:-120]))

    assert read
    assert isinstance(broken, Unreadable)
    assert broken.place == f"after item {len(read)}"


def test_bad_yaml_is_told_with_line_and_column() -> None:
    [broken] = read_documents(io.BytesIO(b"kind: Pod\nstatus: a: b\n"))

    assert isinstance(broken, Unreadable)
    assert "line 2, column 10" in broken.problem


def test_an_object_that_cannot_be_used_does_not_hide_the_next() -> None:
    first, bad, last = read_documents(io.BytesIO(b"a: 1\n---\nb: .inf\n---\nc: 010\n"))

    assert (first, last) == (Document(place="document 1", value={"a": 1}), Document(place="document 3", value={"c": 8}))
    assert isinstance(bad, Unreadable)
    assert bad.place == "document 2"
    assert bad.problem == "line 3, column 4: .inf is not a finite number of 64 bits; if it is text, quote it"


def test_an_empty_input_is_told() -> None:
    [broken] = read_documents(io.BytesIO(b" \n"))

    assert broken == Unreadable(place="line 1", problem="the input is empty")


def test_a_list_is_read_item_by_item() -> None:
    """The first items are given although the rest of the stream was never there."""
    endless = io.BytesIO(json.dumps(LIST)[:-40].encode() + b" " * (1 << 20))

    first = list(islice(read_documents(endless), 2))

    assert [document.value for document in first if isinstance(document, Document)] == PODS[:2]


@given(st.binary(max_size=400))
def test_any_bytes_end_in_documents_or_a_told_problem(data: bytes) -> None:
    assert all(isinstance(document, Document | Unreadable) for document in read_documents(io.BytesIO(data)))


@given(st.text(alphabet="{}[]:,-\"' \nabc0&*!|>%@`#?\t", max_size=200))
def test_any_punctuation_ends_in_documents_or_a_told_problem(text: str) -> None:
    assert all(isinstance(each, Document | Unreadable) for each in read_documents(io.BytesIO(text.encode())))
