"""Rule files on disk: where packs are read from, and that compiled packs are what their files say."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import pytest

from agent import rule_files
from agent.compiled_rules.file import Compiled, read_compiled
from agent.core.classify.rules import RuleSet
from agent.documents.checked import check_one
from agent.documents.compose import read
from agent.documents.problem import ManifestError, Problem, errors_of
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import check_file
from agent.rule_files import check_rules, files_of, main, read_rules, shipped_packs
from agent.shipped import RULES, shipped

PACK = "errorCategories: [{name: NAME, rules: [{onSignals: [SIGKILL]}]}]\n"


@pytest.fixture
def rules(tmp_path: Path) -> Path:
    (tmp_path / "more").mkdir()
    for name in ("near.yaml", "more/far.yaml"):
        text = PACK.replace("NAME", Path(name).stem)
        (tmp_path / name).write_text(text, encoding="utf-8")
    file = tmp_path / "rules.yaml"
    file.write_text("packs: [near.yaml, more/far.yaml]\n", encoding="utf-8")
    return file


def test_paths_start_from_the_folder_of_the_file_that_lists_them(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")

    assert [(one.pack, one.name) for one in read_rules(rules).categories] == [("near", "near"), ("far", "far")]


def test_the_files_of_a_rule_set_are_its_own(rules: Path) -> None:
    folder = rules.parent

    assert files_of(rules) == (rules, folder / "near.yaml", folder / "more" / "far.yaml")


def test_of_a_file_that_cannot_be_used_only_itself_is_known(rules: Path) -> None:
    rules.write_text("packs: [near.yaml]\nerrorCategories: 5\n", encoding="utf-8")

    assert files_of(rules) == (rules,)
    assert files_of(rules.with_name("absent.yaml")) == (rules.with_name("absent.yaml"),)


def test_a_problem_of_a_pack_names_its_file(rules: Path) -> None:
    rules.with_name("near.yaml").write_text("errorCategories: [{name: a}]\n", encoding="utf-8")

    with pytest.raises(ManifestError, match=r"near\.yaml:1:19: .*a category needs at least one rule"):
        read_rules(rules)


OF_R: Final = "errorCategories: [{name: oom, action: DELETE, rules: [{onSignals: [SIGKILL]}]}]\n"
"""A category that the pack ``r`` has, too, with an action, which a shipped pack never gives one."""

WARNINGS: Final = frozenset({"Warning"})


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled rules, made now: those of this tree may be of other ones, and then they are not used."""
    file = tmp_path_factory.mktemp("compiled") / "rules.msgpack"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rule_files, "compiled_file", lambda: file)
        main()
    return file


@pytest.mark.slow
def test_compiled_they_are_what_the_files_say(compiled: Path) -> None:
    found, file = read_compiled(compiled), shipped(RULES)

    assert isinstance(found, Compiled)
    assert found.rules() == check_rules(read(file.read_bytes(), file=str(file))).value
    for name in shipped_packs():
        pack = shipped(f"packs/{name}.yaml")
        checked = check_one(read(pack.read_bytes(), file=str(pack)), check_file)
        assert found.pack(name) == checked.value_or_raise().rules, name


def outcome(file: Path, event_types: frozenset[str]) -> RuleSet | Sequence[Problem]:
    try:
        return read_rules(file, event_types=event_types)
    except ManifestError as error:
        return error.problems


@pytest.mark.parametrize(
    ("text", "event_types"),
    [
        ("order: evidence\npacks: [near.yaml, clouds, python]\n", ALL_TYPES),
        ("order: evidence\npacks: [python, near.yaml, clouds]\n", WARNINGS),
        ("packs: [python, r]\n", ALL_TYPES),
        ("order: evidence\npacks: [python, python, pyton]\n", ALL_TYPES),
        (f"order: evidence\npacks: [r, near.yaml]\n{OF_R}", ALL_TYPES),
    ],
)
def test_listed_in_a_file_they_are_what_their_files_say(
    rules: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch, text: str, event_types: frozenset[str]
) -> None:
    rules.write_text(text, encoding="utf-8")
    checked = check_rules(read(text, file=str(rules)), event_types=event_types)
    monkeypatch.setattr(rule_files, "compiled_file", lambda: compiled)

    assert outcome(rules, event_types) == (checked.value or errors_of(checked.problems))


def test_compiled_packs_are_not_read_again(rules: Path, compiled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules.write_text("order: evidence\npacks: [near.yaml, python]\n", encoding="utf-8")
    monkeypatch.setattr(rule_files, "compiled_file", lambda: compiled)
    read_now = list[str]()

    def reading(file: Path) -> bytes:
        read_now.append(file.name)
        return file.read_bytes()

    monkeypatch.setattr(rule_files, "read_file", reading)
    shipped_packs()
    read_now.clear()

    read_rules(rules)
    assert read_now == ["rules.yaml", "near.yaml"]


def test_what_does_not_fit_is_said_and_not_used(rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rules.write_text("order: evidence\npacks: [r]\n", encoding="utf-8")
    said, damaged = list[str](), rules.with_name("damaged.msgpack")
    monkeypatch.setattr(rule_files, "compiled_file", lambda: damaged)
    without = read_rules(rules, notice=said.append)
    assert said == []

    damaged.write_bytes(b"")
    assert read_rules(rules, notice=said.append) == without
    slower = "so the rules are read from YAML, which takes longer; `python -m agent.rule_files` makes it again"
    assert said == [f"{damaged} is damaged, {slower}"]
