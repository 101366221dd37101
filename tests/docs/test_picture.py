"""The picture in the README: it is what the code prints today, and it loads nothing."""

import re
from xml.etree import ElementTree as ET

import pytest

from agent.console.terminal import cells_of
from tests.docs.picture import COLUMNS, picture, screen
from tests.ground.tree import ROOT

COMMITTED = (ROOT / "docs" / "explain.svg").read_text(encoding="utf-8")
LONGEST_README = 120
NAMESPACE = "http://www.w3.org/2000/svg"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(scope="module")
def printed() -> list[str]:
    return ESCAPE.sub("", screen()).splitlines()


def test_the_picture_is_what_the_code_prints() -> None:
    assert picture() == COMMITTED, "run make generate"


def test_the_picture_has_every_line(printed: list[str]) -> None:
    drawn = ["".join(text.itertext()) for text in ET.fromstring(COMMITTED).iter(f"{{{NAMESPACE}}}text")]  # noqa: S314 - our own file
    shown = "".join(drawn).replace("\xa0", "").replace(" ", "")

    assert len(printed) > 10
    assert [line for line in printed if line.replace(" ", "") not in shown] == []


def test_every_line_fits_the_terminal(printed: list[str]) -> None:
    assert max(map(cells_of, printed)) <= COLUMNS


def test_the_readme_shows_it_and_is_short() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")

    assert "](docs/explain.svg)" in readme
    assert len(readme.splitlines()) <= LONGEST_README


def test_the_picture_names_no_address_but_the_namespace() -> None:
    assert COMMITTED.count(NAMESPACE) == 1
    assert not re.search(r"https?:|//|@import|@font-face|url\((?!#)|href|src", COMMITTED.replace(NAMESPACE, ""))
