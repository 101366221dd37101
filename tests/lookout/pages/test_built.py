"""Pages that are missing or old are never tested as if they were these."""

from pathlib import Path

import pytest

from tests.lookout.pages.built import require_pages, wanted


def test_pages_of_these_files_are_used(tmp_path: Path) -> None:
    (tmp_path / ".built-from").write_text(wanted(), encoding="utf-8")

    require_pages(tmp_path, {"CI": "true"})


@pytest.mark.parametrize("stamp", [None, "of other files"])
def test_without_them_tests_are_skipped_or_fail_under_ci(tmp_path: Path, stamp: str | None) -> None:
    if stamp is not None:
        (tmp_path / ".built-from").write_text(stamp, encoding="utf-8")

    with pytest.raises(pytest.skip.Exception, match="`make ui` builds them"):
        require_pages(tmp_path, {})
    with pytest.raises(pytest.fail.Exception, match="`make ui` builds them"):
        require_pages(tmp_path, {"CI": "true"})
