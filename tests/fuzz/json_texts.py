"""JSON to try readers with: real objects, and in them what ends a parser, or what parsers read in different ways."""

import json

from hypothesis import strategies as st

from tests.fuzz.drawn import damaged
from tests.fuzz.pods import EVENTS, NODES, PODS

HOSTILE = st.sampled_from(
    [
        *(
            sign + b"9" * digits + rest
            for sign in (b"", b"-")
            for digits in (640, 641, 4_301)
            for rest in (b"", b".5", b"e9")
        ),
        *(b"1e400 -1e-400 1E+9999999999 NaN -Infinity 1_000 01 0x10 18446744073709551616".split()),
        *(opening * levels for opening in (b"[", b'{"a":') for levels in (99, 101, 1_100, 50_000)),
        *(
            b'"' + escape + b'"'
            for escape in (rb"\ud800", rb"\udc00", rb"\ud83d\ude00", rb"\u0000", rb"\x", b"\\" * 99)
        ),
        *(
            b'"' + raw + b'"'
            for raw in (b"\x00", b"\xff", b"\xed\xa0\x80", b"\xc0\xaf", b"\xf4\x90\x80\x80", b"9" * 5_000)
        ),
        *(
            b"\x00",
            b"\xef\xbb\xbf",
            b"\xff\xfe",
            b'"',
            b"\\",
            b"/* */",
            b"// x\n",
            b",,",
            b"{}",
            b"[]",
            b"\x0b",
            b"\xc2\x85",
        ),
        *(b'"items":[{"kind":"Pod"},', b'"metadata":{"uid":"u"},', b'"a":1,"a":2,', b'"type":"ADDED","object":{'),
    ]
)


@st.composite
def _hostile(draw: st.DrawFn, payloads: st.SearchStrategy[bytes]) -> bytes:
    """A text with something hostile in place of a value, a part left out, or its end missing."""
    text = draw(payloads)
    for _ in range(draw(st.integers(0, 3))):
        at = draw(st.integers(0, len(text)))
        # In place of what follows, or before it, as a value of its own where one may stand.
        at = max(at, text.find(b":", at) + 1)
        text = text[:at] + draw(HOSTILE) + draw(st.sampled_from([b"", b","])) + text[at + draw(st.integers(0, 9)) :]
    return text[: draw(st.integers(0, len(text)))] if draw(st.integers(0, 5)) == 0 else text


def _written(values: st.SearchStrategy[object]) -> st.SearchStrategy[bytes]:
    return st.builds(
        lambda value, indent: json.dumps(value, indent=indent).encode(), values, st.sampled_from([None, 1])
    )


OBJECTS = PODS | EVENTS | NODES
LISTS = st.fixed_dictionaries(
    {"kind": st.just("List"), "items": st.lists(OBJECTS, max_size=3), "metadata": st.just({})}
)
LINES = st.fixed_dictionaries({"type": st.sampled_from(["ADDED", "DELETED", "BOOKMARK", "ERROR"]), "object": OBJECTS})
DOCUMENTS = _written(OBJECTS | LISTS | LINES | st.lists(OBJECTS, max_size=3))


def texts(documents: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Texts to be read: one or several of these, in some encoding."""
    several = st.builds(
        lambda many, between: between.join(many),
        st.lists(damaged(_hostile(documents)), min_size=1, max_size=3),
        st.sampled_from([b"\n", b"", b" ", b"\n---\n", b","]),
    )
    return st.builds(_encoded, several, st.sampled_from(["utf-8"] * 9 + ["utf-16", "utf-8-sig"]))


def _encoded(text: bytes, code: str) -> bytes:
    return text if code == "utf-8" else text.decode(errors="replace").encode(code)
