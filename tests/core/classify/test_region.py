"""Where the final region of a text starts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.core.classify.region import CHARACTERS, LINES, MARKERS, final_region, is_short, region_before

TRACE = 'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: 1\n'
CHAINED = "\nDuring handling of the above exception, another exception occurred:\n\n"
STEPS = "".join(f"step {number}\n" for number in range(60))


def region(text: str) -> str:
    return text[len(text) - final_region(text) :]


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("the last traceback", STEPS + TRACE + "retrying\n" + TRACE + "cleanup\n", TRACE + "cleanup\n"),
        ("a chain as a whole", STEPS + TRACE + CHAINED + TRACE, TRACE + CHAINED + TRACE),
        ("the whole line of the marker", f"{STEPS}12:00 [rank3]: {TRACE}", f"12:00 [rank3]: {TRACE}"),
        (
            "ten lines without a marker",
            STEPS + "a\n\n\nb\n",
            "".join(f"step {n}\n" for n in range(52, 60)) + "a\n\n\nb\n",
        ),
        ("a short text", "a\nb", "a\nb"),
        ("nothing", "", ""),
        ("only blank lines", "\n\n\n", "\n\n\n"),
        ("40 lines after a marker far above", TRACE + STEPS, "".join(f"step {n}\n" for n in range(20, 60))),
    ],
)
def test_the_region_is(name: str, text: str, expected: str) -> None:
    assert region(text) == expected, name


def test_two_tracebacks_without_the_phrase_between_them_are_no_chain() -> None:
    assert region(STEPS + TRACE + "\nsomething else\n\n" + TRACE) == TRACE


def test_a_chain_under_prefixes_is_a_chain() -> None:
    text = "".join(f"2026-01-02 [r0] {line}\n" for line in (TRACE + CHAINED + TRACE).splitlines())

    assert region(STEPS + text) == text


def test_a_very_long_line_is_cut() -> None:
    assert len(region("x" * 100_000)) == CHARACTERS
    assert region("panic: a\n" + "x" * 5000 + "\nb\n") == "b\n"


def test_the_report_before_the_last_one_is_added_once() -> None:
    text = STEPS + TRACE + "in between\n" + "fatal error: wrapper\n"
    last = final_region(text)

    assert text[-last:] == "fatal error: wrapper\n"
    assert text[-region_before(text, last) :] == TRACE + "in between\n" + "fatal error: wrapper\n"


def test_without_an_earlier_report_nothing_is_added() -> None:
    text = STEPS + TRACE

    assert region_before(text, final_region(text)) == final_region(text)


PIECES = st.lists(st.sampled_from([*MARKERS, "\n", "\n\n", "x" * 90, "step\n", " ", CHAINED]), max_size=80).map("".join)


@given(PIECES)
def test_a_region_is_within_its_bounds_and_starts_a_line(text: str) -> None:
    found = region(text)

    assert len(found) <= CHARACTERS
    assert len(found.strip("\n").splitlines()) <= LINES
    assert text.endswith(found)
    before = text[: len(text) - len(found)]
    assert not before or before.endswith("\n") or len(found) == CHARACTERS


@given(PIECES, PIECES)
def test_what_stands_far_above_does_not_move_it(head: str, text: str) -> None:
    """Cutting the start of a text off, as bounds do, leaves the region as it is if more than the region is left."""
    far = "panic: there is a marker above in both\n" + "x\n" * LINES

    assert final_region(head + "\n" + far + text) == final_region(far + text)


@given(PIECES)
def test_a_short_text_is_one_region(text: str) -> None:
    if is_short(text) and len(text) <= CHARACTERS and not any(marker in text for marker in MARKERS):
        assert region(text) == text
