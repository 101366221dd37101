"""The rules that come with failure-agent: whole, sourced, in order, and right by example."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from agent.core.classify.rules import Category, Order, Rule
from agent.core.failure import Advice, Origin
from agent.core.failure_text.category import leaf
from agent.ctl.classify.diagnosis import Diagnoser
from agent.ctl.classify.scores import HEALTHY
from agent.documents.compose import read
from agent.rule_files import check_rules, read_rules, shipped_packs
from agent.shipped import shipped
from tests.config.subjects import Row, ask, bundle_of, diagnoser

FILE = shipped("error-categories.yaml")
RULES = read_rules(FILE)
PACKS = {name: shipped(f"packs/{name}.yaml") for name in shipped_packs()}
ROWS: list[Row] = yaml.safe_load((Path(__file__).parent / "failures.yaml").read_text(encoding="utf-8"))
MOST_RULES = 2000
XIDS: dict[str, list[int]] = {
    "gpu/fallen-off-bus": [54, 79, 167],
    "gpu/ecc-uncorrectable": [48, 94, 95, 140, 171, 172],
    "gpu/row-remap": [63, 64, 92, 93, 156, 157, 160, 161, 168],
    "gpu/nvlink": [74, 121, 136, *range(144, 151), 155, 166, 170, 173],
    "gpu/gsp-driver": [38, 44, 46, 62, 78, 110, 119, 120, 122, 123, 143, 151, 158, 163, 169],
    "gpu/recovery-action": [154],
    "gpu/app-fault": [
        *(
            8,
            11,
            13,
            25,
            31,
            32,
            37,
            39,
            40,
            41,
            43,
            45,
            60,
            66,
            67,
            68,
            69,
            70,
            71,
            72,
            75,
            76,
            77,
            80,
            82,
            83,
            84,
            85,
        ),
        *(86, 88, 89, *range(96, 106), 109, *range(126, 136), 137, 139, 141, 142, 152, 153, 159),
    ],
    "gpu/xid-other": [1, 2, 14, 87, 106, 107, 162, 164, 165, 1000],
}
"""What NVIDIA's catalogue says of each Xid, as leaves (failure-taxonomy, Xid shortlist)."""


@pytest.fixture(scope="module")
def asked() -> Diagnoser:
    return diagnoser(FILE)


def rules() -> Iterator[tuple[Category, Rule]]:
    return ((category, rule) for category in RULES.categories for rule in category.rules)


def test_nothing_is_to_be_mended() -> None:
    assert check_rules(read(FILE.read_bytes(), file=str(FILE))).problems == ()


@pytest.mark.parametrize("pack", PACKS)
def test_a_pack_is_in_order_by_itself(pack: str) -> None:
    """It may be used alone, with its own order, origins and advice."""
    assert check_rules(read(PACKS[pack].read_bytes(), file=str(PACKS[pack]))).problems == ()
    assert read_rules(PACKS[pack]).order is Order.EVIDENCE


def test_every_pack_is_listed() -> None:
    assert {file.stem for file in FILE.with_name("packs").iterdir()} == set(PACKS)


def test_there_are_no_more_rules_than_may_be() -> None:
    assert len(list(rules())) <= MOST_RULES


@pytest.mark.parametrize("pack", PACKS)
def test_every_rule_has_its_source_above_it(pack: str) -> None:
    lines = PACKS[pack].read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if re.match(r" {6}- ", line)]

    unsourced = [number + 1 for number in starts if not re.match(r" {6}# \S", lines[number - 1])]

    assert len(starts) == sum(len(one.rules) for one in read_rules(PACKS[pack]).categories)
    assert unsourced == []


def test_every_rule_says_whose_fault_whether_again_and_what_to_do() -> None:
    silent = [
        (category.name, number)
        for category in RULES.categories
        for number, rule in enumerate(category.rules)
        if not (rule.subcategory and rule.hint.endswith(".") and (rule.origin or category.origin))
        or not (rule.advice or category.advice)
    ]

    assert silent == []


def test_what_a_user_got_wrong_is_never_tried_again_unchanged() -> None:
    hopeful = [
        f"{category.name}/{rule.subcategory}"
        for category, rule in rules()
        if (rule.origin or category.origin) is Origin.USER
        and (rule.advice or category.advice) not in (Advice.NEVER, Advice.CHANGED)
    ]

    assert hopeful == []


@pytest.mark.parametrize("row", ROWS, ids=[row["name"] for row in ROWS])
def test_example(row: Row, asked: Diagnoser) -> None:
    failure = ask(asked, bundle_of(row)).failure

    if failure is None:
        assert row["leaf"] == HEALTHY
        return
    found = failure.classification
    assert leaf(found.category, found.subcategory) == row["leaf"]
    assert found.origin == row.get("origin", found.origin)
    assert found.advice == row.get("retry", found.advice)


@pytest.mark.parametrize("expected", XIDS)
def test_xids(expected: str, asked: Diagnoser) -> None:
    wrong: dict[int, Any] = {}
    for code in XIDS[expected]:
        line = f"NVRM: Xid (PCI:0000:48:00): {code}, pid=79, name=python"
        failure = ask(asked, {"node": {"kernelLog": [line]}}).failure
        assert failure is not None
        if (said := leaf(failure.classification.category, failure.classification.subcategory)) != expected:
            wrong[code] = said

    assert wrong == {}
