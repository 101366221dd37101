"""Every command in the pages is one: the program would take it, with each of its options."""

from pathlib import Path

import pytest

from tests.docs.commands import command_lines, complaint, missing, pages, refused
from tests.ground.findings import assert_no_findings
from tests.ground.tree import text_of


def test_every_command_line_parses() -> None:
    lines = dict.fromkeys(line for page in pages() for line in command_lines(page, text_of(page) or ""))
    assert_no_findings(refused, lines)


def test_what_make_and_python_run_exists() -> None:
    assert_no_findings(missing, pages())


def complaints(text: str) -> list[str | None]:
    return [complaint(line) for line in command_lines(Path("page.md"), text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("`failctl lint`, `failctl explain`", [None, None]),
        ("    kubectl get pods -o json | .venv/bin/failctl classify -f - --failed   # a table", [None]),
        ("```\n$ failctl explain 01stet4b \\\n    --details > file\n```", [None]),
        ("`failctl\nget jobs --since 2h`", [None]),
        ("`failctl --version`", [None]),
        ("see failctl nonsense in prose, and `kubectl explain`", []),
    ],
)
def test_what_programs_take_is_found(text: str, expected: list[str | None]) -> None:
    assert complaints(text) == expected


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("`failctl nonsense`", "No such command 'nonsense'"),
        ("`failctl get job`", "No such command 'job'"),
        ("`failctl lint --stric`", "No such option: --stric"),
        ("    failctl explain", "Missing argument"),
        ("    failctl explain 01stet4b    how it stands", "Got unexpected extra argument"),
        ("    failctl get jobs --limit many", "Input should be a valid integer"),
        ("```\nfailure-agent init --nonsense\n```", "No such"),
    ],
)
def test_what_they_refuse_is_found(text: str, part: str) -> None:
    (why,) = complaints(text)

    assert why is not None
    assert part in why


def test_a_line_that_is_refused_is_shown_with_its_page() -> None:
    (line,) = command_lines(Path("page.md"), "`failctl nonsense`")

    assert list(refused(line)) == ["page.md: failctl nonsense: No such command 'nonsense'."]


def test_what_make_and_python_cannot_run_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`make test`, `make nonsense`\n    make gone\nwe make sure\n"
        "python -m tests.ground.tree, python -m tests.servers prepare, python -m tests.none\n"
        "python bench/burst.py, python bench/none.py\n",
        encoding="utf-8",
    )

    assert [finding.removeprefix(f"{page}:") for finding in missing(page)] == [
        "1: nonsense: there is no such target",
        "2: gone: there is no such target",
        "4: tests.none: there is no such module",
        "5: bench/none.py: there is no such file",
    ]
