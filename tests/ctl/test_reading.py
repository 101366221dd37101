"""Reading commands print the same from the API as from the store."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog.testing
from typer.testing import CliRunner, Result

from agent.ctl.main import app
from agent.store.store import Store
from tests.manifests.resource.documents import policy, queue
from tests.scheduler.service.site import served, site
from tests.store.databases import new_store
from tests.store.records.test_lists import fill


class Both:
    """``failctl`` on one store, and on the API over it."""

    def __init__(self, store: str, address: str) -> None:
        self._store = store
        self._address = address

    def store(self, *words: str) -> Result:
        return CliRunner().invoke(app, [*words, "--store", self._store])

    def api(self, *words: str) -> Result:
        return CliRunner().invoke(app, [*words, "--server", self._address])


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Both]:
    url = new_store(tmp_path_factory.mktemp("reading"))
    with Store.open(url) as store:
        fill(store)
        with served(site(store)) as address, structlog.testing.capture_logs():
            yield Both(url, address)


@pytest.mark.parametrize(
    "words",
    [
        "get jobs",
        "get jobs --state still-failed --queue q1",
        "get jobs --limit 3",
        "get jobs --limit 3 -o json",
        "get runs -o wide",
        "get runs --job-set set2 -o yaml",
        "get failures -o json",
        "get failures --detail resource=nvidia.com/gpu -o jsonl",
        "get failures --fingerprint v1:0000000000000000",
        "get verdicts --action fail",
        "get verdicts --category disk -o name",
        "get failures --origin infra --exit-code 1",
    ],
)
def test_lists_are_the_same(both: Both, words: str) -> None:
    from_store, from_api = both.store(*words.split()), both.api(*words.split())

    assert (from_api.exit_code, from_api.stdout) == (from_store.exit_code, from_store.stdout)
    assert from_api.stderr == from_store.stderr


@pytest.mark.parametrize("more", [[], ["--details"], ["-o", "json"], ["-o", "yaml"], ["--details", "--utc"]])
def test_explanations_are_the_same_but_for_how_to_ask_again(both: Both, more: list[str]) -> None:
    for name in ("job-29", "job-2", "job-3-a", "nothing-like-it", "job"):
        from_store, from_api = both.store("explain", name, *more), both.api("explain", name, *more)
        assert from_api.exit_code == from_store.exit_code
        assert without_commands(from_api.stdout) == without_commands(from_store.stdout)
        assert from_api.stderr == from_store.stderr


def test_the_next_command_asks_the_same_api(both: Both) -> None:
    card = both.api("explain", "job-29").stdout

    assert "--server 127.0.0.1:" in " ".join(card.split())
    assert "--store" not in card


def without_commands(text: str) -> list[str]:
    """The lines without commands, because these name the store or the API."""
    return [line for line in text.splitlines() if not any(word in line for word in ("--", "sqlite:", "127.0.0.1"))]


def test_a_wrong_question_is_refused_in_the_same_way(both: Both) -> None:
    for words in (["get", "jobs", "--after", "nonsense"], ["get", "failures", "--container", "a\0b"]):
        from_store, from_api = both.store(*words), both.api(*words)
        assert (from_api.exit_code, from_api.stderr) == (from_store.exit_code, from_store.stderr)
        assert from_api.exit_code == 2


SCENARIO = "name: one\nfailures:\n- {containers: [{name: main, exitCode: 137, reason: OOMKilled}]}\n"


def test_the_scheduler_decides_a_scenario_and_says_whose_policies_apply(both: Both, tmp_path: Path) -> None:
    (tmp_path / "p.yaml").write_text(policy("p") + "---\n" + queue("q1", ["p"]))
    (tmp_path / "one.yaml").write_text(f"{SCENARIO}policies: [p]\n")
    both.api("create", "-f", str(tmp_path / "p.yaml"))

    decided = both.api("decide", "-f", str(tmp_path / "one.yaml"))
    as_json = both.api("decide", "-f", str(tmp_path / "one.yaml"), "-o", "json")

    assert decided.stdout == "scenario one\n  1. Retry at once: policy p, rule 1 oom says Retry\n"
    assert json.loads(as_json.stdout)[0]["action"] == "retry"
    assert both.api("policy", "effective", "--queue", "q1").stdout == "p version 1\n"
    assert both.api("policy", "effective", "job-29").stdout == "p version 1\n"
    assert both.api("policy", "effective", "--queue", "q9", "--annotation", "gone").stdout == (
        "policy gone is skipped: there is no such policy\n"
        "No policy is in effect: a run is retried only if its cluster returned it.\n"
    )
    assert both.api("policy", "effective", "--queue", "q9").stdout == "default\n"
    assert both.api("policy", "effective").exit_code == 2


def test_a_server_that_does_not_answer_is_unreachable(both: Both) -> None:
    done = CliRunner().invoke(app, ["get", "jobs", "--server", "127.0.0.1:1"])

    assert (done.exit_code, both.api("get", "jobs").exit_code) == (3, 0)
    assert "the API at 127.0.0.1:1: connection refused" in done.stderr
