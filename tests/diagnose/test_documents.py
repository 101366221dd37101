import io
import json
import re
import tracemalloc
from collections.abc import Callable
from itertools import islice

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from agent.diagnose.documents import Document, Empty, Unreadable, read_documents

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


def test_bad_yaml_is_reported_with_line_and_column() -> None:
    [broken] = read_documents(io.BytesIO(b"kind: Pod\nstatus: a: b\n"))

    assert isinstance(broken, Unreadable)
    assert "line 2, column 10" in broken.problem


def test_an_object_that_cannot_be_used_does_not_hide_the_next() -> None:
    first, bad, last = read_documents(io.BytesIO(b"a: 1\n---\nb: .inf\n---\nc: 010\n"))

    assert (first, last) == (Document(place="document 1", value={"a": 1}), Document(place="document 3", value={"c": 8}))
    assert isinstance(bad, Unreadable)
    assert bad.place == "document 2"
    assert bad.problem == "line 3, column 4: .inf is not a finite number of 64 bits; if it is text, quote it"


def test_an_empty_input_is_reported() -> None:
    [broken] = read_documents(io.BytesIO(b" \n"))

    assert broken == Empty(place="line 1", problem="the input is empty")


def test_a_list_is_read_item_by_item() -> None:
    """The first items are given although the stream breaks off later."""
    endless = io.BytesIO(json.dumps(LIST)[:-40].encode() + b" " * (1 << 20))

    first = list(islice(read_documents(endless), 2))

    assert [document.value for document in first if isinstance(document, Document)] == PODS[:2]


@given(st.binary(max_size=400))
def test_any_bytes_end_in_documents_or_a_reported_problem(data: bytes) -> None:
    assert all(isinstance(document, Document | Unreadable) for document in read_documents(io.BytesIO(data)))


@given(st.text(alphabet="{}[]:,-\"' \nabc0&*!|>%@`#?\t", max_size=200))
def test_any_punctuation_ends_in_documents_or_a_reported_problem(text: str) -> None:
    assert all(isinstance(document, Document | Unreadable) for document in read_documents(io.BytesIO(text.encode())))


DEEP = "[" * 20_000
AS_DEEP_AS_MAY_BE = 98


@pytest.mark.parametrize(
    "text",
    [
        DEEP,
        '{"a":' * 20_000,
        f'{{"items": {DEEP}',
        f'{{"kind": "Pod", "spec": {DEEP}',
        f'{{"kind": "Pod"}}\n{{"kind": "Pod", "spec": {DEEP}\n',
        "- " * 20_000,
        "? " * 20_000,
        f"kind: Pod\nspec: {DEEP}",
    ],
    ids=lambda text: text[:24],
)
def test_deep_nesting_is_reported_and_costs_no_memory(text: str) -> None:
    tracemalloc.start()
    *_, last = read_documents(io.BytesIO(text.encode()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert isinstance(last, Unreadable)
    assert "nested more than 100 levels deep" in last.problem
    assert peak < 20 << 20


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("levels", [AS_DEEP_AS_MAY_BE, AS_DEEP_AS_MAY_BE + 1])
def test_an_object_may_be_a_hundred_levels_deep_in_every_form(form: str, levels: int) -> None:
    whole: object = PODS[0] | {"spec": {"x": json.loads("[" * levels + "]" * levels)}}
    text = {
        "json lines": f"{json.dumps(PODS[1])}\n{json.dumps(whole)}\n",
        "kubectl -o json": json.dumps({"items": [PODS[1], whole]}),
        "a json array": json.dumps([PODS[1], whole]),
        "yaml documents": f"--- {json.dumps(PODS[1])}\n--- {json.dumps(whole)}\n",
        "kubectl -o yaml": f"items:\n- {json.dumps(PODS[1])}\n- {json.dumps(whole)}\n",
    }.get(form, f"{json.dumps(PODS[1], indent=1)}{json.dumps(whole, indent=1)}")

    first, second = read_documents(io.BytesIO(text.encode()))

    assert isinstance(first, Document)
    assert first.value == PODS[1]
    assert isinstance(second, Document if levels == AS_DEEP_AS_MAY_BE else Unreadable), second


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("", ""),
        ("", "\n{}\n"),
        ('[{"a": "', '"}]'),
        ('{"items": [{"a": "', '"}]}'),
        ('{}\n{"a": "', '"}\n'),
        ('{"a": "', '"}'),
    ],
)
def test_an_object_that_is_too_large_is_reported_and_not_held(before: str, after: str) -> None:
    text = f"{before}{'a' * 30_000_000}{after}".encode()
    stream = io.BytesIO(text)
    tracemalloc.start()
    *_, last = (document for document in read_documents(stream) if isinstance(document, Unreadable))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()

    assert isinstance(last, Unreadable)
    assert "larger than 4 MiB" in last.problem
    assert peak < 25 << 20


def test_a_line_after_one_that_is_too_large_is_read() -> None:
    text = b'{"a": 1}\n{"a": "' + b"x" * 9_000_000 + b'"}\n{"a": 3}\n'

    first, bad, last = read_documents(io.BytesIO(text))

    assert first == Document(place="line 1", value={"a": 1})
    assert bad == Unreadable(place="line 2", problem="column 1: the object is larger than 4 MiB; split it")
    assert last == Document(place="line 3", value={"a": 3})


@pytest.mark.parametrize("form", FORMS)
def test_a_stream_has_no_bound(form: str) -> None:
    many = 600
    pods = [{"kind": "Pod", "note": "x" * 10_000, "number": number} for number in range(many)]
    text = {
        "json lines": "\n".join(map(json.dumps, pods)),
        "kubectl -o json": json.dumps({"items": pods}, indent=4),
        "a json array": json.dumps(pods),
        "yaml documents": "".join(f"---\nkind: Pod\nnote: {pod['note']}\n" for pod in pods),
        "kubectl -o yaml": "items:\n" + "".join(f"- kind: Pod\n  note: {pod['note']}\n" for pod in pods),
    }.get(form, "".join(json.dumps(pod, indent=1) for pod in pods))

    assert len(text) > 5 << 20
    assert sum(isinstance(document, Document) for document in read_documents(io.BytesIO(text.encode()))) == many


def test_the_place_of_deep_nesting_is_reported() -> None:
    text = b'[{"a": 1},\n {"a": 2},\n  ' + b"[" * 200

    *read, last = read_documents(io.BytesIO(text))

    assert read == [Document(place="item 1", value={"a": 1}), Document(place="item 2", value={"a": 2})]
    assert last == Unreadable(
        place="after item 2", problem="line 3, column 103: the object is nested more than 100 levels deep"
    )


def test_any_number_of_blanks_before_an_object_is_skipped() -> None:
    assert list(read_documents(io.BytesIO(b" " * 200_000 + b'{"a": 1}'))) == [
        Document(place="document 1", value={"a": 1})
    ]


@pytest.mark.parametrize("form", FORMS)
def test_a_number_that_is_too_long_is_reported_in_every_form(form: str) -> None:
    whole = json.dumps(PODS[0])[:-1]
    long = f'{whole}, "x": {"9" * 4_301}}}'
    text = {
        "json lines": f"{json.dumps(PODS[1])}\n{long}\n",
        "kubectl -o json": f'{{"items": [{json.dumps(PODS[1])}, {long}]}}',
        "a json array": f"[{json.dumps(PODS[1])}, {long}]",
        "yaml documents": f"--- {json.dumps(PODS[1])}\n--- {long}\n",
        "kubectl -o yaml": f"items:\n- {json.dumps(PODS[1])}\n- {long}\n",
    }.get(form, json.dumps(PODS[1], indent=1) + long)

    first, second = read_documents(io.BytesIO(text.encode()))

    assert isinstance(first, Document)
    assert first.value == PODS[1]
    if "yaml" in form:
        # As for the API server, which takes a number that is no number of 64 bits for a text.
        assert second == Document(place=second.place, value=PODS[0] | {"x": "9" * 4_301})
    else:
        assert isinstance(second, Unreadable)
        found = re.fullmatch(
            r"(?:line (\d+), )?column (\d+): the object is unreadable: a number in it has more than 640 digits;"
            r" write it as text",
            second.problem,
        )
        assert found is not None
        line = text.splitlines()[int(found[1] or second.place.removeprefix("line ")) - 1]
        assert line[int(found[2]) - 1 :].startswith("9" * 4_301)


@pytest.mark.parametrize("form", ["%s\n{}\n", "%s", "[%s]", '{"items": [%s]}'])
def test_half_of_a_surrogate_pair_and_a_repeated_key_are_read_in_every_form(form: str) -> None:
    text = form % r'{"a": 1, "a": "x\ud800y"}'

    first, *_ = read_documents(io.BytesIO(text.encode()))

    assert isinstance(first, Document)
    assert first.value == {"a": "x?y"}


@pytest.mark.parametrize(
    ("around", "said"),
    [
        ('{"items": [{}], "b": x}', "line 1, column 22: not JSON: invalid character"),
        ('{"a": 1 "items": [{}]}', "line 1, column 9: not JSON: expected ',' or '}'"),
        ('{"items": [{}]} {}', "line 1, column 18: not JSON: trailing characters"),
        ('{"items": [{}],\n "items": [{}]}', "`items` is given twice, and only the first was read; split the list"),
        ('{"items": [{}], "b": "' + "x" * 5_000_000 + '"}', "the object is larger than 4 MiB; split it"),
        ('{"items": [{}], "b": ' + "9" * 4_301 + "}", "line 1, column 22: the object is unreadable: a number in it"),
        ('{"items": [{}]', "not JSON: it breaks off here"),
        ("[{}]\n[{}]", "line 2, column 1: not JSON: only one list is read, and this follows it"),
        ("[{}]}", "line 1, column 5: not JSON: only one list is read, and this follows it"),
        ("[{}]" + " " * 70_000 + "x", "line 1, column 70005: not JSON: only one list is read, and this follows it"),
    ],
    ids=lambda value: value[:30],
)
def test_the_text_around_a_list_must_be_json(around: str, said: str) -> None:
    first, broken = read_documents(io.BytesIO(around.encode()))

    assert first == Document(place="item 1", value={})
    assert isinstance(broken, Unreadable)
    assert broken.place == "after item 1"
    assert said in broken.problem


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"a: b: c\n", "not YAML: line 1, column 5: mapping values are not allowed in this context"),
        (b'{"kind": "Pod"', "line 1, column 1: not JSON: the object that begins here is not whole"),
        (b"\x00\x01", "not YAML: position 0: a character that YAML does not allow (#x0000)"),
        (b'[{"kind": "Pod"},{', "after item 1: line 1, column 18: not JSON: the object that begins here is not whole"),
        (b"kind: Pod\n---\n\x07", "not YAML: position 14: a character that YAML does not allow (#x0007)"),
    ],
)
def test_what_is_broken_is_said_in_one_line_and_with_a_place_that_there_is(text: bytes, said: str) -> None:
    *_, broken = read_documents(io.BytesIO(text))

    assert isinstance(broken, Unreadable)
    assert str(broken) == said
