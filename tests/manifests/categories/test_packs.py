"""Packs: files that a rule file lists, joined in the order of the list."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agent.core.classify.classifier import compile_rules
from agent.core.classify.rules import Order, RuleSet
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind
from agent.core.failure import Advice, CategoryAction, Classification, Origin
from agent.documents.compose import Documents, read
from agent.documents.problem import Problem, Severity
from agent.manifests.categories.packs import lint_categories, load_categories
from tests.tables import table

CUDA = """\
order: evidence
errorCategories:
  - name: gpu
    origin: infra
    retry: elsewhere
    rules:
      - {onTerminationMessage: {pattern: 'CUDA error'}, subcategory: cuda}
"""
NCCL = """\
errorCategories:
  - name: gpu
    rules:
      - {onTerminationMessage: {pattern: 'NCCL WARN'}, subcategory: nccl, name: nccl-warning}
  - name: net
    origin: platform
    rules:
      - {onTerminationMessage: {pattern: 'no route'}}
"""
SITE = "errorCategories:\n  - {name: site, rules: [{onTerminationMessage: {pattern: 'CUDA error 7'}}]}\n"


@dataclass(frozen=True, slots=True)
class Files:
    """A shelf with these shipped packs and these files."""

    shipped: Mapping[str, str] = field(default_factory=lambda: {"cuda": CUDA, "nccl": NCCL})
    own: Mapping[str, str] = field(default_factory=lambda: {"./site.yaml": SITE})

    @property
    def names(self) -> Sequence[str]:
        return tuple(self.shipped)

    def read(self, entry: str, *, listed_in: str) -> Documents:
        assert listed_in == "rules.yaml"
        if entry in self.shipped:
            return read(self.shipped[entry], file=f"packs/{entry}.yaml")
        if entry in self.own:
            return read(self.own[entry], file=entry)
        raise FileNotFoundError(2, "No such file or directory")


def load(text: str, files: Files | None = None) -> RuleSet:
    return load_categories(text, file="rules.yaml", packs=files or Files())


def problems(text: str, files: Files | None = None) -> Sequence[Problem]:
    return lint_categories(text, file="rules.yaml", packs=files or Files())


def blocks(rules: RuleSet) -> Iterable[tuple[str, str]]:
    return [(category.pack, category.name) for category in rules.categories]


def classified(rules: RuleSet, message: str) -> Classification:
    ended = ContainerState(kind=StateKind.TERMINATED, exit_code=1, message=message)
    main = Container(name="main", kind=ContainerKind.APP, state=ended, ended=ended)
    return compile_rules(rules).classify(Evidence(pod=Pod(phase="Failed", containers=(main,))))


def test_packs_are_joined_in_the_order_of_the_list() -> None:
    rules = load("order: evidence\npacks: [nccl, cuda]\n")

    assert rules.order is Order.EVIDENCE
    assert blocks(rules) == [("nccl", "gpu"), ("nccl", "net"), ("cuda", "gpu")]


def test_shipped_stands_for_the_packs_that_are_not_listed_or_left_out() -> None:
    ours = "order: evidence\npacks: [./site.yaml, shipped]\n"

    assert blocks(load(ours)) == [("site", "site"), ("cuda", "gpu"), ("nccl", "gpu"), ("nccl", "net")]
    assert blocks(load(ours + "without: [nccl]\n")) == [("site", "site"), ("cuda", "gpu")]
    between = load("order: evidence\npacks: [nccl, ./site.yaml, shipped]\n")
    assert blocks(between) == [("nccl", "gpu"), ("nccl", "net"), ("site", "site"), ("cuda", "gpu")]


def test_rules_of_the_file_itself_come_first() -> None:
    assert blocks(load("order: evidence\npacks: [cuda]\n" + SITE)) == [("", "site"), ("cuda", "gpu")]


def test_armadas_block_may_list_packs() -> None:
    block = """\
errorCategories:
  order: evidence
  defaultCategory: other
  packs: [cuda]
  categories:
    - {name: site, rules: [{onExitCodes: {operator: In, values: [7]}}]}
"""
    assert blocks(load(block)) == [("", "site"), ("cuda", "gpu")]
    assert load(block).default_category == "other"


def test_a_block_that_is_not_enabled_has_no_packs_either() -> None:
    block = "errorCategories: {enabled: false, order: evidence, packs: [cuda], categories: []}\n"

    assert blocks(load(block)) == []


def test_a_pack_extends_a_category_of_an_earlier_one() -> None:
    rules = load("order: evidence\npacks: [cuda, nccl]\n")

    found = classified(rules, "NCCL WARN")
    assert (found.category, found.subcategory) == ("gpu", "nccl")
    assert (found.origin, found.advice) == (Origin.INFRA, Advice.ELSEWHERE)
    assert classified(rules, "CUDA error, NCCL WARN").categories == ("gpu",)


def test_what_a_pack_says_of_a_category_is_for_its_own_rules() -> None:
    changed = NCCL.replace("name: gpu\n", "name: gpu\n    origin: user\n", 1)
    rules = load("order: evidence\npacks: [cuda, nccl]\n", Files(shipped={"cuda": CUDA, "nccl": changed}))

    assert classified(rules, "NCCL WARN").origin is Origin.USER
    assert classified(rules, "CUDA error").origin is Origin.INFRA


def test_a_category_that_asks_for_a_condition_asks_for_later_packs_too() -> None:
    asking = CUDA.replace("    origin: infra\n", "    origin: infra\n    condition: true\n")
    rules = load("order: evidence\npacks: [cuda, nccl]\n", Files(shipped={"cuda": asking, "nccl": NCCL}))

    assert [category.condition for category in rules.categories] == [True, True, False]


def test_a_file_may_ask_for_the_condition_of_a_category_of_its_packs() -> None:
    ours = "order: evidence\npacks: [cuda, nccl]\nerrorCategories: [{name: gpu, condition: true}]\n"
    rules = load(ours)

    assert [(category.pack, category.condition) for category in rules.categories if category.name == "gpu"] == [
        ("", True),
        ("cuda", True),
        ("nccl", True),
    ]
    assert rules.revision != load("order: evidence\npacks: [cuda, nccl]\n").revision
    assert classified(rules, "CUDA error").category == "gpu"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("packs: [cuda]\nerrorCategories: [{name: gpus, condition: true}]", "no-rules did you mean `gpu`?"),
        ("packs: [cuda]\nerrorCategories: [{name: gpu}]", "no-rules "),
        ("packs: [cuda]\nerrorCategories: [{name: gpu, condition: true, rules: []}]", "no-rules "),
        ("errorCategories: [{name: gpu, condition: true}]", "no-rules "),
    ],
)
def test_only_a_category_of_a_pack_may_be_without_rules(text: str, expected: str) -> None:
    found = problems(f"order: evidence\n{text}\n")

    assert [f"{problem.code} {problem.hint}" for problem in found] == [expected]


def test_the_action_of_a_category_is_that_of_the_first() -> None:
    packs = {"cuda": CUDA.replace("    origin: infra\n", "    origin: infra\n    action: Delete\n"), "nccl": NCCL}
    rules = load("order: evidence\npacks: [cuda, nccl]\n", Files(shipped=packs))

    assert classified(rules, "NCCL WARN").action is CategoryAction.DELETE


def test_a_match_is_named_by_pack_and_rule() -> None:
    rules = load("order: evidence\npacks: [cuda, nccl]\n")

    (named,) = classified(rules, "NCCL WARN").matches
    assert (named.pack, named.rule) == ("nccl", "nccl-warning")
    (unnamed,) = classified(rules, "CUDA error").matches
    assert (unnamed.pack, unnamed.rule.rpartition("#")[0]) == ("cuda", "cuda")


def test_the_name_of_a_rule_stays_when_others_are_added_before_it() -> None:
    more = CUDA.replace("rules:\n", "rules:\n      - {onTerminationMessage: {pattern: 'first'}, subcategory: cuda}\n")
    before, after = (
        classified(load("order: evidence\npacks: [cuda]\n", Files(shipped={"cuda": pack})), "CUDA error").matches[0]
        for pack in (CUDA, more)
    )

    assert before.rule == after.rule
    assert (before.rule_index, after.rule_index) == (0, 1)


def test_the_revision_covers_packs_and_their_order() -> None:
    texts = [
        "order: evidence\npacks: [cuda, nccl]\n",
        "order: evidence\npacks: [nccl, cuda]\n",
        "order: evidence\npacks: [cuda]\n",
        "order: evidence\n" + CUDA.split("\n", 1)[1],
    ]
    assert len({load(text).revision for text in texts}) == len(texts)
    assert load(texts[0]).revision == load("order: evidence\npacks: [shipped]\n").revision


FAULTS = table(Path(__file__).with_name("pack_faults.yaml"))


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: str(fault["name"]))
def test_a_fault_names_its_file_its_place_and_the_fix(fault: Mapping[str, Any]) -> None:
    files = Files(
        shipped={"cuda": CUDA, "nccl": NCCL, **fault.get("shipped", {})},
        own={"./site.yaml": SITE, **fault.get("own", {})},
    )
    found = problems(fault["text"], files)

    assert [
        (f"{problem.file}:{problem.line}:{problem.column}", problem.code, problem.message, problem.hint)
        for problem in found
    ] == [(fault["at"], fault["code"], fault["message"], fault.get("hint", ""))]
    assert found[0].severity is Severity(fault.get("severity", "error"))


def test_the_problems_of_a_pack_are_reported_with_its_own_file() -> None:
    broken = Files(own={"./site.yaml": SITE.replace("name: site", "name: site, orign: user")})

    assert [(problem.file, problem.line, problem.code) for problem in problems("packs: [./site.yaml]\n", broken)] == [
        ("./site.yaml", 2, "unknown-field")
    ]


def test_ones_own_rules_may_hide_shipped_ones_but_not_the_other_way_round() -> None:
    same = CUDA.replace("gpu", "ours").removeprefix("order: evidence\n")
    files = Files(own={"./site.yaml": same})

    assert problems("order: evidence\npacks: [./site.yaml, cuda]\n", files) == ()
    (hidden,) = problems("order: evidence\npacks: [cuda, ./site.yaml]\n", files)
    assert (hidden.file, hidden.code) == ("./site.yaml", "shadowed-rule")
    assert "a rule of the pack `cuda`" in hidden.message


WRAPPER = "errorCategories:\n  - {name: w, rules: [{onTerminationMessage: {pattern: 'CUDA error'}, ROLE}]}\n"


@pytest.mark.parametrize(
    ("role", "hidden"),
    [
        ("hint: x", ["packs/cuda.yaml"]),
        ("role: wrapper", ["packs/w.yaml"]),
        ("region: final", []),
        ("after: [exited]", []),
    ],
)
def test_a_rule_is_hidden_by_one_that_decides_before_it_wherever_it_may_decide(
    role: str, hidden: Sequence[str]
) -> None:
    files = Files(shipped={"w": WRAPPER.replace("ROLE", role), "cuda": CUDA})

    assert [problem.file for problem in problems("order: evidence\npacks: [w, cuda]\n", files)] == hidden
