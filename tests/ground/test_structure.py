"""House rules that no linter knows: sizes, reasons for exceptions, and no clock in pure rooms."""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, text_of, tracked, written_python

LONGEST_MODULE = 450
SHORT_MODULE = 30
"""Modules with fewer lines are short."""

SHORT_MODULES = 25
"""The most short modules. Some have a noun that is small; more of them are pieces of one noun."""

MIGRATIONS = (Path("agent/store/migrations"), Path("agent/lookout/store/migrations"))
"""Each is a file of its own, however short."""

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


NOTHING = {"utils", "util", "helpers", "helper", "misc", "common"}


def parsed(path: Path) -> ast.Module:
    return ast.parse(text_of(path) or "", filename=str(path))


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
            yield f"{node.lineno}: {called}"


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
            yield f"{number}: {exception[0]}"


def pure() -> list[Path]:
    return [path for path in written_python("agent") if any(room in path.parents for room in PURE)]


def too_many_lines(path: Path) -> Iterator[str]:
    if (lines := len((text_of(path) or "").splitlines())) > LONGEST_MODULE:
        yield f"{path}: has {lines} lines, more than {LONGEST_MODULE}"


def short_modules(paths: Iterable[Path]) -> list[Path]:
    modules = (path for path in paths if path.name != "__init__.py" and not {*MIGRATIONS} & {*path.parents})
    return [path for path in modules if len((text_of(path) or "").splitlines()) < SHORT_MODULE]


def long_functions(path: Path) -> Iterator[str]:
    for function in functions(parsed(path)):
        if (lines := length(function)) > LONGEST_FUNCTION:
            yield f"{path}:{function.lineno}: {function.name}: has {lines} lines, more than {LONGEST_FUNCTION}"


def impurities(path: Path) -> Iterator[str]:
    tree = parsed(path)
    for call in impure_calls(tree):
        yield f"{path}:{call}: take what it gives as an argument"
    for name in sorted(taken_from_sys(tree) - {"intern"}):
        yield f"{path}: takes {name} from sys: only intern is pure"


def missing_reasons(path: Path) -> Iterator[str]:
    for exception in unexplained_exceptions(text_of(path) or ""):
        yield f"{path}:{exception}: name the rule, and the reason behind it"


def means_nothing(path: Path) -> Iterator[str]:
    if path.stem in NOTHING and path.suffix == ".py":
        yield f"{path}: name it for what is in it"


def test_no_module_is_longer_than_a_reader_can_hold() -> None:
    assert_no_findings(too_many_lines, written_python("agent"))


def test_few_modules_are_too_short_for_a_noun() -> None:
    short = short_modules(written_python("agent"))
    assert len(short) <= SHORT_MODULES, "join some to the modules that they belong to"


def test_packages_and_migrations_are_no_short_modules(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("short.py", "long.py", "__init__.py")]
    for path in paths:
        path.write_text("x = 1\n" * (SHORT_MODULE if path.stem == "long" else SHORT_MODULE - 1), encoding="utf-8")
    assert short_modules([*paths, *(history / "env.py" for history in MIGRATIONS)]) == paths[:1]


def test_no_function_is_longer_than_a_screen() -> None:
    assert_no_findings(long_functions, written_python("agent"))


def test_pure_rooms_ask_no_clock_and_open_nothing() -> None:
    assert_no_findings(impurities, pure())


def test_every_exception_to_a_rule_has_its_reason_beside_it() -> None:
    here = Path(__file__).relative_to(ROOT)
    assert_no_findings(missing_reasons, [path for path in written_python("agent", "tests", "bench") if path != here])


def test_every_rule_that_is_off_has_its_reason_beside_it() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lint = tomllib.loads(text)["tool"]["ruff"]["lint"]
    codes = {*lint["ignore"], *(code for codes in lint["per-file-ignores"].values() for code in codes)}
    listed = [line for line in text.splitlines() if re.match(r'\s+"[A-Z]+\d*",', line)]

    assert {re.findall(r'"([A-Z]+\d*)"', line)[0] for line in listed} == codes
    assert [line for line in listed if not re.match(r'\s+"[A-Z]+\d*",\s+# \w+', line)] == []


def test_no_file_is_named_for_nothing() -> None:
    assert_no_findings(means_nothing, tracked())


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
    assert list(unexplained_exceptions(line)) == ([] if explained else [f"1: {line[7:]}"])


def test_a_docstring_does_not_count() -> None:
    (function,) = functions(ast.parse('def f():\n    """One.\n\n    Two.\n    """\n    return 1\n'))

    assert length(function) == 2


def test_an_impure_call_is_found() -> None:
    assert list(impure_calls(ast.parse("from datetime import datetime\nat = datetime.now()"))) == ["2: datetime.now"]


def test_what_a_module_breaks_is_found_where_it_is(tmp_path: Path) -> None:
    path = tmp_path / "util.py"
    path.write_text("import sys\ndef f():\n" + "    open(x)\n" * 41 + "x = 1  # noqa: S108\n" * 450, encoding="utf-8")
    rules = (too_many_lines, long_functions, missing_reasons, means_nothing, impurities)
    first = [next(rule(path)) for rule in rules]

    assert first == [
        f"{path}: has 493 lines, more than 450",
        f"{path}:2: f: has 42 lines, more than 40",
        f"{path}:44: # noqa: S108: name the rule, and the reason behind it",
        f"{path}: name it for what is in it",
        f"{path}:3: open: take what it gives as an argument",
    ]
    assert list(impurities(path))[-1] == f"{path}: takes sys from sys: only intern is pure"
