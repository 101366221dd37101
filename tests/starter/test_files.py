"""Starter files are valid, also the settings in their comments."""

import io
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml

from agent.cluster.config.files import configuration_files as cluster_files
from agent.console.exits import Exit
from agent.ctl.lint import LintRequest, run
from agent.scheduler.config.files import configuration_files as scheduler_files
from agent.starter.files import Part, changed_files, starter_files, write_files
from tests.tables import table

NOW = datetime(2026, 11, 22, tzinfo=UTC)
SHOWN = re.compile(r"^#(?! \S|$|     )", re.MULTILINE)
"""What makes a setting a comment; prose has one blank behind its #, a command five."""


@pytest.fixture(name="folder")
def a_folder_with_all_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, starter_files(Part))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def lint(**request: object) -> tuple[Exit, str]:
    """The exit, and the last line."""
    out = io.StringIO()
    code = run(LintRequest(strict=True, **request), environ={}, now=NOW, out=out)  # type: ignore[arg-type]  # fields of a request
    return code, out.getvalue().splitlines()[-1]


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_a_strict_lint_finds_nothing() -> None:
    assert lint(files=tuple(starter_files(Part))) == (Exit.FINE, "4 files: no problems")
    assert lint(files=["retry-policy.yaml"], rules=[Path("error-categories.yaml")])[0] is Exit.FINE
    for part in Part:
        assert lint(files=(), settings=Path(f"{part}.yaml")) == (Exit.FINE, "2 files: no problems")


@pytest.mark.usefixtures("folder")
def test_processes_read_them() -> None:
    watching = cluster_files(Path("cluster.yaml"), {}).read()
    deciding = scheduler_files(Path("scheduler.yaml"), {}).read()

    assert {str(file) for file in watching.seen} == {"cluster.yaml", "error-categories.yaml"}
    assert deciding.value.names() == ["starter"]
    assert watching.value.settings.broker == deciding.value.settings.broker


@pytest.mark.parametrize(
    ("part", "shown"),
    [(Part.CLUSTER, {"kube", "watch", "logTails", "run"}), (Part.SCHEDULER, {"maxAttemptedRuns", "runs"})],
)
def test_a_setting_that_is_only_shown_can_be_used(part: Part, shown: set[str], folder: Path) -> None:
    file = folder / f"{part}.yaml"
    before = file.read_text(encoding="utf-8")
    file.write_text(SHOWN.sub("", before), encoding="utf-8")

    assert lint(files=[file]) == (Exit.FINE, "1 file: no problems")
    assert table(file).keys() - yaml.safe_load(before).keys() == shown


def test_only_a_file_with_other_content_would_be_lost(tmp_path: Path) -> None:
    files = starter_files([Part.SCHEDULER])
    assert changed_files(tmp_path, files) == ()
    write_files(tmp_path, files)
    assert changed_files(tmp_path, files) == ()

    (tmp_path / "retry-policy.yaml").write_text("mine")
    (tmp_path / "scheduler.yaml").unlink()
    (tmp_path / "scheduler.yaml").symlink_to("nowhere")
    assert changed_files(tmp_path, files) == ("scheduler.yaml", "retry-policy.yaml")
