import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.kube.codec import LINE_LIMIT, LineSplitter, LineTooLong


@given(data=st.data(), text=st.binary(max_size=60) | st.text("a\n\x85\u2028\r", max_size=30).map(str.encode))
def test_how_bytes_are_cut_into_chunks_does_not_matter(data: st.DataObject, text: bytes) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    chunks = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    splitter = LineSplitter()
    got = [line for chunk in chunks for line in splitter.feed(chunk)]
    assert got == [line for line in text.split(b"\n")[:-1] if line], "and what follows the last line break is held back"


def test_only_a_newline_ends_a_line() -> None:
    line = "a\x85b\u2028c\rd".encode()
    assert LineSplitter().feed(line + b"\n") == [line]


def test_a_line_without_end_is_given_up() -> None:
    splitter = LineSplitter()
    for _ in range(LINE_LIMIT >> 20):
        assert splitter.feed(b"x" * (1 << 20)) == []
    with pytest.raises(LineTooLong):
        splitter.feed(b"x")
