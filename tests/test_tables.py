import re
from pathlib import Path

import yaml

from tests.ground.tree import text_of, written_python
from tests.tables import table

TEXT = "- {name: ü, exit: 0o11, at: 2026-11-21T12:00:02Z}\n- &a [1, ~]\n- *a\n"
SLOW = re.compile(r"yaml\.safe_load(_all)?\(.*\.(read_text|read_bytes|open)\(")


def test_a_table_is_what_yaml_says(tmp_path: Path) -> None:
    file = tmp_path / "rows.yaml"
    file.write_text(TEXT, encoding="utf-8")

    assert table(file) == yaml.safe_load(TEXT)


def test_files_are_read_as_tables() -> None:
    assert [str(path) for path in written_python("tests") if SLOW.search(text_of(path) or "")] == []
    assert SLOW.search("rows = yaml.safe_load" + "(ROOT.read_text())")
