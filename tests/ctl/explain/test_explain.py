import io
import json
import unicodedata
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from agent.console.exits import Exit, NotFoundError, UnreachableError, UsageError
from agent.console.options import DocumentForm
from agent.core.evidence import Event
from agent.core.failure import Amendment, Occurrence, RunPhase
from agent.ctl.explain.explain import NEWEST, ExplainRequest, run
from agent.scheduler.consume.handler import Decisions
from agent.store.store import Store
from tests.scheduler.path import decision_inputs, delivery, message
from tests.store.events import OOM, START, event, failed

HOSTILE = "\x1b]0;owned\x07[red]bold[/red] \u202eevil\u2066 end"


@pytest.fixture
def url(tmp_path: Path) -> str:
    """A store in which a job was killed for memory four times; the last time it was restarted in place before."""
    url = f"sqlite:///{tmp_path}/store.db"
    with Store.open(url) as store:
        decisions = Decisions(store, inputs=decision_inputs(), clock=lambda: START)
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


def answer(url: str, identifier: str, *, output: DocumentForm = "table", details: bool = False) -> tuple[Exit, str]:
    out = io.StringIO()
    request = ExplainRequest(identifier=identifier, store=url, output=output, details=details)
    return run(request, environ={}, out=out), out.getvalue()


def test_a_job_is_told_run_after_run(url: str) -> None:
    code, text = answer(url, "job-1")

    lines = text.splitlines()
    assert code is Exit.FINE
    assert lines[0] == "job job-1 (queue ml, job set set): 5 runs"
    assert [line for line in lines if line.startswith("run ")] == [
        *(f"run run-{number}, attempt {number}: east jobs/pod-run-{number} on node-1, failed" for number in range(4)),
        "run run-4, attempt 4: east jobs/pod-run-4 on node-1, running",
    ]
    assert text.count("verdict: Retry at once: policy ml, rule 1 oom") == 3
    assert text.count("says Retry, but retryLimit of the rule is used up (3 of 3)") == 1
    assert "restarted in place: once" in text
    assert "  no verdict" in lines


def test_a_run_is_told_in_full(url: str) -> None:
    code, text = answer(url, "run-3")

    assert code is Exit.FINE
    for part in (
        "oom",
        "last words",
        "137",
        "matched: container main: reason OOMKilled",
        "limit: retries granted under ml/oom: 3 of 3 (retryLimit of the rule): forbidden",
        "limit: all retries granted: 3 of 20 (globalMaxRetries): allowed",
        "later evidence on pod-failed",
    ):
        assert part in text
    assert "run-2" not in text


def test_all_shows_everything(url: str) -> None:
    _, text = answer(url, "job-1", details=True)

    assert text.count("mode: policies; counted for job job-1") == 4
    assert "container-restarted" in text
    assert "delay: min(0s * 2^2, 10m) = 0s" in text


@pytest.mark.parametrize(("output", "read"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_programs_get_the_same(url: str, output: DocumentForm, read: object) -> None:
    assert callable(read)
    code, text = answer(url, "job-1", output=output)
    told = read(text)

    assert code is Exit.FINE
    assert [one["verdict"] and one["verdict"]["action"] for one in told["runs"]] == ["retry"] * 3 + ["fail", None]
    last = told["runs"][3]
    assert [one["occurrence"] for one in last["failures"]] == ["container-restarted", "pod-failed", "pod-failed"]
    assert (last["failures"][1]["category"], last["failures"][1]["failure"]["categories"]) == ("oom", ["oom"])
    explained = last["verdict"]["explanation"]
    assert explained["spoke"]["matched"]["where"] == "container main: reason OOMKilled"
    assert [limit["allowed"] for limit in explained["limits"]] == [False, True]


def test_an_id_that_nobody_knows(url: str) -> None:
    with pytest.raises(NotFoundError) as refused:
        answer(url, "job-\x1b[2J")

    assert str(refused.value) == "the store has no job, no run and no pod job-\\x1b[2J"


def test_a_store_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UnreachableError, match="there is no store"):
        answer(f"sqlite:///{tmp_path}/none.db", "job-1")


def test_without_an_address_it_says_how_to_give_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match="--store URL is not given, nor --settings FILE"):
        run(ExplainRequest(identifier="job-1"), environ={}, out=io.StringIO())


def test_the_address_comes_from_the_environment_or_the_settings(url: str, tmp_path: Path) -> None:
    settings = tmp_path / "scheduler.yaml"
    settings.write_text(f"broker: {{url: sqlite:///log.db}}\nstore: {{url: {url}}}\n")

    for request, environ in (
        (ExplainRequest(identifier="job-1"), {"FAILURE_AGENT_STORE__URL": url}),
        (ExplainRequest(identifier="job-1", settings=settings), {}),
    ):
        assert run(request, environ=environ, out=io.StringIO()) is Exit.FINE


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
        Decisions(store, inputs=decision_inputs(), clock=lambda: START).handle([delivery(message(sent))])

    _, text = answer(url, "run-1", output=output, details=details)

    assert "owned" in text
    assert not [char for char in text.replace("\n", "") if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}]


def test_a_job_of_many_runs_says_how_many_are_not_shown(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/store.db"
    with Store.open(url) as store:
        sent = [event(f"e{number}", failed(), run=f"run-{number}", after=number) for number in range(NEWEST + 5)]
        Decisions(store, inputs=decision_inputs(), clock=lambda: START).handle([delivery(message(one)) for one in sent])

    _, brief = answer(url, "job-1")
    _, whole = answer(url, "job-1", details=True)

    assert "5 earlier runs are not shown; --details shows them" in brief
    assert brief.count("\nrun run-") == NEWEST
    assert whole.count("\nrun run-") == NEWEST + 5
