"""Modules that no program imports are listed here, with the reason to keep them; their package says it too."""

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path

import grimp

from agent.__main__ import Processes
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT, written_python

PROGRAMS = (
    "agent.__main__",
    "agent.ctl.main",
    *(module for module, _ in Processes.modules.values()),
    "agent.rule_files",  # compiles the rules that ship: python -m agent.rule_files
    "agent.broker.pulsar",  # agent.broker.connect imports it by its name, and only for an address of Pulsar's
)
MIGRATIONS = ("agent.store.migrations", "agent.lookout.store.migrations")
"""Alembic runs these files; nothing imports them."""

GENERATED = "agent.api"
"""The code of all messages and services of ``proto/``, whether used or not."""

JOBS_IN_THE_LOOP = "part of the Job engine, which no process runs yet; `failctl job simulate` does not need it"
TASKS = "an effect of PanDA's rules on its own tasks and files, which our jobs lack; cases of tests/cases try it"
REASONS = {
    "agent.core.error_table.files": TASKS,
    "agent.core.error_table.hooks": "when PanDA asks its rules, and for which errors; cases of tests/cases try it",
    "agent.core.error_table.memory_factor": TASKS,
    "agent.core.error_table.reduce_input": TASKS,
    "agent.core.job.admission": JOBS_IN_THE_LOOP,
    "agent.core.job.explanation": JOBS_IN_THE_LOOP,
    "agent.core.job.metrics": JOBS_IN_THE_LOOP,
    "agent.core.job.validation_status": "what the API server refuses of a Job's status; cases of tests/cases try it",
    "agent.core.job.validation_update": "what the API server refuses of a changed Job; cases of tests/cases try it",
    "agent.core.jobset.validation_update": "part of the JobSet engine, which no process runs yet",
    "agent.core.lifecycle.guarantees": "names of promises, for docs/protocol.md and the tests that try them",
    "agent.core.lifecycle.transitions": "the table of permitted transitions, with which tests compare every step",
}
"""Remove a module from here when a program imports it. Do not add one without a reason to keep it."""


def is_package(module: str) -> bool:
    return (ROOT / module.replace(".", "/") / "__init__.py").is_file()


def imported_by_no_program() -> set[str]:
    graph = grimp.build_graph("agent", cache_dir=None, exclude_type_checking_imports=True)
    migrations = {module for history in MIGRATIONS for module in graph.find_descendants(history)}
    roots = {*PROGRAMS, *migrations}
    imported = roots.union(*(graph.find_upstream_modules(root) for root in roots))
    generated = {GENERATED, *graph.find_descendants(GENERATED)}
    return {module for module in graph.modules - imported - generated if not is_package(module)}


def test_every_module_that_no_program_imports_is_listed_and_no_other() -> None:
    assert imported_by_no_program() == set(REASONS)


def test_the_page_of_its_package_names_it() -> None:
    assert_no_findings(unnamed, REASONS)


def unnamed(module: str) -> Iterator[str]:
    package, _, name = module.rpartition(".")
    page = importlib.import_module(package).__doc__ or ""
    paragraphs = [
        paragraph for paragraph in page.split("\n\n") if "no program imports" in " ".join(paragraph.lower().split())
    ]
    if not any(f"``{name}``" in paragraph for paragraph in paragraphs):
        yield f"{package}: its docstring has no paragraph that says why no program imports ``{name}``"


def test_every_module_that_is_imported_by_its_name_is_a_program_here() -> None:
    assert_no_findings(imported_by_name, written_python("agent"))


def imported_by_name(path: Path) -> Iterator[str]:
    text = (ROOT / path).read_text(encoding="utf-8")
    if "import_module(" not in text:
        return
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(func=ast.Name("import_module"), args=[ast.Constant(str(name))]) if name not in PROGRAMS:
                yield f"{path}:{node.lineno}: imports {name} by its name: add it to PROGRAMS"
