"""A file of compiled rules that does not fit is never used, whatever is wrong with it."""

from pathlib import Path

import pytest

from agent.compiled_rules import file as compiled_rules
from agent.compiled_rules.file import Compiled, Unfit, read_compiled, write_compiled
from agent.core.classify.matchers.signals import Signals
from agent.core.classify.rules import Category, Rule, RuleSet

RULES = RuleSet(categories=(Category(name="a", rules=(Rule(matcher=Signals(values=frozenset({9}))),)),), revision="r")
PACK = RuleSet(categories=(Category(name="b", rules=()),))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = tmp_path / "rules.msgpack"
    write_compiled(made, RULES, {"p": PACK})
    return made


def test_what_was_written_is_read(file: Path) -> None:
    found = read_compiled(file)

    assert isinstance(found, Compiled)
    assert (found.rules(), found.pack("p"), found.pack("q")) == (RULES, PACK, None)
    assert [path.name for path in file.parent.iterdir()] == [file.name]
    assert file.stat().st_mode & 0o777 == 0o644


def test_without_a_file_there_is_nothing(tmp_path: Path) -> None:
    assert read_compiled(tmp_path / "absent.msgpack") is None


def test_rules_of_another_key_do_not_fit(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiled_rules, "current_key", lambda: "another")

    assert read_compiled(file) == Unfit(file, "is of other rules or another version")


def test_a_file_with_a_part_missing_does_not_fit(file: Path) -> None:
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert read_compiled(file) == Unfit(file, "is damaged"), length


def test_a_file_with_another_byte_does_not_fit(file: Path) -> None:
    whole = file.read_bytes()
    for at, byte in enumerate(whole):
        file.write_bytes(whole[:at] + bytes([byte ^ 1]) + whole[at + 1 :])
        assert read_compiled(file) == Unfit(file, "is damaged"), at


@pytest.mark.parametrize("content", [b"errorCategories: []\n", b"\xc0", b"\x92\xc4\x00\xc4\x00", b"\x90"])
def test_another_file_does_not_fit(file: Path, content: bytes) -> None:
    file.write_bytes(content)

    assert read_compiled(file) == Unfit(file, "is damaged")


def test_a_file_that_cannot_be_read_does_not_fit(tmp_path: Path) -> None:
    assert read_compiled(tmp_path) == Unfit(tmp_path, "cannot be compared: Is a directory")
    assert str(Unfit(tmp_path, "is damaged")).endswith(
        " is damaged, so the rules are read from YAML, which takes longer; `python -m agent.rule_files` makes it again"
    )
