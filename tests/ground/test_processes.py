"""Processes of tests are started in one place, so that none has a wait without a bound or a signal that is ignored."""

import ast
import os
import re
import shlex
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import assert_never

import pytest

from tests.child import run
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, written_python

STARTS = re.compile(
    r"subprocess\.(Popen|run|call|check_\w+|get\w*output|\*)"
    r"|(.+\.)?(create_)?subprocess_(exec|shell)"
    r"|os\.(fork\w*|system|popen|posix_spawn\w*|spawn\w+)"
    r"|pty\.(fork|spawn)"
    r"|multiprocessing(\..+)?"
    r"|concurrent\.futures\.(process\b.*|ProcessPoolExecutor)"
)
WORDS = re.compile("subprocess|fork|system|popen|spawn|multiprocessing|concurrent")
"""One of these is in every name that ``STARTS`` matches. Most files have none, and need not be parsed."""

ALLOWED = {
    Path("tests/child.py"): "this is the place",
    Path("tests/ctl/any_input_launcher.py"): "a process that measures memory is small, so it imports nothing of ours",
}
WAYS = """\
import subprocess
subprocess.run(["true"])
waiting = subprocess.Popen
import subprocess as processes
processes.check_output(["true"])
from subprocess import PIPE, getstatusoutput as ended
from asyncio import create_subprocess_exec, sleep
asyncio.create_subprocess_shell("true")
asyncio.get_running_loop().subprocess_exec(protocol, "true")
import os, multiprocessing
os.fork(), os.getpid()
os.posix_spawnp("true", [], {})
os.system("true")
from multiprocessing.synchronize import Event
from concurrent.futures import ProcessPoolExecutor
import concurrent.futures
concurrent.futures.ProcessPoolExecutor()
pool.run(call=subprocess.TimeoutExpired)
"""
SEND_SIGNALS = (
    "tests/servers/test_prepare.py::test_interrupted_it_leaves_nothing_half_made",
    "tests/demo/test_demo.py::test_a_signal_ends_it_with_the_table_so_far[ctrl_c]",
)


def starts(text: str) -> Iterator[tuple[int, str]]:
    """The line and the full name of each thing that is named here and starts a process."""
    if not WORDS.search(text):
        return
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Import | ast.ImportFrom | ast.Attribute)
    ]
    modules = dict(local for node in nodes if isinstance(node, ast.Import) for local in _locals(node))
    for node in nodes:
        yield from ((node.lineno, name) for name in _named(node, modules) if STARTS.fullmatch(name))


def _locals(imported: ast.Import) -> Iterator[tuple[str, str]]:
    """What a name is the module of."""
    for alias in imported.names:
        yield (alias.asname, alias.name) if alias.asname else (alias.name.partition(".")[0],) * 2


def _named(node: ast.Import | ast.ImportFrom | ast.Attribute, modules: Mapping[str, str]) -> Iterator[str]:
    match node:
        case ast.Import():
            yield from (alias.name for alias in node.names)
        case ast.ImportFrom():
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        case ast.Attribute():
            yield ".".join(_parts(node, modules))
        case never:
            assert_never(never)


def _parts(node: ast.expr, modules: Mapping[str, str]) -> Iterator[str]:
    """The names between the dots, as far as they are names: nothing of a call."""
    match node:
        case ast.Attribute():
            yield from _parts(node.value, modules)
            yield node.attr
        case ast.Name():
            yield modules.get(node.id, node.id)


def started_elsewhere(path: Path) -> Iterator[str]:
    if path not in ALLOWED:
        for line, name in starts((ROOT / path).read_text(encoding="utf-8")):
            yield f"{path}:{line} {name}: start it with tests/child.py"


def test_one_place_starts_the_processes_of_tests() -> None:
    assert_no_findings(started_elsewhere, written_python("tests"))


def test_every_place_that_may_start_processes_does() -> None:
    assert [str(path) for path in ALLOWED if not any(starts((ROOT / path).read_text(encoding="utf-8")))] == []


def test_every_way_to_start_a_process_is_known() -> None:
    assert sorted(set(starts(WAYS))) == [
        (2, "subprocess.run"),
        (3, "subprocess.Popen"),
        (5, "subprocess.check_output"),
        (6, "subprocess.getstatusoutput"),
        (7, "asyncio.create_subprocess_exec"),
        (8, "asyncio.create_subprocess_shell"),
        (9, "subprocess_exec"),
        (10, "multiprocessing"),
        (11, "os.fork"),
        (12, "os.posix_spawnp"),
        (13, "os.system"),
        (14, "multiprocessing.synchronize.Event"),
        (15, "concurrent.futures.ProcessPoolExecutor"),
        (17, "concurrent.futures.ProcessPoolExecutor"),
    ]


@pytest.mark.slow
def test_a_background_job_without_a_terminal_and_standard_input_passes_tests_that_send_signals() -> None:
    tests = shlex.join([sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *SEND_SIGNALS])
    environ = {name: value for name, value in os.environ.items() if name != "TESTS_RUNNING"}

    ran = run(["sh", "-c", f"trap '' INT HUP QUIT; exec {tests} <&-"], cwd=ROOT, env=environ, seconds=110)

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert re.search(r"^\d+ passed", ran.stdout, flags=re.MULTILINE), ran.stdout
