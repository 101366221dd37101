"""Each rule of a shipped pack finds its examples, and misses those that look like them."""

import sys
from collections.abc import Iterator, Mapping, Sequence

import pytest

from agent.core.failure import Match
from agent.ctl.classify.diagnosis import Diagnoser
from agent.rule_files import read_rules, shipped_packs
from agent.shipped import RULES, shipped
from tests.config.examples import Example, examples, packs_with_examples
from tests.config.subjects import ask, bundle_of, diagnoser

Figures = tuple[int, ...]
EXAMPLES = [example for pack in packs_with_examples() for example in examples(pack)]


@pytest.fixture(scope="module", name="shipped_rules")
def the_shipped_rules() -> Diagnoser:
    return diagnoser(shipped(RULES))


def found(example: Example, rules: Diagnoser) -> Sequence[Match]:
    failure = ask(rules, bundle_of(example.row)).failure
    return () if failure is None else failure.classification.matches


@pytest.mark.parametrize("example", [one for one in EXAMPLES if one.finds], ids=str)
def test_a_rule_finds(example: Example, shipped_rules: Diagnoser) -> None:
    matches = [f"{match.pack}: {match.rule}" for match in found(example, shipped_rules)]

    this = f"{example.pack}: {example.rule}"
    assert this in (matches[:1] if example.first else matches), f"found {matches or 'nothing'}"


@pytest.mark.parametrize("example", [one for one in EXAMPLES if not one.finds], ids=str)
def test_a_rule_misses(example: Example, shipped_rules: Diagnoser) -> None:
    wrong = [match.text for match in found(example, shipped_rules) if _is(match, example)]

    assert wrong == []


def _is(match: Match, example: Example) -> bool:
    return (match.pack, match.rule) == (example.pack, example.rule)


@pytest.mark.parametrize("pack", packs_with_examples())
def test_every_rule_has_a_name_and_both_kinds_of_examples(pack: str) -> None:
    rules = [rule.name for category in read_rules(shipped(f"packs/{pack}.yaml")).categories for rule in category.rules]
    finds, misses = ({one.rule for one in examples(pack) if one.finds is kind} for kind in (True, False))

    assert [name for name in rules if "#" in name] == []
    assert {name for name in rules if name not in finds} == set()
    assert {name for name in rules if name not in misses} == set()
    assert (finds | misses) - set(rules) == set()


def test_examples_are_of_packs_that_ship() -> None:
    assert set(packs_with_examples()) <= set(shipped_packs())


def counted() -> Mapping[str, Figures]:
    """The rules, positive examples, negative examples and sources of each pack."""
    figures: dict[str, Figures] = {}
    for pack in shipped_packs():
        rules = [rule for one in read_rules(shipped(f"packs/{pack}.yaml")).categories for rule in one.rules]
        kinds = [one.finds for one in EXAMPLES if one.pack == pack]
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
