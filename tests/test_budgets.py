import pytest

from tests.budgets import PAGE, budgets, over, room_of, spent
from tests.ground.tree import ROOT, tracked


def report(test: str, seconds: float) -> pytest.TestReport:
    return pytest.TestReport(
        nodeid=test, location=(test, 0, ""), keywords={}, outcome="passed", longrepr=None, when="call", duration=seconds
    )


def test_every_room_has_a_budget() -> None:
    files = [path for path in tracked() if path.is_relative_to("tests") and path.name.startswith("test_")]

    rooms = budgets(PAGE.read_text(encoding="utf-8")).keys()
    assert rooms == {room_of(path.as_posix(), rooms) for path in files}
    assert (ROOT / "tests" / "ctl").is_dir()


def test_a_room_over_its_budget_is_named_with_both_figures() -> None:
    reports = [
        report("tests/ctl/get/test_a.py::test_b[c/d]", 20),
        report("tests/ctl/test_a.py::test_b@pulsar", 20.4),
        report("tests/ctl/look/test_a.py::test_b[c/d]", 7),
        report("tests/ctl/look/far/test_a.py::test_b", 7),
        report("tests/core/test_a.py::test_b", 9),
        report("tests/test_a.py::test_b", 70),
    ]
    allowed = budgets("| `ctl` | 30 | |\n| `ctl/look` | 13 | |\n| `core` | 9 | |\n| `tests` | 60 | |\n")

    assert over(spent([*reports, object()], allowed), allowed) == [
        "over its budget in CONTRIBUTING.md: tests took 70 s of test time, of 60 s",
        "over its budget in CONTRIBUTING.md: ctl took 40 s of test time, of 30 s",
        "over its budget in CONTRIBUTING.md: ctl/look took 14 s of test time, of 13 s",
    ]
