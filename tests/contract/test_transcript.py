"""Transcripts say what is the same as what, and not what each run names anew."""

from tests.contract.transcript import difference, normalise
from tests.simulator.api import Json

UID = "0b6e4c1e-3c1f-4b4e-9a54-5f7d8a3b2c1{}"


def thing(name: str, *, uid: int, version: str) -> Json:
    return {"metadata": {"name": name, "uid": UID.format(uid), "resourceVersion": version, "managedFields": [1]}}


def exchange(answer: object, *, body: object = None, **query: str) -> Json:
    asked: Json = {"method": "GET", "path": "/api/v1/namespaces/ns-1/pods", "query": query}
    return {"request": asked | ({"body": body} if body is not None else {}), "answer": {"body": answer}}


def test_two_runs_that_differ_in_names_are_one_transcript() -> None:
    first = [exchange({"items": [thing("a", uid=1, version="17")], "metadata": {"resourceVersion": "90"}})]
    again = [exchange({"items": [thing("a", uid=2, version="4")], "metadata": {"resourceVersion": "4"}})]
    assert normalise(first, namespace="ns-1") == normalise(again, namespace="ns-1")


def test_what_is_another_object_or_version_shows() -> None:
    one = [exchange([thing("a", uid=1, version="17"), thing("a", uid=1, version="17")])]
    other = [exchange([thing("a", uid=1, version="17"), thing("a", uid=1, version="18")])]
    third = [exchange([thing("a", uid=1, version="17"), thing("a", uid=2, version="17")])]
    normal = [normalise(each, namespace="ns-1") for each in (one, other, third)]
    assert normal[0] != normal[1] != normal[2] != normal[0]


def test_a_version_that_is_sent_is_known_again_and_one_that_is_asked_for_is_anybodys() -> None:
    made = exchange(thing("a", uid=1, version="17"))
    sent = exchange({}, body={"metadata": {"resourceVersion": "17"}}, resourceVersion="17", limit="17")
    asked = normalise([made, sent], namespace="ns-1")[1]["request"]
    assert asked["body"] == {"metadata": {"resourceVersion": "{version 1}"}}
    assert asked["query"] == {"resourceVersion": "{version}", "limit": "17"}


def test_times_keep_their_grain_and_words_their_sense() -> None:
    body = {
        "creationTimestamp": "2026-01-02T03:04:05Z",
        "renewTime": "2026-01-02T03:04:05.000006Z",
        "message": "too old resource version: 12 (34) in ns-1",
        "exitCode": 137,
    }
    (normal,) = normalise([exchange(body)], namespace="ns-1")
    assert normal["answer"]["body"] == {
        "creationTimestamp": "{time}",
        "renewTime": "{micro time}",
        "message": "too old resource version: {versions} in {namespace}",
        "exitCode": 137,
    }


def test_a_difference_names_both_sides() -> None:
    told = difference("no such scenario", [exchange({"a": 1})], by="a test")
    assert "no such scenario (committed)" in told
    assert "no such scenario (a test)" in told
