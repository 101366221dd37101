"""docs/troubleshooting.md quotes what the programs really say, and metrics and pages that exist."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.ground.test_failure_modes import exposed
from tests.ground.tree import ROOT, written_python

PAGE = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
SECTIONS = re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]
SIGNS = [paragraph for paragraph in re.split(r"\n\s*\n", PAGE) if paragraph.startswith("**Signs.**")]
OF_LIBRARIES = {"database is locked", "database or disk is full"}
"""What SQLite says; our texts only pass it on."""

VALUE = "\x00"


@cache
def said() -> str:
    """Every text in the code; what is put in at run time is ``VALUE``."""
    return "\n".join(text for path in written_python("agent") for text in _texts(ROOT / path))


def _texts(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
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


@pytest.mark.parametrize("text", quoted())
def test_a_quoted_message_is_one_that_the_code_gives(text: str) -> None:
    assert text in OF_LIBRARIES or [part for part in fragments(text) if part not in said()] == []


def test_every_metric_exists() -> None:
    named = set(re.findall(r"failure_agent_[a-z_]+", PAGE))

    assert len(named) > 15
    assert named - exposed() == set()


def test_many_messages_are_quoted() -> None:
    assert len(quoted()) > 30
    assert "no such setting" in said()
    assert "there is no spool like this" not in said()


def slug(heading: str) -> str:
    return re.sub(r"[^a-z0-9 _-]", "", heading.lower()).replace(" ", "-")


@pytest.mark.parametrize("page", ["troubleshooting.md", "glossary.md", "operations.md", "architecture.md", "store.md"])
def test_every_link_to_a_section_leads_to_one(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    wrong = []
    for file, anchor in re.findall(r"\]\(([a-z./-]*)#([^)]+)\)", text):
        target = (ROOT / "docs" / (file or page)).read_text(encoding="utf-8")
        if anchor not in {slug(line) for line in re.findall(r"^#+ (.+)$", target, re.MULTILINE)}:
            wrong.append(f"{file}#{anchor}")

    assert wrong == []


@pytest.mark.parametrize("section", SECTIONS, ids=[section.splitlines()[0] for section in SECTIONS])
def test_a_section_has_steps(section: str) -> None:
    assert re.search(r"^1\. .+\n(?:.*\n)*?2\. ", section, re.MULTILINE)
