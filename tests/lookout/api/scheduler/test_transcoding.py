"""Requests that are no messages are refused with the place and the fix; messages survive the way there and back."""

from http import HTTPMethod

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.lookout.api.problems import MOST_FAULTS, Fault, Problem
from agent.lookout.api.scheduler.methods import METHODS, Method
from agent.lookout.api.scheduler.transcoding import json_of, message_of, open_fields

CANCEL = next(method for method in METHODS if method.rpc == "CancelJobs")
DELETE = next(method for method in METHODS if method.rpc == "DeleteResource")


def faults(method: Method, *, query: list[tuple[str, str]] | None = None, body: bytes = b"") -> list[Fault]:
    with pytest.raises(Problem) as refused:
        message_of(method, path=dict.fromkeys(method.in_path, "x"), query=query or [], body=body)
    assert refused.value.status == 400
    return list(refused.value.faults)


@pytest.mark.parametrize(
    ("body", "path", "words"),
    [
        (b"", "body", "not JSON"),
        (b"[]", "body", "not an object"),
        (b'{"jobIds": ["a"], "reson": ""}', "reson", "did you mean reason?"),
        (b'{"job_ids": ["a"]}', "job_ids", "did you mean jobIds?"),
        (b'{"jobIds": "a"}', "jobIds", "a list, each a text"),
        (b'{"jobIds": [1]}', "jobIds", "a list, each a text"),
        (b'{"reason": {}}', "reason", "a text"),
        (b'{"dryRun": "yes"}', "dryRun", "true or false"),
        (b'{"' + b"x" * 5_000 + b'": 1}', "x" * 200, "there is"),
    ],
)
def test_a_body_that_is_no_request(body: bytes, path: str, words: str) -> None:
    (fault,) = faults(CANCEL, body=body)

    assert fault.path == path
    assert words in f"{fault.message} {fault.fix}"


@pytest.mark.parametrize("method", [method for method in METHODS if method.has_body], ids=lambda method: method.path)
def test_null_is_the_value_of_no_field(method: Method) -> None:
    """As the document says; protobuf's mapping would take it for a field that is not there."""
    fields = list(open_fields(method))
    found = faults(method, body=msgspec.json.encode(dict.fromkeys(fields)))

    assert sorted(str(fault.path) for fault in found) == sorted(fields)
    assert {fault.fix for fault in found} == {"leave it out"}


def test_of_many_fields_that_are_none_the_first_are_named() -> None:
    found = faults(CANCEL, body=msgspec.json.encode({f"x{number}": 1 for number in range(100_000)}))

    assert len(found) == MOST_FAULTS + 1
    assert (found[0].path, f"more than {MOST_FAULTS}" in found[-1].message) == ("x0", True)


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("dryRun", "maybe", "true or false"),
        ("version", "x", "a whole number"),
        ("version", "9" * 40, "a whole number"),
        ("kind", "RESOURCE_KIND_QUEUE", "there is version, detach, allowMissing, dryRun"),
        ("dryRn", "true", "did you mean dryRun?"),
    ],
)
def test_a_parameter_that_is_none(name: str, text: str, words: str) -> None:
    (fault,) = faults(DELETE, query=[(name, text)])

    assert fault.parameter == name
    assert words in f"{fault.message} {fault.fix}"


def test_every_fault_is_named_at_once() -> None:
    found = faults(DELETE, query=[("dryRun", "maybe"), ("a", ""), ("version", "1"), ("version", "2")])

    assert {fault.parameter for fault in found} == {"dryRun", "a", "version"}


def test_a_body_has_no_parameters_beside_it() -> None:
    (fault,) = faults(CANCEL, query=[("dryRun", "true")], body=b'{"jobIds": ["a"]}')

    assert fault.parameter == "dryRun"


@given(job_ids=st.lists(st.text(st.characters(codec="utf-8"))), reason=st.text(st.characters(codec="utf-8")))
def test_what_is_sent_is_what_the_scheduler_gets(job_ids: list[str], reason: str) -> None:
    sent = {"jobIds": job_ids, "reason": reason, "dryRun": True}

    assert json_of(message_of(CANCEL, path={}, query=[], body=msgspec.json.encode(sent))) == sent


def test_parameters_are_read_by_their_types() -> None:
    message = message_of(DELETE, path={"name": "a/b"}, query=[("version", "7"), ("detach", "true")], body=b"")

    assert json_of(message) == {
        "kind": "RESOURCE_KIND_RETRY_POLICY",
        "name": "a/b",
        "version": "7",
        "detach": True,
        "allowMissing": False,
        "dryRun": False,
    }


def named(method: Method, query: list[tuple[str, str]], body: bytes) -> list[Fault] | None:
    """The faults of a request; ``None`` if it is a message."""
    try:
        message_of(method, path=dict.fromkeys(method.in_path, "x"), query=query, body=body)
    except Problem as problem:
        return list(problem.faults)
    return None


@given(body=st.binary(), query=st.lists(st.tuples(st.text(), st.text()), max_size=3))
def test_junk_is_refused_or_a_message(body: bytes, query: list[tuple[str, str]]) -> None:
    for method in METHODS:
        assert named(method, query, body) != []


def test_each_request_leads_to_one_call() -> None:
    requests = [(method.verb, method.path) for method in METHODS]

    assert len(set(requests)) == len(requests)
    assert {method.verb for method in METHODS} == {HTTPMethod.GET, HTTPMethod.POST, HTTPMethod.DELETE}
