"""Lists of pods as people ask for them: folded, filtered, sorted, with totals."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent.ctl.main import app
from tests.ctl.classify.test_classify import RULES, pod

RULES_OF_NODES = f"""order: evidence
{RULES}
- name: network
  origin: infra
  retry: elsewhere
  rules:
  - onTerminationMessage: {{pattern: "ConnectionRefused"}}
- name: disk
  origin: infra
  rules:
  - onConditions: [Evicted]
"""


def owned(
    name: str, kind: str, owner: str, *, node: str = "", labels: Mapping[str, str] | None = None, **ended: Any
) -> dict[str, Any]:
    """A pod that failed, of a workload, on a node."""
    made = pod(name, **ended)
    owners = [{"apiVersion": "v1", "kind": kind, "name": owner, "uid": owner, "controller": True}]
    made["metadata"] |= {"ownerReferences": owners, "labels": labels or {}}
    return {**made, "spec": {"nodeName": node, "containers": [{"name": "main"}]}}


def pods() -> Iterator[dict[str, Any]]:
    """Twelve pods: a Job's, of which three failed alike, a Deployment's, a bare one, and some that run."""
    for number, suffix in enumerate(("st2q8", "x8k2p", "m4z9d")):
        yield owned(f"train-{suffix}", "Job", "train", node=f"gpu-{number}", exitCode=137, reason="OOMKilled")
    yield owned("train-zz2zz", "Job", "train", node="gpu-1", exitCode=9, message="Error")
    hash_of = {"pod-template-hash": "7d4b"}
    for suffix in ("abcde", "fghij"):
        ended = {"exitCode": 1, "message": "ConnectionRefused"}
        yield owned(f"web-7d4b-{suffix}", "ReplicaSet", "web-7d4b", node="gpu-1", labels=hash_of, **ended)
    evicted = pod("render")
    evicted["status"] |= {"reason": "Evicted", "containerStatuses": []}
    yield evicted
    for number in range(5):
        runs = owned(f"db-{number}", "StatefulSet", "db", node="gpu-1")
        yield {**runs, "status": {"phase": "Running"}}


class Lists:
    """``failctl classify`` on these pods."""

    def __init__(self, folder: Path) -> None:
        self._pods, self._rules = folder / "pods.json", folder / "rules.yaml"
        self._pods.write_text(json.dumps({"kind": "List", "items": list(pods())}))
        self._rules.write_text(RULES_OF_NODES)

    def __call__(self, *options: str) -> list[str]:
        done = CliRunner().invoke(app, ["classify", "-f", str(self._pods), "--rules", str(self._rules), *options])
        assert done.exit_code == 0, done.output
        return done.stdout.splitlines()

    def refusal(self, *options: str) -> str:
        done = CliRunner().invoke(app, ["classify", "-f", str(self._pods), *options])
        assert done.exit_code == 2
        return done.stderr

    def names(self, *options: str) -> list[str]:
        """The names of the pods that are listed, without their namespace."""
        return [name.removeprefix("team/") for name in self(*options, "-o", "name")]


@pytest.fixture
def lists(tmp_path: Path) -> Lists:
    return Lists(tmp_path)


def test_what_happened_to_several_pods_of_a_workload_is_one_line_with_their_count(lists: Lists) -> None:
    """Every pod had its line, so that 200 failures of one Job were 200 lines."""
    heading, *rows = lists()[:6]

    assert heading.split()[:3] == ["POD", "COUNT", "CATEGORY"]
    assert [row.split()[:4] for row in rows] == [
        ["team/train-*", "3", "oom/container-limit", "user"],
        ["team/train-zz2zz", "1", "app/exception", "unknown"],
        ["team/web-7d4b-*", "2", "network", "infra?"],
        ["team/render", "1", "disk", "infra"],
        ["team/db-*", "5", "healthy", "-"],
    ]


def test_what_was_folded_can_be_seen_line_by_line_and_programs_always_do(lists: Lists) -> None:
    unfolded = lists("--unfold")

    assert "COUNT" not in unfolded[0]
    assert len(unfolded) == len(lists("-o", "wide")) == 1 + 12 + len(lists()[6:])
    assert len(lists("-o", "jsonl")) == len(json.loads("\n".join(lists("-o", "json")))) == 12


def test_totals_say_of_how_many_pods_how_many_failed_for_whose_fault(lists: Lists) -> None:
    """The only totals were those of pairs of category and fault, of which the most frequent were listed."""
    assert lists("--failed")[-5:] == [
        "Of 12 pods, 7 failed: infra 3 (2 likely), user 3, unknown 1; 5 healthy",
        "     3  user       oom/container-limit",
        "     2  infra?     network",
        "     1  unknown    app/exception",
        "     1  infra      disk",
    ]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--origin infra", ["web-7d4b-abcde", "web-7d4b-fghij", "render"]),
        ("--node gpu-1 --failed", ["train-x8k2p", "train-zz2zz", "web-7d4b-abcde", "web-7d4b-fghij"]),
        ("--node gpu-1 --category oom", ["train-x8k2p"]),
        ("--category oom/container-limit --node gpu-0", ["train-st2q8"]),
        ("--category oom/other", []),
        ("--owner train --exit-code 9", ["train-zz2zz"]),
        ("--owner web", ["web-7d4b-abcde", "web-7d4b-fghij"]),
        ("--owner deployment/web", ["web-7d4b-abcde", "web-7d4b-fghij"]),
        ("--owner ReplicaSet/web-7d4b", ["web-7d4b-abcde", "web-7d4b-fghij"]),
        ("--owner job/web", []),
        ("--owner db", [f"db-{number}" for number in range(5)]),
        ("--owner db --container main", []),
    ],
)
def test_lists_are_filtered(lists: Lists, options: str, names: list[str]) -> None:
    assert lists.names(*options.split()) == names


def test_totals_of_a_filtered_list_have_the_base(lists: Lists) -> None:
    shown = lists("--owner", "web")

    assert shown[-3:] == [
        "Of 12 pods, 7 failed: infra 3 (2 likely), user 3, unknown 1; 5 healthy",
        "Of these, 2 are listed: infra 2 (2 likely)",
        "     2  infra?     network",
    ]
    assert lists("--owner", "none")[1] == "Of these, 0 are listed"


def test_failures_are_counted_by_columns_as_those_of_a_store_are(lists: Lists) -> None:
    """Their list is where one asks which of 200 failures are of which node; only ``get`` counted them."""
    assert lists("--count-by", "origin,owner") == [
        "COUNT  ORIGIN   OWNER",
        "    3  infra",
        "    2           Deployment web",
        "    1           -",
        "    3  user",
        "    3           Job train",
        "    1  unknown",
        "    1           Job train",
        "",
        "Of 12 pods, 7 failed: infra 3 (2 likely), user 3, unknown 1; 5 healthy",
    ]
    assert lists("--count-by", "node", "--category", "network") == [
        "COUNT  NODE",
        "    2  gpu-1",
        "",
        "Of 12 pods, 7 failed: infra 3 (2 likely), user 3, unknown 1; 5 healthy",
        "Of these, 2 match: infra 2 (2 likely)",
    ]
    rows = lists("--count-by", "exit-code,subcategory", "--owner", "train", "-o", "jsonl")
    assert [json.loads(row) for row in rows] == [
        {"exitCode": 137, "category": "oom", "subcategory": "container-limit", "count": 3},
        {"exitCode": 9, "category": "app", "subcategory": "exception", "count": 1},
    ]
    assert json.loads("\n".join(lists("--count-by", "grade", "--owner", "none", "-o", "json")))["count"] == 0


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            "--count-by colour",
            "--count-by 'colour': pods are counted by category, subcategory, origin, grade, exit-code, ",
        ),
        ("--count-by node --sort-by pod", "--count-by counts all that fits, and --sort-by is about a list"),
        ("--count-by node --unfold", "and --unfold is about a list"),
        ("--count-by node --explain", "and --explain is about a list"),
        ("--count-by node -o name", "-o name prints names, and --count-by has numbers"),
    ],
)
def test_what_is_about_a_list_is_refused_where_failures_are_counted(lists: Lists, options: str, said: str) -> None:
    assert said in lists.refusal(*options.split())


def test_one_pod_that_fits_is_a_list_too(lists: Lists) -> None:
    assert lists("--exit-code", "9")[0].startswith("POD ")
    assert len(json.loads("\n".join(lists("--exit-code", "9", "-o", "json")))) == 1


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ("--sort-by pod", ["db-0", "db-1", "render", "train-m4z9d"]),
        ("--sort-by -pod", ["web-7d4b-fghij", "web-7d4b-abcde", "train-zz2zz", "train-x8k2p"]),
        ("--sort-by exit", ["web-7d4b-abcde", "web-7d4b-fghij", "train-zz2zz", "train-st2q8"]),
        ("--sort-by -exit", ["train-st2q8", "train-x8k2p", "train-m4z9d", "train-zz2zz"]),
        ("--sort-by node --failed", ["train-st2q8", "train-x8k2p", "train-zz2zz", "web-7d4b-abcde"]),
    ],
)
def test_lists_are_sorted_by_a_column(lists: Lists, options: str, names: list[str]) -> None:
    found = lists.names(*options.split())

    assert [name for name in found if name not in {"db-2", "db-3", "db-4"}][:4] == names


def test_folded_lists_are_sorted_by_their_counts_too(lists: Lists) -> None:
    assert [line.split()[1] for line in lists("--sort-by", "-count")[1:6]] == ["5", "3", "2", "1", "1"]


def test_a_column_that_a_list_does_not_have_is_refused_with_those_it_has(lists: Lists) -> None:
    assert (
        "--sort-by colour: this list is sorted by pod, category, fault, grade, retry, container, exit, what or count, "
        "with - before it for the last first" in " ".join(lists.refusal("--sort-by", "colour").split())
    )
    assert "or hint" in lists.refusal("--sort-by", "count", "--unfold")
    assert "not a category" in lists.refusal("--category", "/")


def test_more_pairs_than_are_shown_are_counted_and_a_wide_list_has_all(tmp_path: Path) -> None:
    rules = "".join(
        f"- name: c{number:02}\n  rules:\n  - onTerminationMessage: {{pattern: '^message {number}$'}}\n"
        for number in range(23)
    )
    file, failed = tmp_path / "rules.yaml", tmp_path / "pods.jsonl"
    file.write_text(f"errorCategories:\n{rules}")
    failed.write_text("\n".join(json.dumps(pod(f"p{number}", message=f"message {number}")) for number in range(23)))
    words = ["classify", "-f", str(failed), "--rules", str(file)]

    short, whole = (CliRunner().invoke(app, [*words, *more]).stdout.splitlines() for more in ((), ("-o", "wide")))

    assert short[-1] == "and 3 more pairs of category and fault; -o wide lists all"
    assert [line.split()[-1] for line in whole[-23:]] == [f"c{number:02}" for number in range(23)]
