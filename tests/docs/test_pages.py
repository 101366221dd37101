"""The pictures of the pages in the documentation are there, small, light and dark, and say in words what they show."""

import re
from pathlib import Path
from typing import Final

import pytest

from tests.ground.tree import ROOT
from tests.lookout.pages.stories.pictures import MOST_BYTES, files

FOLDER: Final = ROOT / "docs" / "pages"
SHOWN: Final = re.compile(
    r'<picture><source media="\(prefers-color-scheme: dark\)" srcset="([\w/-]+)-dark\.png">'
    r'<img alt="([^"]+)" src="([\w/-]+)-light\.png"></picture>'
)


def shown(page: Path) -> list[Path]:
    """The pictures that a page shows, without what is behind their names."""
    found = SHOWN.findall(page.read_text(encoding="utf-8"))
    assert all(dark == light for dark, _, light in found)
    return [(page.parent / light) for _, _, light in found]


@pytest.mark.parametrize("page", ["README.md", "docs/lookout.md"])
def test_each_picture_of_a_page_is_there_in_both_schemes(page: str) -> None:
    pictures = shown(ROOT / page)

    assert pictures
    for picture in pictures:
        for scheme in ("light", "dark"):
            file = picture.with_name(f"{picture.name}-{scheme}.png")
            assert file.read_bytes().startswith(b"\x89PNG")
            assert file.stat().st_size <= MOST_BYTES, file


def test_those_that_are_there_are_made_and_shown() -> None:
    names = {file.name for file in FOLDER.iterdir()}

    assert names == {name for name, _ in files()}
    assert {name.rpartition("-")[0] for name in names} == {picture.name for picture in shown(ROOT / "docs/lookout.md")}
