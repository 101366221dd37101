"""``failctl get`` from a Lookout, which was sent what the scheduler's store has."""

import dataclasses
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import structlog.testing
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from agent.core.decision.verdict import Verdict
from agent.core.job_event import JobEvent, RunDecided
from agent.core.run_event import RunEvent, RunPhase
from agent.ctl.lookout_api import Items, LookoutClient
from agent.ctl.lookout_query import COUNTED, SORTED
from agent.ctl.lookout_reading import LookoutRecords
from agent.ctl.main import app
from agent.json_reader.reader import Reader
from agent.lookout.api.application import create
from agent.lookout.query import columns as lookout_columns
from agent.lookout.store.recording import record
from agent.store.records.columns import COLUMNS
from agent.store.records.filters import FailureFilter, RunFilter, VerdictFilter
from agent.store.store import Store
from tests.lookout.api.serving import backend, empty_store, served, serving
from tests.scheduler.service.site import served as api_served
from tests.scheduler.service.site import site
from tests.store.databases import new_store
from tests.store.events import START, event, failed
from tests.store.records.test_lists import JOBS, story
from tests.store.test_jobs import Decided, tell
from tests.store.test_rows import RETRY

RESTARTED = {f"job-{number:02}" for number in range(5, JOBS, 10)}
"""Jobs of which a container restarted in place: their runs did not fail, so a Lookout lists no failure of them."""
MOVED = 5


def decided(found: RunEvent, verdict: Verdict, sequence: int) -> JobEvent:
    """What the scheduler sends about a verdict."""
    own, explained = found.identity, verdict.explanation
    content = RunDecided(
        run_id=own.run_id,
        attempt=own.attempt,
        failure_id=found.event_id,
        action=verdict.action,
        reason=verdict.reason.value,
        sentence="it is so",
        policy="" if explained.decider is None else explained.decider.policy,
        not_before=verdict.not_before,
    )
    return JobEvent(
        event_id=f"decided-{found.event_id}",
        job_id=own.job_id,
        sequence=sequence,
        at=found.observed_at,
        event=content,
        queue=own.queue,
        job_set=own.job_set,
        owner="",
        namespace=found.pod.namespace,
        state=None,
        ending=None,
    )


def moved(number: int) -> tuple[list[RunEvent], Decided]:
    """A job whose first run failed in one cluster, and whose second waits in another."""
    job, after = f"moved-{number}", JOBS + number
    ended = event(f"{job}-f", failed(), run=f"{job}-a", job=job, after=after)
    waits = event(f"{job}-p", RunPhase.PENDING, run=f"{job}-b", job=job, after=after + 0.5)
    return [ended, replace(waits, cluster="west")], {ended.event_id: RETRY}


@dataclass(frozen=True, slots=True, kw_only=True)
class Both:
    """``failctl`` on a store and on a Lookout; ``fronting`` is one in front of a scheduler with the same store."""

    store: str
    lookout: str
    fronting: str

    def ask(self, *words: str) -> Result:
        """A Lookout."""
        return CliRunner().invoke(app, [*words, "--lookout", self.lookout], env={"COLUMNS": "80"})

    def documents(self, words: str, *where: str) -> dict[str, Any]:
        """What a command lists, by its name."""
        done = CliRunner().invoke(app, [*words.split(), *where, "-o", "json"])
        assert done.exit_code == 0, done.output
        name = "jobId" if words.split()[1] == "jobs" else "runId"
        return {document[name]: document for document in json.loads(done.stdout)}


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    url = new_store(tmp_path_factory.mktemp("reading"))
    with Store.open(url) as store, empty_store(tmp_path_factory.mktemp("lookout")) as lookout:
        for told, verdicts in (*map(story, range(JOBS)), *map(moved, range(MOVED))):
            tell(store, told, verdicts)
            after = [decided(found, verdicts[found.event_id], 1) for found in told if found.event_id in verdicts]
            with lookout.write() as connection:
                record(connection, [*told, *after])
        with (
            served(lookout) as client,
            api_served(site(store)) as address,
            serving(create(dataclasses.replace(backend(lookout), scheduler=address))) as fronting,
            structlog.testing.capture_logs(),
        ):
            urls = [f"http://127.0.0.1:{found.port}" for found in (client, fronting)]
            yield Both(store=url, lookout=urls[0], fronting=urls[1])


@pytest.mark.parametrize(
    "words",
    [
        "get jobs",
        "get jobs --state still-failed --queue q1",
        "get jobs --state any-failure --cluster east",
        "get jobs --state recovered --cluster east",
        "get jobs --state any-failure --cluster west",
        "get jobs --state still-failed --action retry --grade unknown",
        "get jobs --category oom",
        "get jobs --category oom/limit --cluster east --action fail",
        "get jobs --exit-code 137 -n ns1",
        "get runs --job-set set2 --node node-3",
        "get failures",
        "get failures --detail resource=nvidia.com/gpu --detail rank=7",
        "get failures --fingerprint v1:0123456789abcdef --origin infra",
        "get verdicts",
        "get verdicts --action fail --container main",
        "get verdicts --category disk --limit 2",
    ],
)
def test_lists_have_what_the_store_has(both: Both, words: str) -> None:
    stored, found = both.documents(words, "--store", both.store), both.documents(words, "--lookout", both.lookout)
    if words.startswith("get failures"):
        stored = {name: document for name, document in stored.items() if document["jobId"] not in RESTARTED}

    assert stored
    assert found.keys() == stored.keys()
    for name, document in found.items():
        # The store of this test has one time of all verdicts; a Lookout knows that what restarted ran.
        but = {"decidedAt", *(("phase", "lastAt") if document["jobId"] in RESTARTED else ())}
        assert {**document, **{key: stored[name][key] for key in but & document.keys()}} == stored[name]


def test_a_filter_on_two_runs_of_a_job_finds_it_however_many_others_are_asked_for(both: Both) -> None:
    """The failure that was decided is of one run, the cluster of a later one: a Lookout compares one run at a time."""
    words = "get jobs --category oom --cluster west --exit-code 137"

    whole = both.documents(words, "--lookout", both.lookout)

    assert whole == both.documents(words, "--store", both.store)
    assert len(whole) == MOVED
    first = both.ask(*words.split(), "--limit", "1", "-o", "json")
    after = json.loads(first.stderr)["after"]
    rest = both.documents(f"{words} --after {after}", "--lookout", both.lookout)
    assert [job["jobId"] for job in json.loads(first.stdout)] + list(rest) == list(whole)


class Counting(LookoutClient):
    """Counts what it is asked."""

    asked = 0

    def get(self, path: str, items: Items, reader: Reader[Any]) -> Any:  # noqa: ANN401 - of any reader
        self.asked += 1
        return super().get(path, items, reader)


def test_a_page_of_any_list_but_that_of_jobs_is_one_request(both: Both) -> None:
    client = Counting(both.lookout)
    records = LookoutRecords(client)

    runs, failures = records.runs(RunFilter()).records, records.failures(FailureFilter()).records
    verdicts = records.verdicts(VerdictFilter()).records

    client.close()
    assert min(len(runs), len(failures), len(verdicts)) > 1
    assert client.asked == 3


@pytest.mark.parametrize(
    "words",
    [
        "get jobs --count-by queue,job-set",
        "get jobs --state still-failed --category oom --count-by queue",
        "get runs --count-by node,queue",
        "get failures --count-by category,node",
        "get failures --origin infra --count-by exit-code",
        "get verdicts --count-by action,category",
        "get verdicts --action fail --count-by category",
    ],
)
def test_counts_are_those_of_the_store(both: Both, words: str) -> None:
    """A Lookout counts no restarts in place, and the last day unless it is asked for more."""
    window = ["--since", (START - timedelta(hours=1)).isoformat(), "--until", (START + timedelta(hours=1)).isoformat()]
    stored, found = (
        {tuple(row.items())[:-1]: row["count"] for row in map(json.loads, done.stdout.splitlines())}
        for done in (
            CliRunner().invoke(app, [*words.split(), *window, "-o", "jsonl", "--store", both.store]),
            both.ask(*words.split(), *window, "-o", "jsonl"),
        )
    )

    assert stored
    if words.startswith("get failures"):
        restarts = sum(stored.values()) - sum(found.values())
        assert restarts == (len(RESTARTED) if "infra" not in words else 0)
        assert all(found[group] <= stored[group] for group in found)
    else:
        assert found == stored


def test_counts_say_their_window_and_what_was_counted(both: Both) -> None:
    rows = both.ask("get", "failures", "--count-by", "category,node", "--since", "2026-11-21T12:00:00Z")
    rollups = both.ask("get", "failures", "--count-by", "category", "--since", "2026-11-01T00:00:00Z")
    refused = both.ask("get", "failures", "--count-by", "category,node", "--since", "2026-10-01T00:00:00Z")

    assert " failures, from 2026-11-21 12:00:00 UTC until " in rows.stdout
    assert "by whole hours or days in which runs ended" in " ".join(rollups.stdout.split())
    assert refused.exit_code == 2
    assert "7 days are counted at most" in refused.stderr


def test_lists_are_sorted(both: Both) -> None:
    nodes, queues = (
        [json.loads(row)[name] for row in both.ask("get", *words.split(), "-o", "jsonl").stdout.splitlines()]
        for words, name in (("runs --sort-by node", "node"), ("jobs --sort-by -queue", "queue"))
    )

    assert (nodes, queues) == (sorted(nodes), sorted(queues, reverse=True))
    assert len(set(nodes)) > 1
    assert len(set(queues)) > 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("get runs --sort-by phase", "a Lookout does not sort runs by phase, but by time, queue or node"),
        ("get failures --count-by attempt", "a Lookout does not count failures by attempt, but by category, "),
        ("get jobs --category oom --count-by queue", "a Lookout counts jobs of which any run has this category"),
    ],
)
def test_what_a_lookout_does_not_sort_or_count_by_is_refused_with_what_it_does(
    both: Both, words: str, said: str
) -> None:
    done = both.ask(*words.split())

    assert done.exit_code == 2
    assert said in done.stderr


OF_LATEST_FAILURE = {"node", "exitCode", "container", "action"}
"""What a Lookout says of the latest failure of a job where it counts jobs, and the lists of the latest run."""


@pytest.mark.parametrize("kind", COLUMNS)
def test_columns_are_those_that_a_lookout_has(kind: str) -> None:
    of = lookout_columns.LISTS["failures" if kind == "verdicts" else kind]

    def camel(name: str) -> str:
        other = {"phase": "state", "reason": "verdictReason", "time": of.time}.get(name)
        return other or "".join(word.capitalize() if at else word for at, word in enumerate(name.split("_")))

    known = {camel(name) for name in COLUMNS[kind]}
    assert {camel(name) for name in SORTED[kind]} == set(of.sorts) & {of.time, *known}
    apart = OF_LATEST_FAILURE if kind == "jobs" else set()
    assert {camel(name) for name in COUNTED[kind]} == (set(of.groups) & known) - apart


def test_ids_stand_whole_in_tables_because_others_have_other_ids(both: Both) -> None:
    shown = both.ask("get", "runs", "--limit", "1").stdout.splitlines()

    assert shown[1].split()[0] == f"moved-{MOVED - 1}-b"


def test_times_of_jobs_are_those_at_which_they_were_first_heard_of_and_it_says_so(both: Both) -> None:
    since = (START + timedelta(seconds=20)).isoformat()

    done = both.ask("get", "jobs", "--since", since, "--limit", "100")
    as_json = both.ask("get", "jobs", "--since", since, "--limit", "100", "-o", "json")

    assert len(done.stdout.partition("\n\n")[0].splitlines()) == 1 + 10 + MOVED
    assert done.stderr == (
        "Lookout lists jobs by when it first heard of them; --since and --until are about that time.\n"
    )
    assert json.loads(as_json.stderr).keys() == {"note"}
    assert both.ask("get", "runs", "--since", since).stderr == ""


def test_a_blame_that_only_the_program_says_is_marked(both: Both) -> None:
    shown = both.ask("get", "failures", "--origin", "infra").stdout

    assert [word for word in shown.split() if word.startswith("infra")][:2] == ["infra", "infra?"]
    assert shown.splitlines()[-1] == "Of 2 failures: infra 2 (1 likely)"


def test_what_is_refused_says_why(both: Both) -> None:
    wrong_cursor = both.ask("get", "jobs", "--after", "nonsense")
    both_places = both.ask("get", "jobs", "--store", both.store)

    assert (wrong_cursor.exit_code, both_places.exit_code) == (2, 2)
    assert wrong_cursor.stderr.startswith("failctl: after: ")
    assert "give one of them" in both_places.stderr


def test_a_lookout_that_does_not_answer_is_unreachable() -> None:
    done = CliRunner().invoke(app, ["get", "jobs", "--lookout", "http://127.0.0.1:1"])
    wrong = CliRunner().invoke(app, ["get", "jobs", "--lookout", "127.0.0.1:8085"])

    assert (done.exit_code, wrong.exit_code) == (3, 2)
    assert "the Lookout at http://127.0.0.1:1: connection refused" in done.stderr
    assert "write it as http://127.0.0.1:8085" in wrong.stderr


def test_a_variable_and_a_context_name_a_lookout_too(both: Both, tmp_path: Path) -> None:
    config = {"FAILCTL_CONFIG": f"{tmp_path}/config.yaml", "FAILCTL_SERVER": "", "COLUMNS": "80"}
    by_variable = CliRunner().invoke(app, ["get", "jobs"], env={**config, "FAILCTL_LOOKOUT": both.lookout})
    CliRunner().invoke(app, ["context", "set", "a", "--server", "127.0.0.1:1", "--lookout", both.lookout], env=config)
    by_context = CliRunner().invoke(app, ["get", "jobs"], env=config)
    by_server = CliRunner().invoke(app, ["get", "jobs", "--server", "127.0.0.1:1"], env=config)

    assert by_variable.stdout == by_context.stdout == both.ask("get", "jobs").stdout
    assert by_server.exit_code == 3


def card(text: str) -> list[str]:
    """A card without what only the scheduler knows of a verdict, and without the commands at its end."""
    above, _, _ = re.sub(r"\n  Retries .*(\n {12}.*)*", "", text).partition("failctl ")
    return above.splitlines()[:-1]


@pytest.mark.parametrize("name", ["job-29", "job-29-a", "job-02", "job-03", "job-12", "ns1/pod-job-07-a", "moved-1"])
def test_a_lookout_without_a_scheduler_explains_jobs_by_what_it_has_stored(both: Both, name: str) -> None:
    by_store = CliRunner().invoke(app, ["explain", name, "--store", both.store], env={"COLUMNS": "80"})
    by_lookout = both.ask("explain", name)

    assert card(by_lookout.stdout) == card(by_store.stdout)
    assert (by_lookout.exit_code, by_lookout.stderr) == (by_store.exit_code, by_store.stderr)


@pytest.mark.parametrize("more", [[], ["--details"], ["-o", "json"]])
def test_a_lookout_in_front_of_a_scheduler_explains_jobs_as_that_does(both: Both, more: list[str]) -> None:
    for name in ("job-29", "job-12", "job-1", "gone-for-ever", "abc"):
        by_store = CliRunner().invoke(app, ["explain", name, *more, "--store", both.store], env={"COLUMNS": "80"})
        by_lookout = CliRunner().invoke(
            app, ["explain", name, *more, "--lookout", both.fronting], env={"COLUMNS": "80"}
        )
        assert by_lookout.stdout.partition("failctl ")[0] == by_store.stdout.partition("failctl ")[0]
        assert by_lookout.exit_code == by_store.exit_code
