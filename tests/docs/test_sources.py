"""What code and pages cite can be opened: a page and heading of this project, or a public source."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import pytest

from agent.core.classify.pattern import compile_pattern
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, line_at, text_of, tracked

PLACES: Final = ("agent", "bench", "tests", "docs", "config", "deploy", "proto", ".ci")
"""Folders whose files are read, in addition to those of the root."""

WRITTEN: Final = frozenset({"", ".go", ".md", ".proto", ".py", ".sh", ".sql", ".toml", ".yaml"})
"""Suffixes of files that people write. Logs and recorded answers may cite what they like."""

SELF: Final = Path("tests/docs/test_sources.py")

SPELLINGS: Final = (
    r"\bdesign [0-9]",
    r"\breference/[a-z-]+\.md",
    r"\b[a-z-]+\.md [0-9]",
    r"\bstyle [0-9]",
    r"(?:\(|, )issue [0-9\"]",
    r"\bseed,? \"|\(the seed\)|\*seed\*|\bseed \(KEP",
    r"\b(?:in|between) the seed\b|\bthe seed(?:'s\b| \")|\b(?:spelling|numbers) of the seed\b",
    r"[(,] ?[AB][0-9]{1,2}(?:\.[0-9-]+)?(?:[);:]|, )",
    r"\b(?:armada-today|failure-taxonomy|failure-statistics|kubernetes-job-and-jobset|panda-retry)(?:\.md|[ ,;:)])",
    r"\b(?:attack|design|peers|performance|trial)\.md\b",
)
"""References to documents that readers do not have: notes, and the proposals as they were handed over."""

ABSENT: Final = "|".join(SPELLINGS)

CITED: Final = re.compile(
    r"""(?<![\w/.-])docs/(?P<page>[\w/-]+\.md)
    (?:
        ,\s+(?:(?:\#|//)\s)?"?(?P<heading>[A-Z][^).;"]*)
        |:[ ](?P<name>[a-z]+(?:-[a-z]+)+)(?=\))
    )?
    """,
    re.VERBOSE,
)
"""A page, with a heading behind a comma, as in ``(docs/evidence.md, The steps)``, or a name in it behind a colon."""

STEP: Final = re.compile(r"\bstep\s+``(?P<step>[a-z]+)``\s+of\s+docs/protocol\.md")
"""A step of the protocol, as docstrings cite it."""

ANCHOR: Final = re.compile(r"\]\((?P<page>[\w./-]*?\.md)?#(?P<anchor>[^)\s]+)\)")

REMAINDER: Final = {
    "agent/manifests": 1,  # in a message of failctl error-rule lint, which people may know
}
"""How many absent documents each room still cites at most. Lower a number when they become fewer; raise none."""


@cache
def read() -> tuple[Path, ...]:
    return tuple(
        path
        for path in tracked()
        if (len(path.parts) == 1 or path.parts[0] in PLACES)
        and path.suffix in WRITTEN
        and path.parts[:2] != ("agent", "api")
        and path != SELF
        and text_of(path) is not None
    )


def room_of(path: Path) -> str:
    return "/".join(path.parts[:2]) if path.parts[0] in {"agent", "tests", "config"} else path.parts[0]


@cache
def absent(path: Path) -> tuple[str, ...]:
    """References of a file to documents that readers do not have."""
    text = text_of(path) or ""
    if compile_pattern(ABSENT).search(text.encode()) is None:  # RE2 reads all files in a tenth of the time of re
        return ()
    return tuple(
        f"{path}:{line_at(text, match.start())}: {match[0]!r}: readers do not have this: cite a public source"
        for match in re.finditer(ABSENT, text)
    )


def unopened(path: Path) -> Iterator[str]:
    """References of a file to pages of ``docs`` that do not exist, or have no such heading or name."""
    text = text_of(path) or ""
    for match in CITED.finditer(text):
        page = text_of(Path("docs") / match["page"]) if (ROOT / "docs" / match["page"]).is_file() else None
        part = " ".join((match["heading"] or match["name"] or "").replace("#", " ").split())
        where = f"{path}:{line_at(text, match.start())}: docs/{match['page']}"
        if page is None:
            yield f"{where}: there is no such page"
        elif part not in " ".join(page.split()):
            yield f"{where}: has no {part!r}"
    for match in STEP.finditer(text):
        if f"\n| `{match['step']}` |" not in (text_of(Path("docs/protocol.md")) or ""):
            yield f"{path}:{line_at(text, match.start())}: docs/protocol.md: has no step {match['step']!r}"


def slugs(page: Path) -> frozenset[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", text_of(page) or "", re.MULTILINE)
    return frozenset(re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings)


def lost(page: Path) -> Iterator[str]:
    """Links of a page to headings that do not exist."""
    text = text_of(page) or ""
    for match in ANCHOR.finditer(text):
        target = (ROOT / page).parent.joinpath(match["page"]) if match["page"] else ROOT / page
        if target.is_file() and match["anchor"] not in slugs(target):
            yield f"{page}:{line_at(text, match.start())}: {match['page'] or ''}#{match['anchor']}: no such heading"


def test_no_room_cites_what_readers_do_not_have() -> None:
    found = [finding for path in read() for finding in absent(path) if room_of(path) not in REMAINDER]

    assert found == []


@pytest.mark.parametrize("room", REMAINDER)
def test_a_room_that_still_cites_them_does_so_less_and_less(room: str) -> None:
    counts = Counter(room_of(path) for path in read() for _ in absent(path))

    assert counts[room] <= REMAINDER[room]


def test_every_page_that_is_cited_can_be_opened_at_its_heading() -> None:
    assert_no_findings(unopened, read())


def test_every_link_to_a_heading_leads_to_one() -> None:
    assert_no_findings(lost, [path for path in read() if path.suffix == ".md"])


@pytest.mark.parametrize(
    "text",
    [
        "the same id (design 4.1)",
        "as reference/performance.md says",
        "(style 9)",
        "(issue 3, done when 6)",
        'Source: a, issue 3 "Classification"',
        "in the seed's dialect",
        '(seed, "Backoff")',
        "as in the seed",
        "counted (A8)",
        "(B4; as there)",
        "(A2.3-7)",
        "(armada-today 1.5)",
        "(panda-retry.md 6.6)",
        "see performance.md",
        "(pulsar.md 3.2)",
    ],
)
def test_a_document_that_readers_do_not_have_is_found(text: str, tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(f"# first\n# {text}\n", encoding="utf-8")

    assert [finding.partition(": ")[0] for finding in absent(file)] == [f"{file}:2"]


@pytest.mark.parametrize(
    "text",
    [
        "armadaproject/armada#4683",
        "moves in the order of the seed, then the rest",
        "tests/cases/panda-retry.json",
        "an A100 (A100, H100)",
        "docs/style.md",
    ],
)
def test_what_can_be_opened_is_no_finding(text: str, tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(f"# {text}\n", encoding="utf-8")

    assert absent(file) == ()


def test_a_page_a_heading_and_a_link_that_do_not_exist_are_found(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(
        "(docs/none.md) (docs/evidence.md, The steps) (docs/evidence.md, The\n# steps) (docs/evidence.md, No steps)\n"
        "(docs/protocol.md: one-verdict-per-run) (docs/protocol.md: two-verdicts-per-run)\n"
        "the step ``dedup`` of docs/protocol.md, the step ``never`` of docs/protocol.md\n",
        encoding="utf-8",
    )

    assert list(unopened(file)) == [
        f"{file}:1: docs/none.md: there is no such page",
        f"{file}:2: docs/evidence.md: has no 'No steps'",
        f"{file}:3: docs/protocol.md: has no 'two-verdicts-per-run'",
        f"{file}:4: docs/protocol.md: has no step 'never'",
    ]


def test_a_link_to_no_heading_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# The `steps`, in order\n[a](#the-steps-in-order)\n[b](page.md#elsewhere)\n", encoding="utf-8")

    assert list(lost(page)) == [f"{page}:3: page.md#elsewhere: no such heading"]
