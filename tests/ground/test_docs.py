"""Pages lead to places that are there."""

import re
from pathlib import Path

import pytest

from tests.ground.tree import ROOT, tracked

LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(?:#[^)]*)?\)")
DECISIONS = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
LONGEST_DECISION = 25


def links(page: Path) -> list[str]:
    return LINK.findall((ROOT / page).read_text(encoding="utf-8"))


@pytest.mark.parametrize("page", [path for path in tracked() if path.suffix == ".md"], ids=str)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert [link for link in links(page) if not (ROOT / page).parent.joinpath(link).exists()] == []


def test_every_decision_is_listed() -> None:
    assert links(Path("docs/decisions/README.md")) == [page.name for page in DECISIONS]


@pytest.mark.parametrize("page", DECISIONS, ids=lambda page: page.name)
def test_a_decision_is_short_and_says_what_would_change_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")

    assert len(text.splitlines()) < LONGEST_DECISION
    assert all(part in text for part in ("**Chosen.**", "**Why", "**Costs.**", "**Would change it.**"))


@pytest.mark.parametrize("room", sorted(p.name for p in (ROOT / "agent").iterdir() if (p / "__init__.py").exists()))
def test_every_room_is_on_the_map(room: str) -> None:
    assert f"| `agent/{room}" in (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
