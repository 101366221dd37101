"""House rules that no linter knows: sizes, reasons for exceptions, and no clock in pure rooms."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ground.tree import ROOT, tracked, written_python

LONGEST_MODULE = 300
LONGEST_FUNCTION = 40

PURE = (Path("agent/core"), Path("agent/observe"))
IMPURE_CALLS = {
    "datetime.now",
    "datetime.utcnow",
    "datetime.today",
    "date.today",
    "datetime.datetime.now",
    "datetime.datetime.utcnow",
    "datetime.datetime.today",
    "datetime.date.today",
    "open",
    "print",
    "input",
    "eval",
    "exec",
    "__import__",
}

EXCEPTION = re.compile(r"#\s*(noqa|type:\s*ignore|pragma|fmt:|ruff:)(?P<rest>.*)$")
CODES_THEN_REASON = re.compile(
    r"(:\s*[A-Z]+\d+(\s*,\s*[A-Z]+\d+)*|\[[a-z-]+(\s*,\s*[a-z-]+)*\]|(skip|off))\s+(#|--?)\s+\w+"
)


def parsed(path: Path) -> ast.Module:
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), filename=str(path))


def functions(tree: ast.Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines from ``def`` to the end, its docstring not counted."""
    lines = (function.end_lineno or function.lineno) - function.lineno + 1
    first = function.body[0]
    if ast.get_docstring(function, clean=False) is None:
        return lines
    return lines - ((first.end_lineno or first.lineno) - first.lineno + 1)


def impure_calls(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (called := ast.unparse(node.func)) in IMPURE_CALLS:
            yield f"line {node.lineno}: {called}"


def taken_from_sys(tree: ast.Module) -> set[str]:
    taken: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module == "sys":
            taken.update(name.name for name in node.names)
        elif isinstance(node, ast.Import) and any(name.name == "sys" for name in node.names):
            taken.add("sys")
    return taken


def unexplained_exceptions(text: str) -> Iterator[str]:
    for number, line in enumerate(text.splitlines(), start=1):
        exception = EXCEPTION.search(line)
        if exception and exception[0] != "# fmt: on" and not CODES_THEN_REASON.match(exception["rest"].strip()):
            yield f"line {number}: {exception[0]}"


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    lengths = {path: len((ROOT / path).read_text(encoding="utf-8").splitlines()) for path in written_python("agent")}

    assert len(lengths) > 1
    assert {str(path): lines for path, lines in lengths.items() if lines > LONGEST_MODULE} == {}


def test_no_function_is_longer_than_a_screen() -> None:
    long = {
        f"{path}:{function.lineno} {function.name}": length(function)
        for path in written_python("agent")
        for function in functions(parsed(path))
        if length(function) > LONGEST_FUNCTION
    }
    assert long == {}


def test_pure_rooms_ask_no_clock_and_open_nothing() -> None:
    pure = [path for path in written_python("agent") if any(room in path.parents for room in PURE)]

    assert len(pure) > 1
    assert [f"{path} {call}" for path in pure for call in impure_calls(parsed(path))] == []
    assert {name for path in pure for name in taken_from_sys(parsed(path))} <= {"intern"}


def test_every_exception_to_a_rule_has_its_reason_beside_it() -> None:
    here = Path(__file__).relative_to(ROOT)
    unexplained = [
        f"{path} {exception}"
        for path in written_python("agent", "tests", "bench")
        if path != here
        for exception in unexplained_exceptions((ROOT / path).read_text(encoding="utf-8"))
    ]
    assert unexplained == []


def test_every_rule_that_is_off_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lint = tomllib.loads(text)["tool"]["ruff"]["lint"]
    codes = {*lint["ignore"], *(code for codes in lint["per-file-ignores"].values() for code in codes)}
    listed = [line for line in text.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)]

    assert {re.findall(r'"([A-Z]+\d*)"', line)[0] for line in listed} == codes
    assert [line for line in listed if not re.match(r'\s+"[A-Z]+\d*",\s+# \w+', line)] == []


def test_no_file_is_named_for_nothing() -> None:
    nothing = {"utils", "util", "helpers", "helper", "misc", "common"}

    assert [str(path) for path in tracked() if path.stem in nothing and path.suffix == ".py"] == []


@pytest.mark.parametrize(
    ("line", "explained"),
    [
        ("x = 1  # noqa: S108 - a place that is skipped", True),
        ("x = 1  # noqa: S108, S603  # ours", True),
        ("x = 1  # type: ignore[misc]  # ships no types", True),
        ("x = 1  # fmt: skip  # a table", True),
        ("x = 1  # noqa: S108", False),
        ("x = 1  # fmt: off", False),
        ("x = 1  # noqa", False),
        ("x = 1  # type: ignore", False),
        ("x = 1  # type: ignore[misc]", False),
    ],
)
def test_a_reason_is_told_from_none(line: str, *, explained: bool) -> None:
    assert list(unexplained_exceptions(line)) == ([] if explained else [f"line 1: {line[7:]}"])


def test_a_docstring_does_not_count() -> None:
    (function,) = functions(ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n'))

    assert length(function) == 2


def test_an_impure_call_is_found() -> None:
    assert list(impure_calls(ast.parse("from datetime import datetime\nat = datetime.now()"))) == [
        "line 2: datetime.now"
    ]
