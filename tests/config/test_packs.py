"""Each rule of a shipped pack finds its examples, and misses those that look like them."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import pytest

from agent.core.classify.rules import Rule
from agent.core.failure import Match
from agent.rule_files import shipped_packs
from agent.shipped import RULES, shipped
from tests.config.examples import FOLDER, Example, examples, packs_with_examples, row_of
from tests.config.subjects import ask, bundle_of, checked, diagnoser
from tests.ground.findings import assert_no_findings

Figures = tuple[int, ...]


def rules_of(pack: str) -> Sequence[Rule]:
    rules = checked(shipped(f"packs/{pack}.yaml")).value_or_raise()
    return [rule for category in rules.categories for rule in category.rules]


def matches(example: Example) -> Sequence[Match]:
    failure = ask(diagnoser(shipped(RULES)), bundle_of(example.row)).failure
    return () if failure is None else failure.classification.matches


def misjudged(example: Example) -> Iterator[str]:
    """A rule that does not find its example, or finds one that it has to miss."""
    found = [(match.pack, match.rule) for match in matches(example)]
    this = (example.pack, example.rule)
    if example.finds and this not in (found[:1] if example.first else found):
        names = ", ".join(f"{pack}: {rule}" for pack, rule in found)
        yield f"{example} does not {'decide' if example.first else 'find'} this; found: {names or 'nothing'}"
    if not example.finds and this in found:
        texts = ", ".join(repr(match.text) for match in matches(example) if (match.pack, match.rule) == this)
        yield f"{example} finds {texts}, which it has to miss"


def unshown(pack: str, rules: Sequence[str], shown: Sequence[Example]) -> Iterator[str]:
    """The rules of a pack that have no name or lack a kind of examples, and examples of rules that it does not have."""
    for kind, finds in (("finds", True), ("misses", False)):
        having = {example.rule for example in shown if example.finds is finds}
        yield from (f"{pack}: {rule}: has no example of what it {kind}" for rule in rules if rule not in having)
    yield from (f"{pack}: rule {rule}: has no name" for rule in rules if "#" in rule)
    yield from (f"{example}: the pack has no such rule" for example in shown if example.rule not in rules)


@pytest.mark.parametrize("pack", packs_with_examples())
def test_the_rules_of_a_pack_find_and_miss_their_examples(pack: str) -> None:
    assert_no_findings(misjudged, examples(pack))


def test_every_rule_has_a_name_and_both_kinds_of_examples() -> None:
    assert_no_findings(
        lambda pack: unshown(pack, [rule.name for rule in rules_of(pack)], examples(pack)), packs_with_examples()
    )


LOST = Example(
    pack="amd",
    rule="lost",
    row=row_of({"kernel": "amdgpu 0000:08:00.0: device lost from bus!"}),
    finds=True,
    first=True,
    line=4,
)
PLACE = "tests/config/packs/amd.yaml:4"


def test_an_example_that_is_judged_wrongly_is_found_with_its_line() -> None:
    other = replace(LOST, rule="retired-pages")
    elsewhere = replace(other, first=False, row=row_of("fine"))

    assert list(misjudged(LOST)) == []
    assert [
        finding for example in (replace(LOST, finds=False), other, elsewhere) for finding in misjudged(example)
    ] == [
        f"{PLACE}: lost finds 'amdgpu 0000:08:00.0: device lost from bus', which it has to miss",
        f"{PLACE}: retired-pages does not decide this; found: amd: lost",
        f"{PLACE}: retired-pages does not find this; found: exit-codes: any-code",
    ]


def test_a_rule_that_is_not_shown_is_found() -> None:
    assert list(unshown("amd", ["lost", "hang #2"], [LOST])) == [
        "amd: hang #2: has no example of what it finds",
        "amd: lost: has no example of what it misses",
        "amd: hang #2: has no example of what it misses",
        "amd: rule hang #2: has no name",
    ]
    assert list(unshown("amd", [], [LOST])) == [f"{PLACE}: lost: the pack has no such rule"]


def test_an_example_begins_on_its_line() -> None:
    lines = (FOLDER / "amd.yaml").read_text(encoding="utf-8").splitlines()

    assert [example.line for example in examples("amd")] == [
        number for number, line in enumerate(lines, start=1) if line.startswith("    - ")
    ]


def test_examples_are_of_packs_that_ship() -> None:
    assert set(packs_with_examples()) <= set(shipped_packs())


def counted() -> Mapping[str, Figures]:
    """The rules, positive examples, negative examples and sources of each pack."""
    figures: dict[str, Figures] = {}
    for pack in shipped_packs():
        rules = rules_of(pack)
        kinds = [example.finds for example in examples(pack)] if pack in packs_with_examples() else []
        sources = {source for rule in rules for source in rule.sources}
        figures[pack] = (len(rules), kinds.count(True), kinds.count(False), len(sources))
    return figures


def table() -> Iterator[str]:
    """Yield the lines of the table of packs."""
    rows = dict(counted())
    rows["all"] = tuple(map(sum, zip(*rows.values(), strict=True)))
    yield f"{'PACK':16}{'RULES':>7}{'POSITIVE':>10}{'NEGATIVE':>10}{'SOURCES':>9}\n"
    for name, (rules, positive, negative, sources) in rows.items():
        yield f"{name:16}{rules:7}{positive:10}{negative:10}{sources:9}\n"


if __name__ == "__main__":
    sys.stdout.writelines(table())
