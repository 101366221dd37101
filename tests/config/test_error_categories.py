"""The rules that come with failure-agent: whole, sourced, in order, and right by example."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent.core.classify.matchers.conditions import Conditions
from agent.core.classify.matchers.exit_codes import ExitCodes
from agent.core.classify.matchers.registry import CategoryMatcher
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.rules import Category, Order, Rule, RuleSet, parts
from agent.core.failure import Advice, Origin, Proof
from agent.core.failure_text.category import leaf
from agent.core.identity.conditions import can_be_named
from agent.diagnose.diagnosis import Diagnoser
from agent.documents.checked import Checked
from agent.evaluate.scores import HEALTHY
from agent.rule_files import shipped_packs
from agent.shipped import shipped
from tests.config.subjects import Row, ask, bundle_of, checked, diagnoser
from tests.ground.findings import assert_no_findings
from tests.tables import table

FILE = shipped("error-categories.yaml")
PACKS = {name: shipped(f"packs/{name}.yaml") for name in shipped_packs()}
ROWS: list[Row] = table(Path(__file__).parent / "failures.yaml")
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
"""What NVIDIA's catalogue (docs.nvidia.com/deploy/xid-errors) says of each Xid, as leaves."""


@pytest.fixture
def asked() -> Diagnoser:
    return diagnoser(FILE)


def rules() -> Iterator[tuple[Category, Rule]]:
    for category in checked(FILE).value_or_raise().categories:
        for rule in category.rules:
            yield category, rule


def problems(found: Checked[RuleSet]) -> Iterator[str]:
    for problem in found.problems:
        yield f"{problem.file}:{problem.line}: {problem.message}; {problem.hint}"


def disordered(pack: str) -> Iterator[str]:
    """What is wrong with a pack by itself: it may be used alone, with its own order, origins and advice."""
    found = checked(PACKS[pack])
    yield from problems(found)
    if found.value is not None and found.value.order is not Order.EVIDENCE:
        yield f"{pack}: the order is {found.value.order}, not {Order.EVIDENCE}"


def unsourced(pack: str) -> Iterator[str]:
    """The rules of a pack without a comment above them that has their source."""
    lines = PACKS[pack].read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if re.match(r" {6}- ", line)]
    number = sum(len(category.rules) for category in checked(PACKS[pack]).value_or_raise().categories)
    if len(starts) != number:
        yield f"{pack}: {len(starts)} lines begin a rule, but there are {number} rules: indent each by six blanks"
    for start in starts:
        if not re.match(r" {6}# \S", lines[start - 1]):
            yield f"{pack}:{start + 1}: {lines[start].strip()[:80]}: put the source into a comment above it"


def incomplete(found: tuple[Category, Rule]) -> Iterator[str]:
    """What a rule does not say: whose fault it is, whether to try again, and what to do."""
    category, rule = found
    said = {
        "subcategory": rule.subcategory,
        "hint of one sentence": rule.hint.endswith("."),
        "origin": rule.origin or category.origin,
        "advice": rule.advice or category.advice,
    }
    yield from (f"{category.pack}: {rule.name}: has no {what}" for what, value in said.items() if not value)


def hopeful(found: tuple[Category, Rule]) -> Iterator[str]:
    """That what a user got wrong is tried again unchanged."""
    category, rule = found
    advice = rule.advice or category.advice
    if (rule.origin or category.origin) is Origin.USER and advice not in (Advice.NEVER, Advice.CHANGED):
        yield f"{category.pack}: {rule.name}: the user has to change something, but the advice is {advice}"


OF_THE_SYSTEM = frozenset({Proof.DISRUPTED, Proof.NODE, Proof.DEVICE, Proof.COMPONENT, Proof.BUSY})


def unproven(found: tuple[Category, Rule]) -> Iterator[str]:
    """A proof that says another thing than the advice."""
    category, rule = found
    helps = (rule.advice or category.advice) in (Advice.SAME, Advice.ELSEWHERE)
    if rule.proof is not None and (rule.proof in OF_THE_SYSTEM) is not helps:
        yield f"{category.pack}: {rule.name}: {rule.proof} does not go with {rule.advice or category.advice}"


def is_code(part: CategoryMatcher) -> bool:
    return isinstance(part, ExitCodes | Signals) or (isinstance(part, Conditions) and not set(part.names) - SILENCE)


SILENCE = {"EndedSilently", "Error"}


def blaming(found: tuple[Category, Rule]) -> Iterator[str]:
    """A blame for a code alone; those of a container with a name, such as a pilot's, are its own table."""
    category, rule = found
    origin = rule.origin or category.origin
    if origin is not Origin.UNKNOWN and rule.container is None and all(map(is_code, parts(rule.matcher))):
        yield f"{category.pack}: {rule.name}: blames {origin} for an exit code"


def test_each_category_can_have_a_condition() -> None:
    assert [category.name for category, _ in rules() if not can_be_named(category.name)] == []


def test_proofs_go_with_the_advice() -> None:
    assert_no_findings(unproven, rules())


def test_nobody_is_blamed_for_a_code_alone() -> None:
    assert_no_findings(blaming, rules())


@pytest.mark.slow
def test_no_rule_has_a_problem() -> None:
    assert_no_findings(problems, [checked(FILE)])


@pytest.mark.slow
def test_every_pack_is_in_order_by_itself() -> None:
    assert_no_findings(disordered, PACKS)


def test_every_pack_is_listed() -> None:
    assert {file.stem for file in FILE.with_name("packs").iterdir()} == set(PACKS)


def test_there_are_no_more_rules_than_may_be() -> None:
    assert len(list(rules())) <= MOST_RULES


def test_every_rule_has_its_source_above_it() -> None:
    assert_no_findings(unsourced, PACKS)


def test_every_rule_says_whose_fault_whether_again_and_what_to_do() -> None:
    assert_no_findings(incomplete, rules())


def test_what_a_user_got_wrong_is_never_tried_again_unchanged() -> None:
    assert_no_findings(hopeful, rules())


PACK = """\
errorCategories:
  - name: a
    origin: user
    rules:
      # Source.
      - {name: one, subcategory: b, hint: Fix it., retry: same, onExitCodes: {operator: In, values: [1]}}
      - {name: two, hint: Fix it, onExitCodes: {operator: In, values: [1]}}
"""


def test_what_is_wrong_with_a_pack_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "bad.yaml"
    file.write_text(PACK, encoding="utf-8")
    monkeypatch.setitem(PACKS, "bad", file)
    found = [(category, rule) for category in checked(file).value_or_raise().categories for rule in category.rules]

    assert [finding.split("; ")[0] for finding in disordered("bad")] == [
        f"{file}:7: earlier rules in this category match everything that this one matches",
        "bad: the order is file, not evidence",
    ]
    assert list(unsourced("bad")) == [
        f"bad:7: {PACK.splitlines()[6].strip()[:80]}: put the source into a comment above it"
    ]
    assert [finding for each in found for finding in incomplete(each)] == [
        ": two: has no subcategory",
        ": two: has no hint of one sentence",
        ": two: has no advice",
    ]
    category, one = found[0]
    assert list(unproven((category, replace(one, proof=Proof.CODE)))) == [": one: code does not go with same"]
    assert [finding for each in found for finding in blaming(each)] == [
        ": one: blames user for an exit code",
        ": two: blames user for an exit code",
    ]
    assert [finding for each in found for finding in hopeful(each)] == [
        ": one: the user has to change something, but the advice is same",
        ": two: the user has to change something, but the advice is None",
    ]


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
