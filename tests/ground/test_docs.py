"""Pages lead to places that are there."""

import re
from collections.abc import Iterator
from pathlib import Path

from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, line_at, text_of, tracked

LINK = re.compile(r"\]\((?!https?://|#)([^)#\s]+)(?:#[^)]*)?\)")
MAP = Path("docs/architecture.md")
DECISIONS = Path("docs/decisions")
LONGEST_DECISION = 25
PARTS = ("**Chosen.**", "**Why", "**Costs.**", "**Would change it.**")


def decisions() -> list[Path]:
    return [path for path in tracked() if path.parent == DECISIONS and path.match("[0-9]*.md")]


def broken_links(page: Path) -> Iterator[str]:
    text = text_of(page) or ""
    for link in LINK.finditer(text):
        if not (ROOT / page).parent.joinpath(link[1]).exists():
            yield f"{page}:{line_at(text, link.start())}: {link[1]}: there is no such file"


def incomplete(decision: Path) -> Iterator[str]:
    """What a decision has too much of, or lacks."""
    text = text_of(decision) or ""
    if (lines := len(text.splitlines())) >= LONGEST_DECISION:
        yield f"{decision}: has {lines} lines: write fewer than {LONGEST_DECISION}"
    yield from (f"{decision}: has no part {part}" for part in PARTS if part not in text)


def unlisted(room: Path) -> Iterator[str]:
    if f"| `{room}" not in (text_of(MAP) or ""):
        yield f"{room}: is not in the table of {MAP}: add a row"


def test_every_link_leads_somewhere() -> None:
    assert_no_findings(broken_links, [path for path in tracked() if path.suffix == ".md"])


def test_every_decision_is_listed() -> None:
    assert LINK.findall(text_of(DECISIONS / "README.md") or "") == [page.name for page in decisions()]


def test_a_decision_is_short_and_says_what_would_change_it() -> None:
    assert_no_findings(incomplete, decisions())


def test_every_room_is_on_the_map() -> None:
    packages = [path.parent for path in tracked() if path.name == "__init__.py"]
    assert_no_findings(unlisted, [package for package in packages if package.parent == Path("agent")])


def test_what_is_wrong_with_a_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("**Chosen.** [a](page.md#a)\n[b](gone.md) [c](https://c)\n**Why.**\n" + "\n" * 30, encoding="utf-8")

    assert list(broken_links(page)) == [f"{page}:2: gone.md: there is no such file"]
    assert list(incomplete(page)) == [
        f"{page}: has 33 lines: write fewer than 25",
        f"{page}: has no part **Costs.**",
        f"{page}: has no part **Would change it.**",
    ]


def test_a_room_that_is_not_on_the_map_is_found() -> None:
    assert list(unlisted(Path("agent/elsewhere"))) == [
        "agent/elsewhere: is not in the table of docs/architecture.md: add a row"
    ]
