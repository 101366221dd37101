import io
import json
import time
import unicodedata
from datetime import timedelta
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from agent.console.exits import Exit, NotFoundError, UnreachableError, UsageError
from agent.console.options import DocumentForm
from agent.console.terminal import cells_of
from agent.core.evidence import Event
from agent.core.failure import Occurrence
from agent.core.run_event import Amendment, RunPhase
from agent.ctl import asked
from agent.ctl.explain.explain import NEWEST, ExplainRequest, run
from agent.scheduler.consume.handler import Decisions
from agent.store.store import Store
from tests.scheduler.path import decision_inputs, delivery, message
from tests.store.databases import new_store
from tests.store.events import OOM, START, event, failed

NOW = START + timedelta(minutes=10)
HOSTILE = "\x1b]0;owned\x07[red]bold[/red] \u202eevil\u2066 end"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store in which a job was killed for memory four times; the last time it was restarted in place before."""
    url = new_store(tmp_path)
    with Store.open(url) as store:
        decisions = Decisions(store, inputs=decision_inputs(), clock=lambda _: START)
        events = [
            event(f"e{number}", failed(), run=f"run-{number}", attempt=number, after=60 * number) for number in range(4)
        ]
        events += [
            event("r", failed(Occurrence.CONTAINER_RESTARTED), run="run-3", attempt=3, after=170),
            event(
                "l", Amendment(amends="e3", failure=failed(events=["OOMKilling"])), run="run-3", attempt=3, after=190
            ),
            event("s", RunPhase.RUNNING, run="run-4", attempt=4, after=200),
        ]
        decisions.handle([delivery(message(one)) for one in events])
    return url


def explained(request: ExplainRequest, environ: dict[str, str], out: io.StringIO) -> Exit:
    return run(request, environ=environ, out=out, err=io.StringIO(), now=NOW)


def answer(url: str, identifier: str, *, output: DocumentForm = "table", details: bool = False) -> tuple[Exit, str]:
    out = io.StringIO()
    request = ExplainRequest(identifier=identifier, store=url, output=output, details=details, utc=True)
    return explained(request, {}, out), out.getvalue()


def test_a_job_is_told_on_one_screen(url: str) -> None:
    code, text = answer(url, "job-1")

    lines = text.splitlines()
    assert code is Exit.FINE
    assert lines[0].startswith("RUNNING  again, after: oom  ")
    assert lines[0].endswith("  job job-1  queue ml  job set set")
    assert "  Fault     unknown: container main ended (exit 137, OOMKilled) and said: last" in lines
    assert "  Do next   nothing: attempt 5 runs" in lines
    assert "  Retries   3 of 3 used (policy ml, rule 1 oom): no more" in lines
    assert [line.split()[0] for line in lines if line.endswith((" retry", " fail", " -"))] == ["5", "4", "3", "2", "1"]
    assert f"explain job-1 --details --store {url}" in " ".join(text.replace("\\\n", "").split())


def test_a_run_is_told_alone(url: str) -> None:
    code, text = answer(url, "run-3")

    assert code is Exit.FINE
    assert text.startswith("FAILED  ")
    assert "attempt 4, node-1 in cluster east, pod jobs/pod-run-3" in text
    assert "run-2" not in text


def test_times_are_local_unless_utc_is_asked_for(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    out = io.StringIO()
    explained(ExplainRequest(identifier="run-3", store=url), {}, out)
    monkeypatch.undo()
    time.tzset()

    assert "  Failed    7 min ago (17:33 IST)" in out.getvalue()
    assert "  Failed    7 min ago (12:03 UTC)" in answer(url, "run-3")[1]


def test_details_show_everything(url: str) -> None:
    _, text = answer(url, "job-1", details=True)

    assert text.count("mode: policies; counted for job job-1") == 4
    for part in (
        "job job-1 (queue ml, job set set): 5 runs",
        "run run-0, attempt 1: east jobs/pod-run-0 on node-1, failed",
        "run run-4, attempt 5: east jobs/pod-run-4 on node-1, running",
        "container-restarted",
        "last words",
        "2026-11-21 12:03:00 UTC pod-failed",
        "later evidence on pod-failed",
        "matched: container main: reason OOMKilled",
        "limit: retries granted under ml/oom: 3 of 3 (retryLimit of the rule): forbidden",
        "limit: all retries granted: 3 of 20 (globalMaxRetries): allowed",
        "delay: 0s (at most 10m)",
        "no verdict",
    ):
        assert part in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("columns", [60, 80, 200])
def test_details_wrap_at_a_terminal(url: str, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    out = Terminal()
    explained(ExplainRequest(identifier="job-1", store=url, details=True, utc=True), {}, out)
    _, piped = answer(url, "job-1", details=True)

    assert max(map(cells_of, out.getvalue().splitlines())) <= columns
    # Nothing is lost, and only URLs and the like may be broken within a word.
    assert "".join(out.getvalue().split()) == "".join(piped.split())


@pytest.mark.parametrize(("output", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_programs_get_the_same(url: str, output: DocumentForm, read: object) -> None:
    assert callable(read)
    code, text = answer(url, "job-1", output=output)
    told = read(text)

    assert code is Exit.FINE
    assert [one["verdict"] and one["verdict"]["action"] for one in told["runs"]] == ["retry"] * 3 + ["fail", None]
    assert (told["state"], told["nextStep"]) == ("running", "nothing: attempt 5 runs")
    last = told["runs"][3]
    assert last["verdict"]["retries"] == "3 of 3 used (policy ml, rule 1 oom): no more"
    assert last["failures"][1]["fault"] == "not known"
    assert last["failures"][1]["categoryInWords"] == "oom"
    assert last["failures"][1]["deciding"]["trust"] == "user text"
    assert [one["occurrence"] for one in last["failures"]] == ["container-restarted", "pod-failed", "pod-failed"]
    assert (last["failures"][1]["category"], last["failures"][1]["failure"]["categories"]) == ("oom", ["oom"])
    explained = last["verdict"]["explanation"]
    assert explained["decider"]["matched"]["where"] == "container main: reason OOMKilled"
    assert [limit["allowed"] for limit in explained["limits"]] == [False, True]


def test_an_id_that_nobody_knows(url: str) -> None:
    with pytest.raises(NotFoundError) as refused:
        answer(url, "job-\x1b[2J")

    assert str(refused.value) == "the store has no job, no run and no pod job-\\x1b[2J"


@pytest.mark.parametrize(
    ("identifier", "command"), [("train-9", "classify pod train-9"), ("ml/train-9", "classify pod train-9 -n ml")]
)
def test_a_pod_that_is_not_in_the_store_may_be_in_the_cluster(url: str, identifier: str, command: str) -> None:
    with pytest.raises(NotFoundError) as refused:
        answer(url, identifier)

    first, second, third = str(refused.value).splitlines()
    assert first == f"the store has no job, no run and no pod {identifier}"
    assert second == "A pod that has not failed yet, or still tries to start, is only in the cluster:"
    assert third.endswith(f"failctl {command}")


def test_a_pod_name_used_again_explains_the_newest_and_names_the_others(tmp_path: Path) -> None:
    url = new_store(tmp_path)
    with Store.open(url) as store:
        for number in range(5):
            sent = event(f"e{number}", failed(), run=f"run-{number}", job=f"job-{number}", after=number)
            sent = replace(sent, pod=replace(sent.pod, name="train-0"))
            Decisions(store, inputs=decision_inputs(), clock=lambda _: START).handle([delivery(message(sent))])

    _, text = answer(url, "train-0")
    lines = text.splitlines()

    assert "job job-4" in lines[0]
    below = lines[lines.index("  4 earlier jobs had a pod of this name, of which the newest 3 are:") + 1 :]
    assert [line.split()[:5] for line in below] == [
        ["KIND", "ID", "LAST", "STATE", "CATEGORY"],
        *(["job", f"job-{number}", "9", "min", "ago"] for number in (3, 2, 1)),
    ]
    assert all(line.endswith("  still-failed  oom") for line in below[1:])
    assert json.loads(answer(url, "train-0", output="json")[1])["jobId"] == "job-4"


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no store"):
        answer(f"sqlite:///{tmp_path}/none.db", "job-1")


def test_without_an_address_it_says_how_to_give_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(asked, "DEFAULT", "127.0.0.1:1")
    monkeypatch.setattr(asked, "DEFAULT_LOOKOUT", "http://127.0.0.1:1")
    with pytest.raises(UsageError, match="--store URL or --settings FILE of the scheduler"):
        explained(ExplainRequest(identifier="job-1"), {"FAILCTL_CONFIG": f"{tmp_path}/none"}, io.StringIO())


def test_the_address_comes_from_the_environment_or_the_settings(url: str, tmp_path: Path) -> None:
    settings = tmp_path / "scheduler.yaml"
    settings.write_text(f"broker: {{url: sqlite:///log.db}}\nstore: {{url: {url}}}\n")

    for request, environ in (
        (ExplainRequest(identifier="job-1"), {"FAILURE_AGENT_STORE__URL": url}),
        (ExplainRequest(identifier="job-1", settings=settings), {}),
    ):
        assert explained(request, environ, io.StringIO()) is Exit.FINE


@pytest.mark.parametrize("output", ["table", "json", "yaml"])
@pytest.mark.parametrize("details", [True, False])
def test_nothing_hostile_reaches_the_terminal(
    tmp_path: Path,
    output: DocumentForm,
    details: bool,  # noqa: FBT001 - pytest passes by name
) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    told = failed(containers=[{**OOM["containers"][0], "name": HOSTILE, "message": HOSTILE}], categories=[HOSTILE])
    told = replace(
        told,
        termination_message=HOSTILE,
        container_name=HOSTILE,
        pod_error=HOSTILE,
        events=(Event(reason=HOSTILE, message=HOSTILE, type="Warning"),),
    )
    with Store.open(url) as store:
        sent = event("e", told, job=f"job {HOSTILE}", gang=HOSTILE)
        Decisions(store, inputs=decision_inputs(), clock=lambda _: START).handle([delivery(message(sent))])

    _, text = answer(url, "run-1", output=output, details=details)

    assert "owned" in text
    assert not [char for char in text.replace("\n", "") if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}]


def test_a_job_of_many_runs_says_how_many_are_not_shown(tmp_path: Path) -> None:
    url = new_store(tmp_path)
    with Store.open(url) as store:
        sent = [event(f"e{number}", failed(), run=f"run-{number}", after=number) for number in range(NEWEST + 5)]
        decisions = Decisions(store, inputs=decision_inputs(), clock=lambda _: START)
        decisions.handle([delivery(message(one)) for one in sent])

    _, brief = answer(url, "job-1")
    _, whole = answer(url, "job-1", details=True)
    shown = sum(line.endswith((" retry", " fail")) for line in brief.splitlines())

    assert f"{NEWEST + 5 - shown} earlier attempts; --details shows them" in brief
    assert whole.count("\nrun run-") == NEWEST + 5
