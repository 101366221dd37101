"""The page about the protocol: every guarantee, by steps that the page explains, with tests that exist."""

import re
from collections.abc import Iterator
from functools import cache

import pytest

from agent.core.lifecycle.guarantees import Guarantee
from tests.ground.tree import ROOT

PAGE = ROOT / "docs" / "protocol.md"
CODE = re.compile(r"`([^`]+)`")


def rows(section: str) -> Iterator[list[str]]:
    """The cells of the rows of the section's only table."""
    text = PAGE.read_text(encoding="utf-8").partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    table = [line for line in text.splitlines() if line.startswith("| ")]
    yield from ([cell.strip() for cell in line.strip("|").split("|")] for line in table[1:])


STEPS = {CODE.findall(step)[0]: CODE.findall(code) for step, _, code in rows("Steps")}
GUARANTEES = {
    CODE.findall(name)[0]: (CODE.findall(steps), CODE.findall(tests)) for name, steps, tests in rows("Guarantees")
}


def test_the_page_has_every_guarantee_once_in_their_order() -> None:
    assert [CODE.findall(name)[0] for name, *_ in rows("Guarantees")] == [each.value for each in Guarantee]


def test_every_guarantee_is_given_by_steps_and_every_step_gives_one() -> None:
    assert all(steps for steps, _ in GUARANTEES.values())
    assert {step for steps, _ in GUARANTEES.values() for step in steps} == STEPS.keys()


@pytest.mark.parametrize("step", STEPS)
def test_the_code_of_a_step_exists(step: str) -> None:
    assert STEPS[step]
    assert [path for path in STEPS[step] if not (ROOT / "agent" / path).exists()] == []


@pytest.mark.parametrize("name", GUARANTEES)
def test_the_tests_of_a_guarantee_exist(name: str) -> None:
    _, tests = GUARANTEES[name]

    assert tests
    assert [test for test in tests if not exists(test)] == []


@pytest.mark.parametrize(
    "test", [test for *_, tests in rows("From failure to verdict") for test in CODE.findall(tests)]
)
def test_the_tests_of_a_promise_about_failures_exist(test: str) -> None:
    assert exists(test)


def test_every_promise_about_failures_names_what_tries_it() -> None:
    promises = {CODE.findall(name)[0]: CODE.findall(tests) for name, _, tests in rows("From failure to verdict")}

    assert promises
    assert all(promises.values())
    assert not promises.keys() & GUARANTEES.keys()


@pytest.mark.parametrize(
    "path", sorted({path for *_, tests in rows("If something dies") for path in CODE.findall(tests)})
)
def test_what_tries_a_death_exists(path: str) -> None:
    assert names(path)


def exists(test: str) -> bool:
    path, _, name = test.partition("::")
    return name.startswith("test_") and name in names(path)


@cache
def names(path: str) -> frozenset[str]:
    file = ROOT / path
    return frozenset(re.findall(r"^(?:async )?def (\w+)\(", file.read_text(), re.MULTILINE) if file.is_file() else ())


@pytest.mark.parametrize("test", ["tests/docs/test_protocol.py::test_of_nothing", "tests/none.py::test_a", "test_a"])
def test_a_test_that_does_not_exist_is_found(test: str) -> None:
    assert not exists(test)
