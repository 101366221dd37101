"""``failctl get --watch``: by processes on a store and on a Lookout, and its parts without any."""

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from agent.console.exits import Exit, UsageError
from agent.ctl.get import watch
from agent.ctl.get.pace import Pace
from agent.ctl.get.pages import collected
from agent.ctl.get.watch import Screen, Seen, Stream
from agent.lookout.api.application import create
from agent.lookout.api.server import ApiServer
from agent.lookout.store.recording import record
from agent.store.records.filters import FailureFilter, JobFilter, Part
from agent.store.records.port import AnyRecord
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from tests.child import PIPE, Child
from tests.ctl.get.bare import EVAL, TRAIN, bare_store
from tests.ctl.get.test_get import NOW, Terminal, request
from tests.lookout.api.serving import LOOPBACK, backend, empty_store
from tests.store.databases import new_store
from tests.store.events import event, failed
from tests.store.test_jobs import tell

FAILCTL = [sys.executable, "-m", "agent.ctl.main"]


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return bare_store(tmp_path_factory.mktemp("watched"))


@contextmanager
def watching(*words: str) -> Iterator[Child]:
    environment = os.environ | {"COLUMNS": "80", "NO_COLOR": "1"}
    with Child([*FAILCTL, "get", *words, "--watch"], env=environment, stdout=PIPE, stderr=PIPE) as child:
        yield child


@pytest.mark.slow
def test_what_is_new_is_a_line_of_json_and_ctrl_c_ends_it(tmp_path: Path) -> None:
    url = new_store(tmp_path)
    with Store.open(url) as store:
        tell(store, [event("f1", failed(), run="run-1", job="job-1")], {})
        with watching("failures", "-o", "jsonl", "--store", url) as child:
            assert json.loads(child.line())["runId"] == "run-1"
            tell(store, [event("f2", failed(), run="run-2", job="job-2", after=60)], {})
            assert json.loads(child.line())["runId"] == "run-2"
            child.send(signal.SIGINT)
            assert child.rest() == ("", "")
            assert child.wait() == Exit.FINE


@pytest.mark.slow
def test_it_ends_when_nobody_reads_it_any_more_though_nothing_changes(url: str) -> None:
    with watching("failures", "-o", "jsonl", "--store", url) as child:
        assert json.loads(child.line())
        child.stop_reading()
        assert child.wait(20) == Exit.CLOSED


@pytest.mark.slow
def test_a_lookout_is_asked_when_it_says_that_something_changed(tmp_path: Path) -> None:
    with empty_store(tmp_path) as store, ApiServer(LOOPBACK, 0) as server:
        lookout = backend(store)
        server.serve(create(lookout), ending=lookout.live.close)
        with watching("failures", "-o", "jsonl", "--lookout", f"http://127.0.0.1:{server.port}") as child:
            for name in ("run-1", "run-2"):
                found = event(f"of-{name}", failed(), run=name, job=name)
                with lookout.changes.writing(store, frozenset({name})) as connection:
                    record(connection, [found])
                assert json.loads(child.line())["runId"] == name
            child.send(signal.SIGINT)
            assert child.wait() == Exit.FINE


def test_a_pace_waits_for_news_and_notices_that_the_reader_has_gone() -> None:
    news, tell_news = os.pipe()
    reader, writer = os.pipe()
    with os.fdopen(writer, "w") as out:
        pace = Pace(out, news, every=0.01)
        told = threading.Event()

        def tell() -> None:
            told.set()
            os.write(tell_news, b"..")

        threading.Timer(0.05, tell).start()
        pace.wait(0.0)
        assert told.is_set()
        os.close(reader)
        with pytest.raises(BrokenPipeError):
            pace.wait(0.0)
    os.close(news)
    os.close(tell_news)


def test_an_output_that_is_no_file_is_waited_for_too() -> None:
    Pace(io.StringIO(), every=0.01).wait(0.001)


@pytest.fixture
def records(url: str) -> Iterator[StoredRecords]:
    with Store.attach(url) as store:
        yield StoredRecords(store)


def test_only_what_changed_since_the_last_answer_is_news(records: StoredRecords) -> None:
    found = records.jobs(JobFilter()).records
    seen = Seen("jobs")

    assert seen.changed(found) == list(found)
    assert seen.changed(found) == []
    assert seen.changed(found[1:]) == []
    assert seen.changed(found) == [found[0]]


def test_very_much_that_is_new_is_read_until_what_was_there(records: StoredRecords) -> None:
    """More than a page may be new between two answers."""
    everything = records.failures(FailureFilter()).records
    seen = Seen("failures")
    seen.changed(everything[5:])

    found, _ = collected(records, FailureFilter(), Part(), 2, enough=seen.reaches)

    assert list(found) == list(everything[: len(found)])
    assert seen.changed(found) == list(everything[:5])


def shown(
    kind: str, found: Sequence[AnyRecord], changed: Sequence[AnyRecord], records: StoredRecords, *, form: str
) -> str:
    out = io.StringIO()
    asked = request("sqlite:///x.db", kind, output=form)
    Stream(asked, out).show(found, changed, records, more=False, now=NOW)
    return out.getvalue()


def test_a_pipe_gets_the_heading_once_and_a_line_for_each_change_the_oldest_first(records: StoredRecords) -> None:
    found, out = records.failures(FailureFilter()).records, io.StringIO()
    stream = Stream(request("sqlite:///x.db", "failures"), out)

    for changed in (found[2:4], (), found[:1]):
        stream.show(found, changed, records, more=False, now=NOW)
    lines = out.getvalue().splitlines()

    assert [line.split()[0].rpartition("/")[2] for line in lines] == ["POD", f"{TRAIN}-q9w3r", f"{TRAIN}-v7c5n", EVAL]
    assert shown("failures", found, [], records, form="jsonl") == ""
    assert len(shown("failures", found, found[:2], records, form="yaml").split("---\n")) == 3


def test_a_terminal_shows_the_list_anew_and_no_more_than_it_has_lines_for(
    records: StoredRecords, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "8")
    monkeypatch.setenv("NO_COLOR", "1")
    found, out = records.failures(FailureFilter()).records, Terminal()
    asked = request("sqlite:///x.db", "failures", unfold=True)

    Screen(asked, out).show(found, (), records, more=False, now=NOW)

    lines = out.getvalue().removeprefix("\x1b[H").removesuffix("\x1b[J").replace("\x1b[K", "").splitlines()
    assert lines[0] == "failures at 15:00:00 UTC; Ctrl-C ends"
    assert lines[1].startswith("POD")
    assert lines[-3:] == ["and 5 more lines", "", "Of 8 failures: infra 1, user 7"]
    assert len(lines) == 8


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"output": "json"}, "-o json is one document, and --watch has no end; use -o jsonl"),
        ({"after": "x"}, "--watch begins with the newest, and --after goes on with a list"),
    ],
)
def test_what_has_no_end_is_no_document_and_no_page(url: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        watch.run(request(url, "jobs", **given), environ={}, clock=lambda: NOW, out=io.StringIO(), err=io.StringIO())


def test_counts_are_not_watched(url: str) -> None:
    with pytest.raises(UsageError, match="--count-by counts all that fits, and --watch is about a list"):
        request(url, "jobs", count_by="queue", watch=True)
