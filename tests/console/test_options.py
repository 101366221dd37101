import pytest

from agent.console.exits import UsageError
from agent.console.options import may_change


def test_yes_allows_the_change_and_a_dry_run_does_not() -> None:
    assert may_change("Drop?", yes=True, dry_run=False)
    assert not may_change("Drop?", yes=False, dry_run=True)


def test_both_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="exclude each other"):
        may_change("Drop?", yes=True, dry_run=True)


def test_without_a_terminal_the_error_names_both_options() -> None:
    with pytest.raises(UsageError, match=r"Drop\? Add --yes to do it, or --dry-run"):
        may_change("Drop?", yes=False, dry_run=False)
