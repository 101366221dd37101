import io
import shutil
from pathlib import Path

import pytest

from tests.child import run
from tests.servers.go_program import GoProgram
from tests.servers.progress import Progress
from tests.servers.server import CannotPrepareError

MAIN = 'package main\n\nvar word = "none"\n\nfunc main() { print(word) }\n'
go = pytest.mark.skipif(shutil.which("go") is None, reason="there is no `go` on the PATH")


def silent() -> Progress:
    return Progress(io.StringIO(), clock=lambda: 0.0)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "go.mod").write_text("module example\n\ngo 1.21\n")
    (folder / "go.sum").write_text("")
    (folder / "main.go").write_text(MAIN)
    return folder


@go
@pytest.mark.parametrize("changed", ["go.mod", "go.sum", "main.go", "other.go"])
def test_its_fingerprint_changes_with_every_source(source: Path, changed: str) -> None:
    before = GoProgram(source=source).fingerprint()
    (source / "README").write_text("not a source")
    assert GoProgram(source=source).fingerprint() == before

    with (source / changed).open("a") as file:
        file.write("// changed\n")

    assert GoProgram(source=source).fingerprint() != before


@go
def test_its_fingerprint_changes_with_what_the_linker_sets(source: Path) -> None:
    plain, told = GoProgram(source=source), GoProgram(source=source, variables=(("main.word", "x"),))

    assert plain.fingerprint() != told.fingerprint()


@go
def test_its_fingerprint_changes_with_the_toolchain(
    source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = GoProgram(source=source).fingerprint()
    other = tmp_path / "bin" / "go"
    other.parent.mkdir()
    other.write_text("#!/bin/sh\nprintf 'go1.0\\nplan9\\nmips\\n'\n")
    other.chmod(0o755)
    monkeypatch.setenv("PATH", f"{other.parent}:/usr/bin:/bin")

    assert GoProgram(source=source).fingerprint() != before


def test_without_go_it_says_so(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(CannotPrepareError, match="no `go` on the PATH"):
        GoProgram(source=source).fingerprint()


@go
def test_a_toolchain_that_does_not_work_is_told(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    broken = tmp_path / "go"
    broken.write_text("#!/bin/sh\necho broken >&2\nexit 3\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")

    with pytest.raises(CannotPrepareError, match="`go env` ended with 3: broken"):
        GoProgram(source=source).fingerprint()


@go
@pytest.mark.slow
def test_it_is_built_with_what_the_linker_sets(source: Path, tmp_path: Path) -> None:
    GoProgram(source=source, variables=(("main.word", "told"),)).build(tmp_path / "it", jobs=1, progress=silent())

    ran = run([tmp_path / "it"])
    assert (ran.returncode, ran.stderr) == (0, "told")


@go
@pytest.mark.slow
def test_what_go_says_of_a_bad_source_is_in_the_error(source: Path, tmp_path: Path) -> None:
    (source / "main.go").write_text("package main\n\nfunc main() { nothing() }\n")

    with pytest.raises(CannotPrepareError, match=r"(?s)`go build` ended with 1.*undefined: nothing"):
        GoProgram(source=source).build(tmp_path / "it", jobs=1, progress=silent())
    assert not (tmp_path / "it").exists()


@go
@pytest.mark.slow
def test_a_build_changes_no_lock(source: Path, tmp_path: Path) -> None:
    (source / "main.go").write_text('package main\n\nimport _ "example.invalid/missing"\n\nfunc main() {}\n')
    before = (source / "go.mod").read_bytes()

    with pytest.raises(CannotPrepareError, match=r"example\.invalid/missing"):
        GoProgram(source=source).build(tmp_path / "it", jobs=1, progress=silent())
    assert (source / "go.mod").read_bytes() == before
