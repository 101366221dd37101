"""Every command in the pages is one: the program would take it, with each of its options."""

from pathlib import Path

import pytest

from tests.docs.commands import CommandLine, command_lines, complaint, made_targets, pages, run_modules, targets
from tests.ground.tree import ROOT

PAGES = {page: (ROOT / page).read_text(encoding="utf-8") for page in pages()}
LINES = list(dict.fromkeys(line for page, text in PAGES.items() for line in command_lines(page, text)))


@pytest.mark.parametrize("line", LINES, ids=str)
def test_a_command_line_parses(line: CommandLine) -> None:
    assert complaint(line) is None


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_what_make_and_python_run_exists(page: Path) -> None:
    modules = [name.replace(".", "/") for name in run_modules(PAGES[page]) if not name.endswith(".py")]

    assert made_targets(PAGES[page]) - targets() == set()
    assert [
        name for name in modules if not any((ROOT / f"{name}{end}").exists() for end in (".py", "/__main__.py"))
    ] == []
    assert [name for name in run_modules(PAGES[page]) if name.endswith(".py") and not (ROOT / name).exists()] == []


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
