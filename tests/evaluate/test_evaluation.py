"""``failctl evaluate`` on small files of labelled failures."""

import io
import json
from functools import partial
from pathlib import Path
from typing import Any, Literal

import pytest
import yaml

from agent.console.exits import Exit, UsageError
from agent.console.options import Form
from agent.core.failure import Grade
from agent.ctl.rule_file import compile_named, load_rules
from agent.evaluate.evaluation import Scoring, run
from agent.evaluate.labelled import repositories, repository


def rules(*sources: str) -> dict[str, Any]:
    """A rule of these sources, and one that names none."""
    nccl = {"subcategory": "nccl", "onTerminationMessage": {"pattern": "NCCL WARN"}, "sources": list(sources)}
    exits = {"subcategory": "exit", "onExitCodes": {"operator": "NotIn", "values": [99]}}
    categories = [
        {"name": "comm", "origin": "infra", "retry": "elsewhere", "rules": [nccl]},
        {"name": "app", "origin": "user", "retry": "never", "rules": [exits]},
    ]
    return {"order": "evidence", "errorCategories": categories}


def failure(name: str, message: str, category: str, *, source: str, **labels: Any) -> dict[str, Any]:
    ended = {"exitCode": 1, "reason": "Error", "message": message}
    status = {"phase": "Failed", "containerStatuses": [{"name": "main", "state": {"terminated": ended}}]}
    return {
        "id": name,
        "pod": {"kind": "Pod", "metadata": {"name": name}, "status": status},
        "source": source,
        "labels": {"category": category, "origin": "infra", "retryable": True} | labels,
    }


def evaluated(
    folder: Path,
    *cases: object,
    written: dict[str, Any] | None = None,
    output: Form = "json",
    leave_out: Literal["source", "pack"] | None = None,
    fail_under: float | None = None,
    code: Exit = Exit.FINE,
) -> str:
    file, corpus = folder / "rules.yaml", folder / "labelled.jsonl"
    file.write_text(yaml.safe_dump(written or rules("NVIDIA/nccl src/debug.cc")))
    corpus.write_text("".join(json.dumps(case) + "\n" for case in cases))
    out = io.StringIO()
    ended = run(
        [corpus],
        rules=load_rules(file),
        compiled=partial(compile_named, file=file),
        scoring=Scoring(leave_out=leave_out, fail_under=fail_under),
        output=output,
        out=out,
        err=io.StringIO(),
    )
    assert ended is code
    return out.getvalue()


OF_NCCL = failure("a", "NCCL WARN x", "comm/nccl", source="https://github.com/NVIDIA/nccl/issues/7")
OF_PYTORCH = failure("b", "NCCL WARN x", "comm/nccl", source="pytorch/pytorch@abc test/x.py")


def test_a_rule_is_left_out_for_failures_of_the_only_source_it_rests_on(tmp_path: Path) -> None:
    found = json.loads(evaluated(tmp_path, OF_NCCL, OF_PYTORCH, leave_out="source"))

    assert found["leaf_accuracy"] == 1.0
    held_out = found["without_source"]
    assert (held_out["leaf"]["count"], held_out["leaf"]["of"], held_out["sources"]) == (1, 2, 2)
    assert (held_out["removed"], held_out["unsourced"]) == (1, 1)


def test_a_rule_that_rests_on_a_second_source_stays(tmp_path: Path) -> None:
    of_both = rules("NVIDIA/nccl src/debug.cc", "corpus:b")

    found = json.loads(evaluated(tmp_path, OF_NCCL, OF_PYTORCH, written=of_both, leave_out="source"))

    assert (found["without_source"]["leaf"]["count"], found["without_source"]["removed"]) == (2, 0)


def test_a_failure_is_answered_without_the_pack_that_decides_it(tmp_path: Path) -> None:
    pack = rules("NVIDIA/nccl src/debug.cc")
    (tmp_path / "comm.yaml").write_text(yaml.safe_dump({"errorCategories": pack["errorCategories"][:1]}))
    listed = {"order": "evidence", "packs": ["./comm.yaml"], "errorCategories": pack["errorCategories"][1:]}

    found = json.loads(evaluated(tmp_path, OF_NCCL, OF_PYTORCH, written=listed, leave_out="pack"))

    held_out = found["without_pack"]
    assert (held_out["packs"], held_out["leaf"]["count"], held_out["leaf"]["of"]) == (1, 0, 2)
    assert held_out["graded"]["grades"][2]["cases"]["count"] == 2
    assert found["graded"]["grades"][1]["cases"]["count"] == 2


@pytest.mark.parametrize("key", ["grade", "state"])
def test_a_grade_or_state_that_no_label_has_is_refused(tmp_path: Path, key: str) -> None:
    bad = OF_NCCL | {"labels": OF_NCCL["labels"] | {key: "surely"}}

    with pytest.raises(UsageError, match=rf"document 1: labels.{key}: expected one of .*, found 'surely'"):
        evaluated(tmp_path, bad)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("https://github.com/NVIDIA/nccl/issues/7", "NVIDIA/nccl"),
        ("pytorch/pytorch@abc test/x.py", "pytorch/pytorch"),
        ("leptonai/gpud components/cpu/kmsg_matcher_test.go", "leptonai/gpud"),
        ("a paper of 2021", "a paper of 2021"),
        ("", ""),
    ],
)
def test_a_source_names_its_repository(source: str, expected: str) -> None:
    assert repository(source) == expected


def test_a_row_of_a_corpus_counts_as_its_repository() -> None:
    assert repositories(["corpus:a", "corpus:gone", "x/y z"], {"a": "NVIDIA/nccl"}) == {
        "NVIDIA/nccl",
        "corpus:gone",
        "x/y",
    }


def test_the_table_fits_the_terminal_and_has_each_figure(tmp_path: Path) -> None:
    hard = OF_PYTORCH | {"hard": True, "labels": OF_PYTORCH["labels"] | {"retryable": False}}

    in_order = rules("NVIDIA/nccl src/debug.cc") | {"order": "file"}
    graded = evaluated(tmp_path, OF_NCCL, hard, output="table", leave_out="source").splitlines()
    shown = evaluated(tmp_path, OF_NCCL, hard, written=in_order, output="table", leave_out="source").splitlines()

    assert max(map(len, (*shown, *graded))) <= 80
    assert [line.split()[0] for line in graded if line.startswith(("proven", "likely", "unknown"))] == [*Grade] * 2
    assert not [line for line in shown if line.startswith("proven")]
    assert shown[0] == "Without the rules that rest on the source of a failure alone (2 sources):"
    figures = {line[:22].strip(): [part.strip() for part in line[22:].split("  ") if part] for line in shown}
    assert figures["wrong retryable"] == ["100.0% (21-100)", "no case", "100.0% (21-100)"]
    assert "wrong retryable  b" in shown
    assert figures["constant"]


def test_a_key_line_that_is_no_text_is_refused(tmp_path: Path) -> None:
    bad = OF_NCCL | {"labels": OF_NCCL["labels"] | {"keyLine": 7}}

    with pytest.raises(UsageError, match=r"document 1: labels.keyLine: expected text, found 7"):
        evaluated(tmp_path, bad)


@pytest.mark.parametrize(("fail_under", "code"), [(0, Exit.FINE), (50, Exit.FINE), (50.1, Exit.FINDING)])
def test_a_corpus_fails_only_below_the_share_that_is_asked_for(tmp_path: Path, fail_under: float, code: Exit) -> None:
    wrong = OF_PYTORCH | {"labels": {"category": "app"}}

    found = json.loads(evaluated(tmp_path, OF_NCCL, wrong, fail_under=fail_under, code=code))

    assert (found["leaf_accuracy"], found["all"]["origin"]["of"]) == (0.5, 1)


def test_examples_are_documents_for_programs(tmp_path: Path) -> None:
    wrong = OF_PYTORCH | {"labels": {"category": "app"}}

    passed, failed = json.loads(evaluated(tmp_path, OF_NCCL, wrong, code=Exit.FINDING))["examples"]

    assert (passed["name"], passed["passed"], passed["differences"]) == ("a", True, [])
    assert (failed["name"], failed["passed"]) == ("b", False)
    assert failed["differences"] == [{"what": "category", "found": "comm/nccl", "expected": "app"}]
