"""Every reader of JSON with any text: a value, or one of the errors that it promises; never the end of the process."""

import io
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.bounds import OutOfBoundsError
from agent.cluster.admission.review import BadReview, added, read_review, response
from agent.core.admission.conditions import PodCondition
from agent.diagnose.documents import Document, read_documents
from agent.diagnose.documents import Unreadable as UnreadableDocument
from agent.documents.compose import read
from agent.documents.grammar import LABELLED, OBJECT
from agent.json_reader.reader import Reader, read_leniently, read_value
from agent.json_reader.stream import BrokenJsonError, JsonStream
from agent.kube import access, cluster_id, held_pods, lease, objects, pods
from agent.kube.answer import read_answer
from agent.kube.beyond import cut_items, head_of_event, head_of_object
from agent.kube.codec import Codec, Undecodable, Unreadable
from agent.kube.errors import error_of_answer
from agent.kube.lines import LineSplitter
from agent.simulator.listing import read_token
from agent.simulator.status import StatusError
from tests.fuzz.drawn import QUICK, drawn
from tests.fuzz.json_texts import DOCUMENTS, texts

KNOWN = 100
NOW = datetime(2026, 5, 4, tzinfo=UTC)
GIVEN = (PodCondition(type="failure-agent.dev/Infrastructure", reason="gpu"),)
REVIEW = (
    b'{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"u","operation":"UPDATE",'
    b'"resource":{"group":"","version":"v1","resource":"pods"},"subResource":"status","object":%s,"oldObject":null}}'
)
INPUTS = 10_000
CODECS = [Codec(kind) for kind in (objects.Pod, objects.Event, objects.Node, objects.MetadataOnly)]
ANSWERS: tuple[Reader[Any], ...] = (
    lease._LEASE,
    lease._LEASES,
    access._REVIEW,
    cluster_id._NAMESPACE,
    held_pods._PAGES,
    pods._DECODER,
)


def decode_objects(text: bytes) -> None:
    for codec in CODECS:
        assert isinstance(codec.read(text), (codec.kind, Undecodable))


def decode_pages(text: bytes) -> None:
    for codec in CODECS:
        with suppress(Unreadable):
            codec.read_page(text)


def watch(text: bytes) -> None:
    splitter = LineSplitter()
    for line in [*splitter.feed(text), *splitter.feed(b"\n")]:
        for codec in CODECS:
            with suppress(Unreadable):
                codec.read_event(line)


def decode_answers(text: bytes) -> None:
    assert error_of_answer(403, text, retry_after=None, now=None).status == 403  # type: ignore[arg-type]  # not asked
    for reader in ANSWERS:
        with suppress(msgspec.DecodeError):
            read_answer(reader, text)


def look_at_what_is_beyond(text: bytes) -> None:
    head_of_event(text)
    head_of_object(text)
    around, items = cut_items(text)
    assert len(around) + sum(map(len, items)) <= len(text)


def classify(text: bytes) -> None:
    for grammar in (OBJECT, LABELLED):
        assert all(
            isinstance(each, Document | UnreadableDocument)
            for each in read_documents(io.BytesIO(text), grammar=grammar)
        )


def stream(text: bytes) -> None:
    for values in (JsonStream(io.BytesIO(text)).items, JsonStream(io.BytesIO(text)).objects):
        with suppress(BrokenJsonError):
            list(values())


def read_documents_of_people(text: bytes) -> None:
    documents = read(text, file="")
    assert all(problem.file == "" and problem.message for problem in documents.problems)


def read_values(text: bytes) -> None:
    with suppress(OutOfBoundsError, msgspec.DecodeError, UnicodeDecodeError):
        read_value(text)
    with suppress(ValueError):
        read_leniently(text)


def review(text: bytes) -> None:
    for body in (text, REVIEW % text):
        with suppress(BadReview):
            found = read_review(body)
            assert response(found, added(found, GIVEN), NOW)


def read_continue_token(text: bytes) -> None:
    with suppress(StatusError):
        read_token(text.decode("latin-1"))


READERS: Mapping[str, Callable[[bytes], None]] = {
    "objects": decode_objects,
    "pages": decode_pages,
    "watch": watch,
    "answers": decode_answers,
    "beyond": look_at_what_is_beyond,
    "classify": classify,
    "stream": stream,
    "values": read_values,
    "documents": read_documents_of_people,
    "continue tokens": read_continue_token,
    "reviews": review,
}


@pytest.fixture(scope="module")
def known() -> Sequence[bytes]:
    return drawn(DOCUMENTS, KNOWN)


def look(reader: Callable[[bytes], None], known: Sequence[bytes], *, inputs: int) -> None:
    settings(QUICK, max_examples=inputs)(given(text=texts(st.sampled_from(known)))(reader))()


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_any_text(name: str, known: Sequence[bytes]) -> None:
    look(READERS[name], known, inputs=100)


@pytest.mark.long
@pytest.mark.timeout(3600)  # ten thousand inputs
@pytest.mark.parametrize("name", READERS)
def test_ten_thousand_texts(name: str, known: Sequence[bytes]) -> None:
    look(READERS[name], known, inputs=INPUTS)
