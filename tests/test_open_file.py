from pathlib import Path

from agent.open_file import OpenFile


def test_a_file_has_no_problem_while_its_path_names_it(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    opened = OpenFile.at(tmp_path / "f")
    assert opened.problem() is None

    with (tmp_path / "f").open("w") as stream:
        stream.write("other content")

    assert opened.problem() is None


def test_a_file_that_was_moved_is_missed_until_it_is_back(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    opened = OpenFile.at(tmp_path / "f")

    (tmp_path / "f").rename(tmp_path / "g")
    assert (opened.problem() or "").startswith("was deleted or moved while it was open; move it back")

    (tmp_path / "g").rename(tmp_path / "f")
    assert opened.problem() is None


def test_a_file_in_a_folder_that_was_replaced_by_a_file_is_missed(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/f").touch()
    opened = OpenFile.at(tmp_path / "folder/f")

    (tmp_path / "folder").rename(tmp_path / "old")
    (tmp_path / "folder").touch()

    assert (opened.problem() or "").startswith("was deleted or moved")


def test_another_file_in_its_place_is_told_apart(tmp_path: Path) -> None:
    (tmp_path / "f").touch()
    opened = OpenFile.at(tmp_path / "f")
    (tmp_path / "other").touch()

    (tmp_path / "other").rename(tmp_path / "f")

    assert (opened.problem() or "").startswith("was replaced by another file while it was open; restart")
