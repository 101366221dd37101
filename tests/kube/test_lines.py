from hypothesis import given
from hypothesis import strategies as st

from agent.kube.beyond import HEAD
from agent.kube.lines import LINE_LIMIT, LineSplitter, LongLine


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


def test_a_line_that_is_too_long_keeps_its_beginning_and_the_next_is_whole() -> None:
    splitter = LineSplitter()
    for _ in range(3 * LINE_LIMIT >> 20):
        assert splitter.feed(b"x" * (1 << 20)) == []

    long, after = splitter.feed(b"x\nafter\n")

    assert long == LongLine(head=b"x" * HEAD)
    assert after == b"after"


def test_a_long_line_in_one_chunk_is_cut_as_well() -> None:
    assert LineSplitter().feed(b"y\n" + b"x" * (LINE_LIMIT + 1) + b"\nz\n") == [b"y", LongLine(head=b"x" * HEAD), b"z"]


def test_a_line_as_long_as_the_limit_is_whole() -> None:
    assert LineSplitter().feed(b"x" * LINE_LIMIT + b"\n") == [b"x" * LINE_LIMIT]
