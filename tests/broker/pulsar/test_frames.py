import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.broker.pulsar import frames
from agent.broker.pulsar.frames import Command

FIELDS = st.dictionaries(st.integers(1, 1000), st.integers(0, 2**64 - 1) | st.binary(max_size=300), max_size=8)


@given(kind=st.integers(2, 100), fields=FIELDS)
def test_a_command_is_read_as_it_was_written(kind: int, fields: dict[int, int | bytes]) -> None:
    framed = frames.frame(Command(kind, fields))

    assert int.from_bytes(framed[:4]) == len(framed) - 4
    assert frames.command_of(framed[4:]) == Command(kind, fields)


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """A frame of which one byte is another."""
    whole = bytearray(frames.frame(Command(draw(st.integers(2, 100)), draw(FIELDS)))[4:])
    whole[draw(st.integers(0, len(whole) - 1))] = draw(st.integers(0, 255))
    return bytes(whole)


@given(body=st.binary(max_size=60) | damaged())
def test_bytes_that_are_no_frame_are_refused_and_others_are_a_command(body: bytes) -> None:
    try:
        command = frames.command_of(body)
    except ValueError:
        return
    # The fields of a command of this type would be where the type is.
    assert command.kind == 1 or frames.command_of(frames.frame(command)[4:]) == command


@given(fields=FIELDS.filter(bool), cut=st.integers(1, 10))
def test_a_frame_that_ends_too_early_is_never_read_as_whole(fields: dict[int, int | bytes], cut: int) -> None:
    whole = frames.frame(Command(frames.ERROR, fields))[4:]
    size = len(whole) - 4 - cut
    if size < 0:
        return
    shortened = size.to_bytes(4) + whole[4 : 4 + size]

    try:
        assert frames.command_of(shortened) != Command(frames.ERROR, fields)
    except ValueError:
        return


def test_who_we_are_is_said_only_where_there_is_something_to_say() -> None:
    anonymous = frames.command_of(frames.connect(method="", data=b"")[4:])
    known = frames.command_of(frames.connect(method="token", data=b"t")[4:])

    assert (anonymous.kind, set(anonymous.fields)) == (frames.CONNECT, {1, 4})
    assert (known.fields[3], frames.text(known.fields, 5)) == (b"t", "token")


@pytest.mark.parametrize(("fields", "text"), [({3: "grün".encode()}, "grün"), ({}, ""), ({3: b"\xff"}, "\ufffd")])
def test_a_text_is_read_whatever_it_is(fields: dict[int, int | bytes], text: str) -> None:
    assert frames.text(fields, 3) == text
