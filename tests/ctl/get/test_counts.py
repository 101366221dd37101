"""``failctl get --count-by`` and ``--sort-by``, as people type them, on a store."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.console.exits import Exit, UsageError
from tests.ctl.get.bare import TRAIN, bare_store, two_clusters
from tests.ctl.get.test_get import Answer, ask


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> str:
    return bare_store(tmp_path_factory.mktemp("counted"))


def test_failures_are_counted_by_category_and_node_with_the_window_and_what_was_counted(url: str) -> None:
    assert ask(url, "failures", count_by="category,subcategory,node").out.splitlines() == [
        "COUNT  CATEGORY  SUBCATEGORY      NODE",
        "    8  oom",
        "    7            container-limit",
        "    3                             gpu-node-0",
        "    3                             gpu-node-1",
        "    1                             gpu-node-7",
        "    1            shm",
        "    1                             gpu-node-1",
        "",
        "Of 8 failures, all that are stored",
    ]


def test_nodes_of_one_name_in_two_clusters_are_counted_apart(tmp_path: Path) -> None:
    url = bare_store(tmp_path, two_clusters())

    assert ask(url, "failures", count_by="origin,node", limit=2).out.splitlines() == [
        "COUNT  ORIGIN  CLUSTER  NODE",
        "   14  user",
        "    7          east",
        "    4                   gpu-node-1",
        "    3                   gpu-node-0",
        "    7          west",
        "    4                   gpu-node-1",
        "    3                   gpu-node-0",
        "    2  infra",
        "    1          east",
        "    1                   gpu-node-7",
        "    1          west",
        "    1                   gpu-node-7",
        "",
        "Of 16 failures, all that are stored",
    ]
    assert ask(url, "failures", count_by="node", limit=1).lines == [
        "COUNT  CLUSTER     NODE",
        "    8  east",
        "    4              gpu-node-1",
        "                   and 2 more",
        "       and 1 more",
    ]
    assert ask(url, "failures", count_by="node", cluster="west").lines[:2] == ["COUNT  NODE", "    4  gpu-node-1"]


def test_a_subcategory_is_counted_within_its_category(url: str) -> None:
    """``limit`` is one of several categories."""
    rows = ask(url, "failures", count_by="subcategory", output="jsonl").lines

    assert [json.loads(row) for row in rows] == [
        {"category": "oom", "subcategory": "container-limit", "count": 7},
        {"category": "oom", "subcategory": "shm", "count": 1},
    ]
    assert ask(url, "failures", count_by="subcategory").lines == [
        "COUNT  SUBCATEGORY",
        "    7  container-limit",
        "    1  shm",
    ]


def test_a_window_and_filters_hold_and_what_is_left_out_is_said(url: str) -> None:
    since = "2026-11-21T12:00:01+00:00"

    assert ask(url, "failures", count_by="node", since=since, limit=1, origin="user").out.splitlines() == [
        "COUNT  NODE",
        "    4  gpu-node-1",
        "       and 1 more",
        "",
        "Of 6 failures, from 2026-11-21 12:00:01 UTC; --limit gives more of each level",
    ]


def test_programs_get_groups_or_a_row_for_the_values_of_all_columns(url: str) -> None:
    as_json = json.loads(ask(url, "jobs", count_by="origin", output="json").out)
    rows = ask(url, "failures", count_by="exit-code,node", output="jsonl")
    cut = ask(url, "failures", count_by="node", output="jsonl", limit=1)

    assert as_json == {
        "by": ["origin"],
        "since": None,
        "until": None,
        "base": "rows",
        "count": 2,
        "groups": [
            {"value": "infra", "count": 1, "groups": [], "leftOut": 0},
            {"value": "user", "count": 1, "groups": [], "leftOut": 0},
        ],
        "leftOut": 0,
    }
    assert yaml.safe_load(ask(url, "jobs", count_by="origin", output="yaml").out) == as_json
    assert [json.loads(row) for row in rows.lines] == [
        {"exitCode": 137, "cluster": "east", "node": "gpu-node-1", "count": 4},
        {"exitCode": 137, "cluster": "east", "node": "gpu-node-0", "count": 3},
        {"exitCode": 137, "cluster": "east", "node": "gpu-node-7", "count": 1},
    ]
    assert (rows.err, json.loads(cut.err)) == ("", {"note": "there are more groups: --limit gives more of each level"})


def test_nothing_that_is_counted_is_said(url: str) -> None:
    assert ask(url, "failures", count_by="node", node="none") == Answer(Exit.FINE, "", "No failures match.\n")
    assert json.loads(ask(url, "failures", count_by="node", node="none", output="json").out)["count"] == 0


def test_a_list_is_in_the_order_of_a_column_and_goes_on_in_it(url: str) -> None:
    def nodes(**given: Any) -> list[str]:
        return [json.loads(line)["node"] for line in ask(url, "runs", output="jsonl", **given).lines]

    first = ask(url, "runs", sort_by="-node", limit=3, output="jsonl")
    after = json.loads(first.err)["after"]

    assert nodes(sort_by="node") == sorted(nodes())
    assert nodes(sort_by="-node") == sorted(nodes(), reverse=True)
    assert nodes(sort_by="-node", limit=3) + nodes(sort_by="-node", after=after) == nodes(sort_by="-node")
    assert ask(url, "runs", sort_by="-time", output="jsonl") == ask(url, "runs", output="jsonl")
    assert ask(url, "runs", sort_by="time", limit=1).lines[1].split()[0].endswith(f"{TRAIN}-st2q8")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"count_by": "colour"}, "--count-by 'colour': failures are counted by category, subcategory, .* or attempt"),
        (
            {"sort_by": "state"},
            "--sort-by 'state': failures are sorted by time, category, .* or attempt, with - before",
        ),
        (
            {"count_by": "origin,owner,subcategory,node"},
            "--count-by origin,owner,subcategory,node means origin,owner,category,subcategory,cluster,node; write at",
        ),
        ({"count_by": "node", "sort_by": "node"}, "--count-by counts all that fits, and --sort-by is about a list"),
        ({"count_by": "node", "after": "x"}, "--count-by counts all that fits, and --after is about a list"),
        ({"count_by": "node", "unfold": True}, "--count-by counts all that fits, and --unfold is about a list"),
        ({"count_by": "node", "output": "name"}, "-o name prints names, and --count-by has numbers"),
    ],
)
def test_what_cannot_be_counted_or_sorted_is_refused(url: str, given: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        ask(url, "failures", **given)
