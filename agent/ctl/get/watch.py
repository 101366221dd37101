"""``failctl get --watch``: a list that is shown again when it has changed, or what changed in it, for programs."""

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, NoReturn, TextIO

from agent.console.exits import Exit, UsageError
from agent.console.guard import unguarded
from agent.console.terminal import fit, palette, width
from agent.ctl.asked import for_lists
from agent.ctl.get.output import NAMES, Output
from agent.ctl.get.pace import Pace, paced
from agent.ctl.get.pages import collected
from agent.ctl.get.request import GetRequest
from agent.ctl.reading import open_reading
from agent.store.records.port import AnyRecord, FailureRecord, Records

Clock = Callable[[], datetime]

_HOME, _REST_OF_LINE, _REST = "\x1b[H", "\x1b[K", "\x1b[J"


def run(request: GetRequest, *, environ: Mapping[str, str], clock: Clock, out: TextIO, err: TextIO) -> Exit:
    """Watch until Ctrl-C. Raises UsageError, UnreachableError, and BrokenPipeError once nobody reads the output."""
    if request.output == "json":
        raise UsageError("-o json is one document, and --watch has no end; use -o jsonl")
    if request.after is not None:
        raise UsageError("--watch begins with the newest, and --after goes on with a list; give one of them")
    asked = for_lists(request.where, request.server, environ, err=err)
    try:
        with open_reading(asked, environ) as reading, paced(out, asked.lookout) as pace:
            _watch(request, reading.records, pace, clock=clock, out=out)
    except KeyboardInterrupt:
        return Exit.FINE


def _watch(request: GetRequest, records: Records, pace: Pace, *, clock: Clock, out: TextIO) -> NoReturn:
    """Ask again and again. Raises the errors of ``records``, KeyboardInterrupt and BrokenPipeError."""
    on_screen = out.isatty() and request.output in ("table", "wide")
    show = Screen(request, out).show if on_screen else Stream(request, out).show
    part, seen = request.part(clock()), Seen(request.kind)
    while True:
        began = time.monotonic()
        enough = None if on_screen or request.sort is not None else seen.reaches
        found, after = collected(records, request.wanted, part, request.limit, enough=enough)
        changed = seen.changed(found)
        show(found, changed, records, more=after is not None, now=clock())
        out.flush()
        pace.wait(time.monotonic() - began)


class Seen:
    """The records of the last answer, by what names them."""

    def __init__(self, kind: str) -> None:
        self._kind: Final = kind
        self._last: dict[str, AnyRecord] | None = None

    def reaches(self, found: Sequence[AnyRecord]) -> bool:
        """Whether an answer goes back to what was seen, so that nothing between was missed."""
        return self._last is None or any(self._name(record) in self._last for record in found)

    def changed(self, found: Sequence[AnyRecord]) -> Sequence[AnyRecord]:
        """The records that are new or other than in the last answer; all of the first."""
        last, self._last = self._last or {}, {self._name(record): record for record in found}
        return [record for record in found if last.get(self._name(record)) != record]

    def _name(self, record: AnyRecord) -> str:
        event = record.event_id if isinstance(record, FailureRecord) else ""
        return event or str(getattr(record, NAMES[self._kind]))


@dataclass(frozen=True, slots=True)
class Screen:
    """Shows the list on a terminal, over the one that was there."""

    request: GetRequest
    out: TextIO

    def show(
        self, found: Sequence[AnyRecord], changed: Sequence[AnyRecord], records: Records, *, more: bool, now: datetime
    ) -> None:
        """Write as many rows as the terminal has lines for."""
        del changed
        output = Output(kind=self.request.kind, form=self.request.output, unfold=self.request.unfold, now=now)
        lines = list(self._lines(found, output, records, more=more, now=now))
        # The texts are visible (``table``), and what moves the cursor would not pass the guard.
        screen = unguarded(self.out)
        screen.write(_HOME)
        screen.writelines(f"{text}{_REST_OF_LINE}\n" for text in lines)
        screen.write(_REST)

    def _lines(
        self, found: Sequence[AnyRecord], output: Output, records: Records, *, more: bool, now: datetime
    ) -> Iterator[str]:
        size, colours = shutil.get_terminal_size(), palette(self.out)
        yield colours.faint(fit(f"{self.request.kind} at {now:%H:%M:%S} UTC; Ctrl-C ends", size.columns))
        if not found:
            yield f"No {self.request.kind} match."
            return
        heading, *rows = output.lines(found, records, width(self.out))
        totals = list(output.totals(found, more=more))
        room = size.lines - len(totals) - 3
        yield colours.strong(heading)
        yield from rows[:room]
        if len(rows) > room:
            yield colours.faint(f"and {len(rows) - room:,} more lines")
        yield from totals


@dataclass(slots=True)
class Stream:
    """Writes what changed, the oldest first: all of the list, then what is new or other in it."""

    request: GetRequest
    out: TextIO
    heading: str = ""

    def show(
        self, found: Sequence[AnyRecord], changed: Sequence[AnyRecord], records: Records, *, more: bool, now: datetime
    ) -> None:
        """Write the records that changed, each in a line or a document."""
        del found, more
        if not changed:
            return
        ordered = changed if self.request.sort is not None else changed[::-1]
        output = Output(kind=self.request.kind, form=self.request.output, unfold=True, now=now)
        if not output.is_table:
            output.write(ordered, records, self.out, more=False)
            return
        heading, *rows = output.lines(ordered, records, None)
        if heading.split() != self.heading.split():
            self.out.write(f"{heading}\n")
            self.heading = heading
        self.out.writelines(f"{row}\n" for row in rows)
