"""Fuzzing of the rows of the log, as the scheduler reads them: any bytes are handled or refused as poison.

What was stored is then explained as people see it: no escape sequence reaches a terminal, whatever the row held.
``FUZZ_SECONDS`` says for how long a run looks; the long run takes 100,000 inputs.
"""

import io
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent.broker.consume.consumer import NewerVersionNeeded, PoisonError
from agent.broker.port import Delivery, Message
from agent.console.options import DocumentForm
from agent.core.retry.catalog import Catalog
from agent.core.retry.policy import RetrySettings
from agent.core.run_event import (
    Amendment,
    Content,
    CreationFailed,
    Identity,
    NameHeld,
    PodReference,
    RunCreated,
    RunEvent,
    RunPhase,
    RunRejected,
    RunStopped,
    StopAnswer,
)
from agent.ctl.explain.explain import ExplainRequest, write
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.handler import Decisions
from agent.store import timeline
from agent.store.store import Store
from agent.wire import events as wire
from tests.core.strategies import failures, hostile_texts
from tests.fuzz.drawn import QUICK, damaged, drawn

SECONDS = float(os.environ.get("FUZZ_SECONDS", "5"))
INPUTS = 100_000
HANG_SECONDS = 1.0
LOOKS_A_STORE = 300
EVENTS = 300
TRIES = 3
NOW = datetime(2026, 1, 3, tzinfo=UTC)
DECIDING = DecisionInputs(
    catalog=Catalog({}), settings=RetrySettings(), grace_period=timedelta(seconds=30), draw=lambda: 0.0
)


def event(kind: Content, run: str, text: str) -> RunEvent:
    """An event as no agent of ours would send it: nothing in it was stripped."""
    return RunEvent(
        event_id=f"{run}{text}",
        cluster_id="c",
        cluster=text,
        identity=Identity(job_id=run, run_id=run, queue=text, gang_id=text),
        pod=PodReference(namespace=text, name=text, uid=run),
        occurred_at=NOW,
        observed_at=NOW,
        event=kind,
    )


_ANSWERS = (RunRejected, CreationFailed, RunCreated, NameHeld, RunStopped)
"""What agents answer to commands: of jobs that nobody submitted, nothing is kept of it."""


def kinds() -> st.SearchStrategy[Content]:
    hostile = hostile_texts()
    return (
        failures(hostile, size=1)
        | st.sampled_from(RunPhase)
        | st.builds(RunRejected, reason=hostile, message=hostile)
        | st.builds(CreationFailed, reason=hostile, message=hostile)
        | st.builds(NameHeld, uid=hostile)
        | st.builds(RunStopped, answer=st.sampled_from(StopAnswer))
        | st.just(RunCreated())
        | st.builds(Amendment, amends=st.just("a"), failure=failures(hostile, size=1))
    )


def written(event: RunEvent) -> bytes:
    try:
        return wire.encode(event)
    except UnicodeEncodeError:
        return b""


def drawn_events() -> list[bytes]:
    return drawn(_EVENTS.map(written), EVENTS)


def rows_from(events: list[bytes]) -> st.SearchStrategy[list[bytes]]:
    known = st.sampled_from(events)
    return st.lists(st.binary(max_size=60) | known | damaged(known), min_size=1, max_size=2)


class Reading:
    """A store that rows are handled into, and what a person would see of it.

    The store is made anew now and then: drawn rows like to be of the same run, and a run of ten thousand failures
    takes its time to be explained.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._looked = 0
        self._begin()

    def _begin(self) -> None:
        self._url = f"sqlite:///{self._folder / str(self._looked)}.db"
        self._store = Store.open(self._url)
        self._decisions = Decisions(self._store, inputs=DECIDING, clock=lambda _: NOW)

    def close(self) -> None:
        self._store.close()

    def look_at(self, rows: list[bytes]) -> None:
        self._looked += 1
        if self._looked % LOOKS_A_STORE == 0:
            self.close()
            self._begin()
        for row in rows:
            try:
                self._decisions.handle([delivery(row)])
            except (NewerVersionNeeded, PoisonError) as error:
                assert str(error)  # noqa: PT017 - refused is right; refused without a word is not
            else:
                self._explain(wire.decode(row))

    def _explain(self, event: RunEvent) -> None:
        """As ``failctl explain`` does, without opening the store each time."""
        with self._store.read() as connection:
            found = timeline.find(connection, event.identity.run_id)
        if found is None:
            assert isinstance(event.event, _ANSWERS)
            return
        for output in get_args(DocumentForm):
            out = io.StringIO()
            write(found, ExplainRequest(identifier=event.identity.run_id, output=output, details=True), out, now=NOW)
            assert all(char.isprintable() or char == "\n" for char in out.getvalue()), output


def delivery(payload: bytes) -> Delivery:
    return Delivery(
        topic="run-events-fuzz",
        message=Message(key="k", payload=payload),
        producer="fuzz",
        published_at=NOW,
        redeliveries=0,
        position="1",
        token=None,
    )


def timed(reading: Reading, rows: list[bytes]) -> None:
    """Read some. They hang if they take a processor longer than a second, time and again."""
    taken = seconds_for(reading, rows)
    if taken >= HANG_SECONDS:
        taken = min(seconds_for(reading, rows) for _ in range(TRIES))
    assert taken < HANG_SECONDS, f"{taken:.1f} s of processor time"


def seconds_for(reading: Reading, rows: list[bytes]) -> float:
    started = time.process_time()
    reading.look_at(rows)
    return time.process_time() - started


@contextmanager
def reading() -> Iterator[Reading]:
    with TemporaryDirectory() as folder:
        made = Reading(Path(folder))
        try:
            yield made
        finally:
            made.close()


_QUICK = settings(QUICK, max_examples=100)
_EVENTS = st.builds(event, kinds(), st.sampled_from(["r", "s", "t\x1b[2J"]), hostile_texts())


@pytest.mark.slow
@pytest.mark.timeout(SECONDS + 120)  # it runs for as long as it is asked to
def test_log_rows_for_a_time() -> None:
    rows = rows_from(drawn_events())
    with reading() as made:
        look = given(rows=rows)(_QUICK(lambda rows: timed(made, rows)))
        until = time.monotonic() + SECONDS
        look()
        while time.monotonic() < until:
            look()


@pytest.mark.long
@pytest.mark.timeout(7200)  # a hundred thousand inputs
def test_a_hundred_thousand_log_rows() -> None:
    rows = rows_from(drawn_events())
    with reading() as made:
        settings(_QUICK, max_examples=INPUTS)(given(rows=rows)(lambda rows: timed(made, rows)))()
