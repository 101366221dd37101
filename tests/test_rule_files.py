"""Rule files on disk: the packs that they list are read from the folder that they are in."""

from pathlib import Path

import pytest

from agent.documents.problem import ManifestError
from agent.rule_files import files_of, read_rules

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
