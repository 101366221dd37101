"""docs/troubleshooting.md quotes what the programs really say, and metrics and pages that exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from agent.core.admission.conditions import Withheld
from tests.ground.findings import assert_no_findings
from tests.ground.test_failure_modes import exposed
from tests.ground.tree import line_at, text_of, written_python

PAGE = text_of(Path("docs/troubleshooting.md")) or ""
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
SIGNS = [paragraph for paragraph in re.split(r"\n\s*\n", PAGE) if paragraph.startswith("**Signs.**")]
LINKING = ("troubleshooting.md", "glossary.md", "operations.md", "architecture.md", "store.md")
OF_LIBRARIES = {"database is locked", "database or disk is full"}
"""What SQLite says; our texts only pass it on."""

VALUE = "\x00"


@cache
def said() -> str:
    """Every text in the code; what is put in at run time is ``VALUE``."""
    return "\n".join(text for path in written_python("agent") for text in _texts(path))


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(text_of(path) or "")):
        if isinstance(node, ast.JoinedStr):
            parts = (part.value if isinstance(part, ast.Constant) else VALUE for part in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def quoted() -> list[str]:
    """The texts between backticks below ``Signs`` that are messages: of several words, and no commands."""
    found = [" ".join(text.split()) for paragraph in SIGNS for text in re.findall(r"`([^`]+)`", paragraph)]
    return [text for text in found if " " in text and not text.startswith(("failctl", "sum("))]


def fragments(text: str) -> list[str]:
    """What stands fixed in a message; a name, a number or an error is written as three dots."""
    return [part for part in re.split(r"\s*\.\.\.\s*", text) if part.strip(" ;:,()")]


def unsaid(text: str) -> Iterator[str]:
    if text not in OF_LIBRARIES:
        for fragment in fragments(text):
            if fragment not in said():
                yield f"{text!r}: no text in agent/ has {fragment!r}: quote what the programs say"


def test_a_quoted_message_is_one_that_the_code_gives() -> None:
    assert_no_findings(unsaid, quoted())


def test_every_metric_exists() -> None:
    named = set(re.findall(r"failure_agent_[a-z_]+", PAGE))

    assert len(named) > 15
    assert named - exposed() == set()


def test_every_reason_why_a_pod_gets_no_condition_has_a_row() -> None:
    (section,) = (section for section in SECTIONS if section.startswith("A Job counts a failure"))
    rows = re.findall(r"^   \| (`[^|]+) \|", section, re.MULTILINE)

    assert sorted(reason for row in rows for reason in re.findall(r"`([a-z-]+)`", row)) == sorted(Withheld)


def test_many_messages_are_quoted() -> None:
    assert len(quoted()) > 30
    assert "no such setting" in said()
    assert "there is no spool like this" not in said()


def slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")


@cache
def anchors(page: Path) -> frozenset[str]:
    return frozenset(slug(line) for line in re.findall(r"^#+ (.+)$", text_of(page) or "", re.MULTILINE))


def broken_anchors(page: Path) -> Iterator[str]:
    """The links of a page that lead to a section that is not there."""
    text = text_of(page) or ""
    for link in re.finditer(r"\]\(([a-z./-]*)#([^)]+)\)", text):
        target = page.parent / link[1] if link[1] else page
        if link[2] not in anchors(target):
            yield f"{page}:{line_at(text, link.start())}: {target} has no section #{link[2]}"


def stepless(section: str) -> Iterator[str]:
    if not re.search(r"^1\. .+\n(?:.*\n)*?2\. ", section, re.MULTILINE):
        yield f"{section.splitlines()[0]}: has no steps: number them from 1"


def test_every_link_to_a_section_leads_to_one() -> None:
    assert_no_findings(broken_anchors, [Path("docs", name) for name in LINKING])


def test_every_section_has_steps() -> None:
    assert_no_findings(stepless, SECTIONS)


def test_what_is_wrong_with_a_page_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# A page\n[here](#a-page)\n[gone](#gone)\n[also](page.md#none)\n", encoding="utf-8")

    assert list(broken_anchors(page)) == [
        f"{page}:3: {page} has no section #gone",
        f"{page}:4: {page} has no section #none",
    ]
    assert list(stepless("Pods fail\n1. Look.\n")) == ["Pods fail: has no steps: number them from 1"]
    assert list(unsaid("no such setting ... of mine")) == [
        "'no such setting ... of mine': no text in agent/ has 'of mine': quote what the programs say"
    ]
