from pathlib import Path

import pytest

from agent.console.exits import UsageError
from agent.console.inputs import inputs, read_text


def test_a_folder_gives_its_files_in_order_of_their_names(tmp_path: Path) -> None:
    for name in ("b.yaml", "a.json", "notes.txt", "c.yml", "d.jsonl"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    (tmp_path / "deeper.yaml").mkdir()

    assert [file.path.name for file in inputs([tmp_path])] == ["a.json", "b.yaml", "c.yml", "d.jsonl"]


def test_every_file_that_is_named_is_read_in_that_order(tmp_path: Path) -> None:
    for name in ("one.txt", "two"):
        (tmp_path / name).write_text(name, encoding="utf-8")

    assert [file.text() for file in inputs([tmp_path / "two", tmp_path / "one.txt"])] == ["two", "one.txt"]


def test_a_folder_without_any_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no file in this folder ends in \.yaml, \.yml, \.json, \.jsonl"):
        inputs([tmp_path])


def test_standard_input_twice_is_an_error() -> None:
    with pytest.raises(UsageError, match="given twice"):
        inputs(["-", "-"])


def test_what_cannot_be_opened_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"none\.yaml: No such file"):
        read_text(tmp_path / "none.yaml")
    with pytest.raises(UsageError, match="this is a folder"):
        read_text(tmp_path)


def test_a_name_with_bytes_that_are_not_utf_8_is_shown_as_escapes(tmp_path: Path) -> None:
    file = Path(str(tmp_path) + "/\udcff\x1b.yaml")
    file.write_text("x", encoding="utf-8")

    (source,) = inputs([tmp_path])

    assert source.name.endswith("/\\udcff\\x1b.yaml")
    assert source.text() == "x"


def test_bytes_that_are_not_utf_8_keep_their_place(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(b"a: \xff\n")

    assert read_text(tmp_path / "a.yaml")[1] == "a: �\n"


def test_a_name_too_long_for_a_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="File name too long"):
        inputs([tmp_path / ("x" * 300)])
