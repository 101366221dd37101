from pathlib import Path

import pytest

from agent.demo.layout import FolderTaken, make_layout


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("precious")

    with pytest.raises(FolderTaken, match="name another one with --dir"):
        make_layout(tmp_path)

    assert (tmp_path / "thesis.tex").read_text() == "precious"


def test_an_earlier_demos_folder_is_emptied(tmp_path: Path) -> None:
    earlier = make_layout(tmp_path / "demo")
    earlier.store.write_text("old")

    make_layout(tmp_path / "demo")

    assert not earlier.store.exists()


def test_what_is_not_there_is_made(tmp_path: Path) -> None:
    assert (make_layout(tmp_path / "a" / "b").folder / "logs").is_dir()
