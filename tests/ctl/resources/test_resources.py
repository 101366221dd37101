"""The commands about resources, on a real API over a real store."""

import getpass
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import structlog.testing
import yaml
from typer.testing import CliRunner, Result

from agent.api.v1 import resources_pb2 as pb
from agent.console.exits import UsageError
from agent.ctl.api import translated
from agent.ctl.main import app
from agent.ctl.resources import show
from agent.ctl.resources.completion import complete_kind
from agent.ctl.resources.show import ShowRequest
from agent.ctl.server import VARIABLE
from agent.manifests.resource.kind import Kind
from agent.store.store import Store
from tests.manifests.resource.documents import armadas, policy, queue, rule
from tests.scheduler.service.site import Site, served, site
from tests.store.databases import new_store

Failctl = Callable[..., Result]


@pytest.fixture
def api(tmp_path: Path) -> Iterator[Site]:
    with Store.open(new_store(tmp_path)) as store:
        yield site(store)


@pytest.fixture
def failctl(api: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Failctl]:
    """``failctl`` with words, in a folder of its own, with the API of the test."""
    monkeypatch.chdir(tmp_path)
    # the log of the server, which runs in this process, would stand in the output
    with served(api) as address, structlog.testing.capture_logs():
        env = {VARIABLE: address, "USER": "alice", "LOGNAME": "alice", "COLUMNS": "80"}
        yield lambda *words, **more: CliRunner().invoke(app, [*words], env=env, **more)


def write(name: str, text: str) -> str:
    Path(name).write_text(text)
    return name


def test_the_four_commands_of_armadas_proposal(failctl: Failctl) -> None:
    file = write("retry-policy.yaml", policy("infrastructure", comment="ours"))

    assert failctl("create", "-f", file).stdout == "Created retry policy infrastructure (version 1)\n"
    assert failctl("get", "retrypolicy", "infrastructure", "-o", "yaml").stdout == Path(file).read_text()
    write(file, policy("infrastructure", limit=7))
    assert failctl("update", "-f", file).stdout == "Updated retry policy infrastructure (version 2)\n"
    assert failctl("delete", "retrypolicy", "infrastructure").stdout == "Deleted retry policy infrastructure\n"
    gone = failctl("get", "retrypolicy", "infrastructure")
    assert (gone.exit_code, gone.stderr) == (1, "failctl: there is no retry policy infrastructure\n")


def test_a_queue_is_made_of_options(failctl: Failctl, api: Site) -> None:
    failctl("create", "-f", write("p.yaml", policy("infra") + "---\n" + policy("ml-training")))

    made = failctl("create", "queue", "ml", "--retry-policy", "infra,ml-training", "--priority", "2")

    assert made.stdout == "Created queue ml (version 1)\n"
    assert api.effective("ml") == ("infra", "ml-training")
    failctl("update", "queue", "ml", "--retry-policies", "infra")
    written = yaml.safe_load(failctl("get", "queue", "ml", "-o", "yaml").stdout)
    assert written["spec"] == {"priority": 2.0, "retryPolicies": ["infra"]}


def test_a_queue_without_policies_is_not_shown_with_the_policy_default(failctl: Failctl) -> None:
    failctl("create", "queue", "ml")

    assert failctl("get", "queue").stdout.splitlines()[1].startswith("ml    (defaultPolicyName)  1")


def test_an_error_rule_is_stored_with_the_warning_that_it_decides_nothing_yet(failctl: Failctl) -> None:
    applied = failctl("apply", "-f", write("rule.yaml", rule(7)))

    assert (applied.exit_code, applied.stdout) == (0, "Created error rule 7 (version 1)\n")
    assert applied.stderr == (
        "warning: rule.yaml: error rule 7: the scheduler does not decide by error rules yet; "
        "`failctl error-rule decide` shows what they would do\n"
    )


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["create"], 2, "what should be created? -f FILE names documents"),
        (["create", "retrypolicy"], 2, "create which retry policy? -f FILE names documents"),
        (["create", "retrypolicy", "a", "--priority", "2"], 2, "write a file and give -f FILE"),
        (["create", "queue", "q", "-f", "p.yaml"], 2, "give either a name with options, or -f FILE"),
        (["create", "-f", "p.yaml", "--priority", "2"], 2, "write queue NAME before them"),
        (["create", "-f", "gone.yaml"], 2, "gone.yaml: No such file or directory"),
        (["create", "queue", "-f", "p.yaml"], 2, "p.yaml:2:7: kind: kind must be Queue"),
        (["create", "queue", "q", "--retry-policy", "gone"], 2, "retry policies do not exist: gone"),
        (["create", "-f", "bad.yaml"], 2, "did you mean `action`?"),
        (["create", "-f", "p.yaml", "-f", "again.yaml"], 2, "again.yaml: retry policy infra is in p.yaml, too"),
        (["get", "retrypolicie"], 2, "No such command 'retrypolicie'"),
        (["delete", "policy", "a"], 2, "there is no kind of resources called policy"),
        (["update", "-f", "p.yaml"], 1, "there is no retry policy infra; create or apply it instead"),
        (["delete", "rp", "default"], 1, "retry policy default cannot be deleted"),
        (["history", "rp", "gone"], 1, "the store never had a retry policy gone"),
        (["get", "rp", "--server", "nowhere"], 2, "nowhere is no address of an API; write host:port"),
        (["get", "rp", "--context", "gone"], 1, "there is no context gone"),
        (["diff"], 2, "compare what? -f FILE names documents, KIND NAME a resource"),
    ],
)
def test_wrong_usage_says_what_to_do(failctl: Failctl, words: list[str], code: int, said: str) -> None:
    write("p.yaml", policy("infra"))
    write("again.yaml", policy("infra"))
    write("bad.yaml", policy("infra").replace("action", "acton"))

    done = failctl(*words)

    assert (done.exit_code, said in done.stderr) == (code, True), done.stderr
    assert done.stdout == ""


def test_all_resources_restore_an_empty_store(failctl: Failctl, tmp_path: Path) -> None:
    texts = [policy("infra", comment="why"), armadas("old"), queue("ml", ["infra"], comment="first"), rule(17)]
    failctl("create", "-f", write("all.yaml", "---\n".join(texts)))
    saved = failctl("get", "all", "-o", "yaml").stdout

    with Store.open(f"sqlite:///{tmp_path}/other.db") as store, served(site(store)) as address:
        done = failctl("create", "-f", "-", "--server", address, input=saved)
        again = failctl("get", "all", "-o", "yaml", "--server", address).stdout

    assert done.exit_code == 0, done.stderr
    assert again == saved
    assert saved.count("# why") == 1


def test_a_text_like_a_date_or_a_number_is_a_text_in_every_form(failctl: Failctl) -> None:
    labels = {"released": "2024-01-01", "at": "12:30:45", "canary": "no", "build": "1_000"}
    written = "".join(f"    {name}: {text}\n" for name, text in labels.items())
    failctl("create", "-f", write("q.yaml", f"{queue('dated')}  labels:\n{written}"))

    for words in (["get", "queue", "dated"], ["get", "queues"], ["get", "all"]):
        [found] = json.loads(failctl(*words, "-o", "json").stdout)
        assert found["document"]["spec"]["labels"] == labels
        shown = failctl(*words, "-o", "yaml").stdout
        assert all(f"{name}: {text}\n" in shown for name, text in labels.items())
    assert failctl("describe", "queue", "dated").exit_code == 0


@pytest.mark.parametrize("name", ["jörg", "100%", "鈴木 a\tb", "\udcff"])
def test_the_user_who_asks_is_named(failctl: Failctl, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(getpass, "getuser", lambda: name)

    done = failctl("create", "queue", "ml")

    assert done.exit_code == 0, done.stderr
    [found] = json.loads(failctl("get", "queues", "-o", "json").stdout)
    assert found["changedBy"] == name.replace("\t", "").replace("\udcff", "?")


def test_a_kind_of_a_later_version_is_named() -> None:
    with (
        pytest.raises(UsageError, match="the kind 7 of new is not known; if the server is of a later version"),
        translated(),
    ):
        show._known([pb.Resource(kind=7, name="new")])  # type: ignore[arg-type]  # as a later server may send it


@pytest.mark.parametrize(
    "text", ["kind: Queue\n  spec: {", "a: &a {b: *a}\n", "spec: {<<: 1}\n", "name: 010\n", "a: 1\n---\nb: 2\n"]
)
def test_a_text_of_a_later_version_is_shown_as_it_is_with_the_reason(text: str) -> None:
    later = pb.Resource(kind=pb.RESOURCE_KIND_QUEUE, name="later", version=1, text=text)

    found = show._document(later)

    assert (found["document"], found["text"]) == (None, text)
    assert found["problem"].startswith("this version cannot read the text: line ")
    assert show._as_yaml([later, later], ShowRequest(kind=Kind.QUEUE)) == f"{text.strip()}\n---\n{text.strip()}\n"


def test_a_list_of_one_dialect_is_a_mapping_and_a_mixed_one_a_document_each(failctl: Failctl) -> None:
    failctl("create", "-f", write("a.yaml", policy("a") + "---\n" + policy("b")))
    unmixed = failctl("get", "retrypolicies", "-o", "yaml").stdout
    assert [item["metadata"]["name"] for item in yaml.safe_load(unmixed)["retryPolicies"]] == ["a", "b"]

    failctl("create", "-f", write("c.yaml", armadas("c")))
    mixed = failctl("get", "retrypolicies", "-o", "yaml").stdout
    assert [document["kind"] for document in yaml.safe_load_all(mixed)] == ["RetryPolicy"] * 3
    for listed in (unmixed, mixed):
        assert failctl("apply", "-f", write("listed.yaml", listed)).exit_code == 0


def test_the_forms_of_a_list(failctl: Failctl) -> None:
    failctl("create", "-f", write("a.yaml", policy("a") + "---\n" + queue("ml", ["a"])))

    head, of_a, built_in = failctl("get", "rp").stdout.splitlines()
    assert head.split() == ["NAME", "RULES", "DEFAULT", "LIMIT", "MODE", "VERSION", "FROM", "CHANGED", "BY"]
    assert of_a.split()[:6] == ["a", "1", "Fail", "live", "1", "store"]
    assert built_in == "default  0      Fail            live           built in"
    assert failctl("get", "rp", "-o", "name").stdout == "retrypolicy/a\nretrypolicy/default\n"
    (shown,) = json.loads(failctl("get", "q", "ml", "-o", "json").stdout)
    assert (shown["name"], shown["version"], shown["document"]["spec"]["retryPolicies"]) == ("ml", 1, ["a"])
    described = failctl("describe", "rp", "a").stdout
    assert "  queues: ml\n" in described
    assert "  version 1, changed " in described
    assert failctl("get", "er").stderr == "There is no error rule.\n"


def test_versions_are_listed_compared_and_returned_to(failctl: Failctl) -> None:
    file = write("a.yaml", policy("a", limit=1))
    failctl("create", "-f", file)
    write(file, policy("a", limit=2))

    differs = failctl("diff", "-f", file)
    assert (differs.exit_code, "-  - {name: oom, action: Retry, retryLimit: 1" in differs.stdout) == (1, True)
    failctl("apply", "-f", file)
    assert failctl("diff", "-f", file).stdout == ""
    assert failctl("apply", "-f", file).stdout == "retry policy a is unchanged\n"
    listed = failctl("history", "rp", "a").stdout.splitlines()
    assert [row.split()[:2] for row in listed[1:]] == [["2", "updated"], ["1", "created"]]
    assert "+  - {name: oom, action: Retry, retryLimit: 2" in failctl("diff", "rp", "a").stdout
    assert failctl("rollback", "rp", "a").stdout == "Rolled back retry policy a (version 3)\n"
    assert failctl("diff", "rp", "a", "1", "3").stdout == ""


def test_a_policy_in_use_is_deleted_with_detach_only(failctl: Failctl) -> None:
    failctl("create", "-f", write("a.yaml", policy("a") + "---\n" + queue("ml", ["a"])))

    refused = failctl("delete", "rp", "a")
    would = failctl("delete", "rp", "a", "--detach", "--dry-run")
    done = failctl("delete", "rp", "a", "--detach")

    assert (refused.exit_code, "is named by 1 queue: ml" in refused.stderr) == (1, True)
    assert would.stdout.startswith("Would delete retry policy a\n")
    assert done.stdout == "Deleted retry policy a\nDetached it from 1 queue: ml\n"
    assert failctl("delete", "rp", "a", "--ignore-not-found").stdout == "There is no retry policy a\n"


def test_a_dry_run_says_what_it_touches_and_changes_nothing(failctl: Failctl, api: Site) -> None:
    would = failctl("create", "-f", write("a.yaml", policy("a")), "--dry-run")

    assert would.stdout == (
        "Would create retry policy a\n  waiting jobs with retries counted under it: 0; counts that start again: 0\n"
    )
    assert api.names(Kind.RETRY_POLICY) == []


def test_hostile_text_does_not_reach_the_terminal(failctl: Failctl) -> None:
    failctl("create", "-f", write("a.yaml", policy("a", comment="\u202eevil")))

    for words in (["get", "rp", "a", "-o", "yaml"], ["describe", "rp", "a"], ["get", "rp", "-o", "yaml"]):
        shown = failctl(*words)
        assert (shown.exit_code, "evil" in shown.stdout, "\u202e" in shown.stdout) == (0, True, False), words


def test_a_server_that_does_not_run_is_unreachable(failctl: Failctl) -> None:
    done = failctl("get", "rp", "--server", "127.0.0.1:1")

    assert (done.exit_code, done.stdout) == (3, "")
    assert done.stderr.startswith("failctl: the API at 127.0.0.1:1: connection refused; is the scheduler running?")


def test_a_server_whose_store_is_gone_says_so_itself(failctl: Failctl, tmp_path: Path) -> None:
    (tmp_path / "store.db").rename(tmp_path / "moved.db")

    done = failctl("create", "queue", "q")

    assert done.exit_code == 3
    assert "the store does not answer" in done.stderr
    assert "is the scheduler running" not in done.stderr


def test_kinds_are_completed() -> None:
    assert complete_kind("r") == ["retrypolicy"]
    assert complete_kind("") == ["retrypolicy", "queue", "error-rule"]


def test_a_warning_names_the_file_and_the_place_in_it_and_comes_before_the_result(failctl: Failctl) -> None:
    write("first.yaml", f"# a policy, and one that never retries\n\n{policy('fine')}---\n\n\n{policy('a', limit=0)}")
    write("second.yaml", policy("b", limit=0))

    for more in ([], ["--dry-run"]):
        done = failctl("apply", "-f", "first.yaml", "-f", "second.yaml", *more)
        lines = done.output.splitlines()
        assert [line.partition(": a limit of 0")[0] for line in lines if line.startswith("warning: ")] == [
            "warning: first.yaml:17:44: retry policy a",
            "warning: second.yaml:6:44: retry policy b",
        ]
        (last,) = (at for at, line in enumerate(lines) if line.startswith("warning: second.yaml"))
        (result,) = (at for at, line in enumerate(lines) if "retry policy b" in line and at != last)
        assert last < result
