import io
import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
import yaml
from typer.testing import CliRunner

from agent.console.exits import Exit, NotFoundError, UnreachableError, UsageError
from agent.core.failure import Detail, DetailKey
from agent.ctl import asked
from agent.ctl.destination import StoreAddress
from agent.ctl.explain.explain import ExplainRequest
from agent.ctl.explain.explain import run as explain
from agent.ctl.get.columns import JOBS, details_text
from agent.ctl.get.commands import get
from agent.ctl.get.get import run
from agent.ctl.get.request import GetRequest, read_request
from agent.ctl.get.table import View, table
from agent.ctl.times import read_time
from agent.store.records.filters import LISTS, JobFilter, RunFilter, all_filters, filters_of, read_details
from agent.store.records.stored import StoredRecords
from agent.store.store import Store
from tests.store.databases import new_store
from tests.store.events import START, event, failed
from tests.store.records.test_lists import DETAILS, FINGERPRINTS, fill
from tests.store.test_jobs import tell
from tests.store.test_rows import FAIL

NOW = START + timedelta(hours=3)
LONG = "01stet4bxq7w9znk3m5v8r2p6c"
HOSTILE = "\x1b]0;owned\x07\u202eevil"


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    url = new_store(tmp_path_factory.mktemp("get"))
    with Store.open(url) as store:
        fill(store)
        tell(store, [event("x", failed(), run="run-of-long", job=LONG, after=60)], {"x": FAIL})
    return url


@dataclass
class Answer:
    code: Exit
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The list, without the totals below it."""
        return self.out.partition("\n\n")[0].splitlines()


def ask(url: str, kind: str, **given: object) -> Answer:
    """What a command answers that was given these options, by their long names."""
    out, err = io.StringIO(), io.StringIO()
    code = run(request(url, kind, **given), environ={}, now=NOW, out=out, err=err)
    return Answer(code, out.getvalue(), err.getvalue())


def request(url: str, kind: str, **given: object) -> GetRequest:
    rest = dict.fromkeys((*(field.name for field in filters_of(kind)), "since", "until", "after", "settings"))
    return read_request(kind, {**rest, "limit": 50, "output": "table", "store": url, **given})


def test_the_newest_come_first_and_the_rest_is_a_cursor_away(url: str) -> None:
    first = ask(url, "jobs", limit=3)
    assert [line.split()[0] for line in first.lines] == ["JOB", LONG[-8:], "job-29", "job-28"]
    assert first.err.startswith("There are more: add --after ")

    after = first.err.split()[-1]
    assert [line.split()[0] for line in ask(url, "jobs", limit=2, after=after).lines] == ["JOB", "job-27", "job-26"]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_cursor_fits_the_terminal_and_works_as_it_is_pasted(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    err = Terminal()
    run(request(url, "jobs", limit=3), environ={}, now=NOW, out=io.StringIO(), err=err)
    head, tail = err.getvalue().split("add ", 1)

    assert head == "There are more: "
    assert max(map(len, err.getvalue().splitlines())) <= 80
    option, after = shlex.split(tail.replace("\\\n", ""))
    assert option == "--after"
    assert [line.split()[0] for line in ask(url, "jobs", limit=2, after=after).lines] == ["JOB", "job-27", "job-26"]


def test_what_a_table_shows_of_an_id_is_what_explain_knows(url: str) -> None:
    """The demo showed the last 8 characters, which explain did not know."""
    shown = ask(url, "jobs", limit=1).lines[1].split()[0]
    out = io.StringIO()

    assert shown == LONG[-8:]
    assert (
        explain(ExplainRequest(identifier=shown, store=url), environ={}, out=out, err=io.StringIO(), now=NOW)
        is Exit.FINE
    )
    assert LONG in out.getvalue()


@pytest.mark.parametrize(
    "identifier", ["01stet4b", "pod-run-of-long", "jobs/pod-run-of-long", "run-of-long", "of-long"]
)
def test_explain_finds_a_job_by_what_people_know_of_it(url: str, identifier: str) -> None:
    out = io.StringIO()

    assert (
        explain(ExplainRequest(identifier=identifier, store=url), environ={}, out=out, err=io.StringIO(), now=NOW)
        is Exit.FINE
    )
    assert LONG in out.getvalue()


def test_explain_lists_ten_of_several_and_counts_them(url: str) -> None:
    with pytest.raises(NotFoundError) as raised:
        explain(ExplainRequest(identifier="job-", store=url), environ={}, out=io.StringIO(), err=io.StringIO(), now=NOW)

    lines = str(raised.value).splitlines()
    assert lines[0] == "several fit job-: 68, of which these are some"
    assert lines[1].split() == ["KIND", "ID", "LAST", "STATE", "CATEGORY"]
    assert lines[2].split()[:2] == ["job", "job-00"]
    assert len(lines) == len(raised.value.problems) + 2 == 12
    assert raised.value.problems[0].items() >= {"kind": "job", "id": "job-00", "jobId": "job-00"}.items()
    assert raised.value.problems[0].keys() >= {"at", "state", "category"}


def test_an_id_that_is_too_short_says_so(url: str) -> None:
    with pytest.raises(NotFoundError, match="give 4 characters"):
        explain(ExplainRequest(identifier="29", store=url), environ={}, out=io.StringIO(), err=io.StringIO(), now=NOW)


def test_nothing_is_said_on_stderr_and_is_nothing_wrong(url: str) -> None:
    assert ask(url, "jobs", queue="none") == Answer(Exit.FINE, "", "No jobs match.\n")
    assert ask(url, "jobs", queue="none", output="json") == Answer(Exit.FINE, "[]\n", "")


@pytest.mark.parametrize("kind", ["jobs", "runs", "failures", "verdicts"])
def test_every_form_has_whole_ids(url: str, kind: str) -> None:
    newest = "run-of-long" if kind != "jobs" else LONG
    assert ask(url, kind, limit=1, output="name").lines == [newest]
    (row,) = json.loads(ask(url, kind, limit=1, output="json").out)
    assert row == json.loads(ask(url, kind, limit=1, output="jsonl").out)
    assert row == yaml.safe_load(ask(url, kind, limit=1, output="yaml").out)
    assert row["jobId"] == LONG
    assert LONG in ask(url, kind, limit=1, output="wide").out


def test_a_list_for_programs_says_where_it_goes_on(url: str) -> None:
    after = json.loads(ask(url, "jobs", limit=30, output="jsonl").err)["after"]

    assert len(ask(url, "jobs", limit=30, output="jsonl", after=after).lines) == 1


def test_filters_are_those_of_the_records(url: str) -> None:
    jobs = ask(url, "jobs", category="oom/limit", state="still-failed", output="name").lines

    assert jobs == ["job-27", "job-03"]
    assert ask(url, "verdicts", action="retry", origin="infra", output="name").lines == ["job-07-a"]
    assert ask(url, "failures", grade="unknown", limit=2, output="name").lines == ["job-27-a", "job-23-a"]


def test_failures_are_found_by_their_details_and_fingerprint(url: str) -> None:
    gpu, rank = "resource=nvidia.com/gpu", "rank=7"
    newest = ask(url, "failures", detail=[rank, gpu], limit=2, output="name").lines

    assert newest == ["job-29-a", "job-25-a"]
    assert ask(url, "failures", detail=[gpu, rank, "claim=none"], output="name").lines == []
    assert ask(url, "verdicts", detail=[rank, gpu], limit=1, output="name").lines == ["job-29-a"]
    by_fingerprint = ask(url, "failures", fingerprint=FINGERPRINTS[0], detail=[rank], output="name").lines
    assert by_fingerprint == ["job-27-a", "job-15-a", "job-09-a", "job-03-a"]


def test_what_a_list_shows_of_details_can_be_asked(url: str) -> None:
    heading, line = ask(
        url, "failures", detail=["claim=" + DETAILS[1].value], until="2026-11-21T12:00:02+00:00", output="wide"
    ).lines
    (row,) = json.loads(ask(url, "failures", until="2026-11-21T12:00:02+00:00", output="json").out)

    assert heading.index("DETAIL") < heading.index("FINGERPRINT") < heading.index("KEY-LINE")
    assert "rank=7" in shlex.split(line[heading.index("DETAIL") :])
    assert "resource=nvidia.com/gpu" in shlex.split(line[heading.index("DETAIL") :])
    assert FINGERPRINTS[1] in line
    assert row["detail"] == {one.key: one.value for one in DETAILS}
    assert row["fingerprint"] == FINGERPRINTS[1]
    assert yaml.safe_load(ask(url, "failures", until="2026-11-21T12:00:02+00:00", output="yaml").out) == row


def test_a_detail_cannot_pass_for_another_or_reach_the_terminal(url: str) -> None:
    """A pod chose the value of the claim."""
    wide = ask(url, "failures", detail=["claim=" + DETAILS[1].value], output="wide").out
    tricky = Detail(key=DetailKey.CLAIM, value="x resource=cpu")

    assert not {"\x1b", "\u202e"} & set(wide)
    assert details_text([tricky]) == "'claim=x resource=cpu'"
    assert read_details(shlex.split(details_text([tricky, *DETAILS[::2]]))) == (DETAILS[0], tricky, DETAILS[2])


def test_more_than_a_page_is_asked_for_page_by_page(url: str) -> None:
    assert len(ask(url, "jobs", limit=5_000, output="name").lines) == 31


def test_times_are_relative(url: str) -> None:
    assert ask(url, "jobs", limit=1).lines[1].endswith("  2 h")
    assert ask(url, "jobs", since="179m", output="name").lines == [LONG]
    assert ask(url, "jobs", until="2026-11-21T12:00:02+00:00", output="name").lines == ["job-00"]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"since": "yesterday"}, "--since yesterday: not a time; write how long ago"),
        ({"until": "1y"}, "--until 1y"),
        ({"since": "999999w"}, "--since 999999w"),
        ({"category": "/"}, "not a category"),
        ({"after": "x"}, "not a cursor"),
        ({"queue": "\x00"}, "no stored text"),
    ],
)
def test_what_cannot_be_asked_is_wrong_usage(url: str, given: dict[str, object], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ask(url, "jobs", **given)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (
            {"detail": ["colour=red"]},
            "not a detail: 'colour=red'; write KEY=VALUE, where KEY is resource, taint, .* or device$",
        ),
        ({"detail": ["resource=cpu", "\x1b[2J\u202e"]}, r"not a detail: '\\x1b\[2J\\u202e'; write KEY=VALUE"),
        ({"detail": ["resource=cpu", "resource=gpu"]}, "resource: a failure has one value of it"),
        ({"detail": ["resource=\x00"]}, "resource: no stored text has such characters"),
        ({"detail": [f"resource={'x' * 257}"]}, "resource: stored values have at most 256 characters"),
        (
            {"fingerprint": "0123456789abcdef"},
            "not a fingerprint: '0123456789abcdef'; write it as in v1:9f86d081884c7d65",
        ),
    ],
)
@pytest.mark.parametrize("kind", ["failures", "verdicts"])
def test_a_detail_or_fingerprint_that_cannot_be_is_wrong_usage(
    url: str, kind: str, given: dict[str, object], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        ask(url, kind, **given)


@pytest.mark.parametrize("kind", LISTS)
def test_the_help_of_a_list_has_its_filters_and_no_other(kind: str) -> None:
    shown = CliRunner().invoke(get, [kind, "--help"], env={"COLUMNS": "300"}).output
    has = {field.name for field in all_filters() if f"{field.options[-1]} " in shown}

    assert has == set(LISTS[kind].__struct_fields__)
    assert all("".join(field.asked.help.split()) in "".join(shown.split()) for field in filters_of(kind))


def test_the_help_names_every_key_of_details() -> None:
    shown = " ".join(CliRunner().invoke(get, ["failures", "--help"], env={"COLUMNS": "200"}).output.split())
    assert all(key in shown for key in DetailKey)


def test_text_from_pods_cannot_reach_the_terminal(tmp_path: Path) -> None:
    url = new_store(tmp_path)
    with Store.open(url) as store:
        tell(store, [event("x", failed(), run=HOSTILE, job=f"job{HOSTILE}")], {})

    for form in ("table", "wide", "name", "json", "yaml"):
        for kind in ("jobs", "runs", "failures"):
            shown = ask(url, kind, output=form).out
            assert "evil" in shown
            assert not {"\x1b", "\x07", "\u202e"} & set(shown)


@pytest.fixture
def records(url: str) -> Iterator[StoredRecords]:
    with Store.attach(url) as store:
        yield StoredRecords(store)


@pytest.mark.parametrize("columns", [20, 40, 60, 80])
def test_a_narrow_terminal_keeps_what_matters(records: StoredRecords, columns: int) -> None:
    view = View(now=NOW, short=lambda whole: whole[-8:])
    lines = list(table(records.jobs(JobFilter()).records, JOBS, view=view, columns=columns))

    assert all(word in lines[0] for word in ("JOB", "STATE", "CATEGORY", "FAULT", "DECISION"))
    assert columns < 60 or max(map(len, lines)) <= columns
    assert ("QUEUE" in lines[0]) is (columns == 80)


@pytest.mark.parametrize("kind", ["jobs", "failures", "verdicts"])
def test_80_columns_show_how_well_the_advice_is_known(url: str, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    run(request(url, kind, limit=2), environ={}, now=NOW, out=out, err=io.StringIO())
    heading, ungraded, graded, *_ = out.getvalue().splitlines()

    at = heading.index("GRADE")
    assert (ungraded[at:].split()[0], graded[at:].split()[0]) == ("-", "proven")


def test_a_run_has_a_pod(records: StoredRecords) -> None:
    assert records.runs(RunFilter(queue="ml")).records[0].pod_name == "pod-run-of-long"


def test_the_store_is_that_of_the_demo_in_this_folder(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    asked = GetRequest(wanted=JobFilter(), where=StoreAddress())
    with pytest.raises(UsageError) as raised:
        run(asked, environ={}, now=NOW, out=io.StringIO(), err=io.StringIO())
    for place in ("--store", "--settings", "FAILURE_AGENT_STORE__URL", "demo-data/store.db"):
        assert place in str(raised.value)

    (tmp_path / "demo-data").mkdir()
    with Store.open("sqlite:///demo-data/store.db"):
        pass
    assert run(asked, environ={}, now=NOW, out=io.StringIO(), err=io.StringIO()) is Exit.FINE

    out = io.StringIO()
    run(asked, environ={"FAILURE_AGENT_STORE__URL": url}, now=NOW, out=out, err=io.StringIO())
    assert "r2p6c" in out.getvalue()


def test_without_any_store_the_one_that_was_looked_for_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(asked, "DEFAULT", "127.0.0.1:1")
    monkeypatch.setattr(asked, "DEFAULT_LOOKOUT", "http://127.0.0.1:1")
    request = GetRequest(wanted=JobFilter(), where=StoreAddress())
    environ = {"FAILURE_AGENT_STORE__URL": "", "FAILCTL_CONFIG": f"{tmp_path}/none"}

    with pytest.raises(UsageError, match=f"no demo has left {tmp_path}/demo-data/store.db"):
        run(request, environ=environ, now=NOW, out=io.StringIO(), err=io.StringIO())


def test_a_store_that_is_not_there_is_unreachable(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no store"):
        ask(f"sqlite:///{tmp_path}/none.db", "jobs")


def test_a_date_without_a_zone_is_local() -> None:
    tokyo = timezone(timedelta(hours=9))

    assert read_time("--since", "2026-11-01T09:00", now=NOW, zone=tokyo) == datetime(2026, 11, 1, tzinfo=UTC)
    assert read_time("--since", "2026-11-01T09:00+00:00", now=NOW) == datetime(2026, 11, 1, 9, tzinfo=UTC)
    assert read_time("--since", None, now=NOW) is None


@pytest.mark.parametrize("text", ["0001-01-01T00:00+14:00", "9999-12-31T23:59-14:00"])
def test_a_time_beyond_the_calendar_is_no_time(text: str) -> None:
    with pytest.raises(UsageError, match="not a time"):
        read_time("--since", text, now=NOW)


def test_a_range_that_is_empty_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="--since is not before --until"):
        ask(url, "jobs", since="1h", until="2h")
