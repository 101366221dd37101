"""Names say what they stand for."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.ground.findings import assert_no_findings
from tests.ground.tree import text_of, written_python

SAYS_NOTHING: Final = frozenset({"one", "each"})
"""Words that stand for any thing, so that a reader must look up of what kind it is."""

MAY_BIND: Final = re.compile(r"\b(?:one|each)\s*(?:in\b|[],:=)])")
"""Found in any text that binds one of them. To parse only those texts takes a fraction of the time."""


def bound(node: ast.AST) -> str | None:
    """The name that a loop, a comprehension, an assignment or a parameter binds here; ``None`` if none does."""
    match node:
        case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name):
            return name
        case _:
            return None


def names_without_a_noun(path: Path) -> Iterator[str]:
    text = text_of(path) or ""
    if MAY_BIND.search(text) is None:
        return
    for node in ast.walk(ast.parse(text, filename=str(path))):
        if isinstance(node, ast.Name | ast.arg) and (name := bound(node)) in SAYS_NOTHING:
            yield f"{path}:{node.lineno}: {name}: name it by the noun of the thing"


def test_loops_and_comprehensions_name_the_thing() -> None:
    assert_no_findings(names_without_a_noun, written_python("agent", "bench"))


@pytest.mark.parametrize(
    "text",
    [
        "for one in pods: pass",
        "async def run():\n async for each in pods: pass",
        "for key, (one, other) in pods: pass",
        "uids = [one.uid for one in pods]",
        "uids = {each: 1 for each in pods}",
        "key = lambda one: one.uid",
        "def uid(each): pass",
        "one = next(pods)",
        "if (one := next(pods)): pass",
    ],
)
def test_a_name_without_a_noun_is_found(text: str, tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text(text, encoding="utf-8")

    assert len(list(names_without_a_noun(file))) == 1


def test_other_names_and_uses_are_no_finding(tmp_path: Path) -> None:
    file = tmp_path / "module.py"
    file.write_text("for pod in one(pods): print(pod.each)\n", encoding="utf-8")

    assert list(names_without_a_noun(file)) == []
