"""The text of a document: bounded, decoded, and split into lines as YAML splits them."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from agent.bounds import MAX_BYTES, TOO_LARGE
from agent.documents.node import Span
from agent.documents.problem import Problem, Severity

# The line breaks of YAML; they are not those of str.splitlines.
_BREAK = re.compile(r"\r\n|[\n\r\x85\u2028\u2029]")
# Everything but the printable characters of YAML 1.2.2, section 5.1. libyaml's own error for these has no mark.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")


class Source:
    """A document's text and the name of its file. ``text`` has no byte order mark."""

    def __init__(self, text: str, *, file: str) -> None:
        self.text = text.removeprefix("\ufeff")
        self.file = file
        # Arrays, because a text may be nothing but line breaks.
        self._starts = array("L", (0,))
        self._ends = array("L")
        for found in _BREAK.finditer(self.text):
            self._ends.append(found.start())
            self._starts.append(found.end())
        self._ends.append(len(self.text))
        self._lines: dict[int, str] = {}

    def span(self, start: int, end: int | None = None) -> Span:
        """Return the position of the characters from ``start``; the length ends with the line."""
        row = bisect_right(self._starts, start) - 1
        stop = min(start + 1 if end is None else end, self._ends[row])
        return Span(line=row + 1, column=start - self._starts[row] + 1, length=max(1, stop - start))

    def line(self, number: int) -> str:
        """Return the line of this number, from 1; cached, because one line may have many problems."""
        if number not in self._lines:
            self._lines[number] = self.text[self._starts[number - 1] : self._ends[number - 1]]
        return self._lines[number]

    def index(self, span: Span) -> int:
        """Return the position in the text at which a span starts."""
        return self._starts[span.line - 1] + span.column - 1

    def problem(self, fault: "Fault") -> Problem:
        """Return the fault as a problem of this file."""
        return Problem(
            code=fault.code,
            file=self.file,
            line=fault.span.line,
            column=fault.span.column,
            length=fault.span.length,
            path=fault.path,
            message=fault.message,
            hint=fault.hint,
            excerpt=self.line(fault.span.line),
            severity=fault.severity,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """A problem that has a position but no file yet."""

    code: str
    span: Span
    message: str
    path: str = ""
    hint: str = ""
    severity: Severity = Severity.ERROR


def read_file(file: Path) -> bytes:
    """Return the bytes of a file; of one that is too large, only enough to notice it. Raises OSError."""
    with file.open("rb") as stream:
        return stream.read(MAX_BYTES + 1)


def decode(text: str | bytes, *, file: str) -> tuple[Source, tuple[Problem, ...]]:
    """Return the source and the faults that prevent reading it: size, encoding, control characters.

    The source of an unreadable text is the readable part, for the excerpts.
    """
    decoded, fault = (text, None) if isinstance(text, str) else _from_utf8(text)
    # The length in characters is a lower bound of that in bytes, and spares encoding a huge text.
    if len(decoded) > MAX_BYTES or len(decoded.encode(errors="surrogatepass")) > MAX_BYTES:
        source = Source("", file=file)
        return source, (source.problem(_too_large()),)
    source = Source(decoded, file=file)
    faults = [fault(source)] if fault else list(_forbidden(source))
    return source, tuple(source.problem(fault) for fault in faults)


class _NotUtf8:
    """The place at which bytes stop being UTF-8."""

    def __init__(self, error: UnicodeDecodeError, *, hint: str) -> None:
        self._error = error
        self._hint = hint

    def __call__(self, source: Source) -> Fault:
        readable = self._error.object[: self._error.start].decode().removeprefix("\ufeff")
        byte = self._error.object[self._error.start]
        message = f"not UTF-8: {self._error.reason} (0x{byte:02x})"
        return Fault(code="not-utf-8", span=source.span(len(readable)), message=message, hint=self._hint)


def _from_utf8(data: bytes) -> tuple[str, _NotUtf8 | None]:
    try:
        return data.decode(), None
    except UnicodeDecodeError as error:
        looks_wide = data.startswith(_UTF_16)
        hint = "this looks like UTF-16; save the file as UTF-8" if looks_wide else "save the file as UTF-8"
        return data.decode(errors="replace"), _NotUtf8(error, hint=hint)


def _too_large() -> Fault:
    span = Span(line=1, column=1)
    return Fault(
        code="too-large", span=span, message=f"the document is {TOO_LARGE}", hint="split it into several files"
    )


def _forbidden(source: Source) -> Iterator[Fault]:
    first = _FORBIDDEN.search(source.text)
    if not first:
        return
    code = ord(first.group())
    if 0xD800 <= code <= 0xDFFF:  # noqa: PLR2004 - the surrogates
        yield Fault(code="not-utf-8", span=source.span(first.start()), message=f"lone surrogate U+{code:04X}")
        return
    more = sum(1 for _ in _FORBIDDEN.finditer(source.text, first.end()))
    rest = f", and {more} more like it" if more else ""
    message = f"the character U+{code:04X} is not allowed in a document{rest}"
    hint = r"in a pattern, write it as an escape of the regular expression, like \x1b"
    yield Fault(code="control-character", span=source.span(first.start()), message=message, hint=hint)
