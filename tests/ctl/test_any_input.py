"""Every command with any input: never a traceback, never much memory, and the exit that the table says."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import termios
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from agent.broker.connect import connect
from agent.ctl.main import app
from agent.store.store import Store

HERE = Path(__file__).parent
TABLE: dict[str, Any] = yaml.safe_load((HERE / "any_input.yaml").read_text())
FILELESS = frozenset({"fileless", "unanswered", "misused", "absent"})
"""The kinds of rows that take no file."""
FAILCTL = Path(sys.executable).with_name("failctl")
MOST_KIB = 300 << 10
NARROW = 20
FOREIGN = b"caf\xe9-\xc3\xa9-".decode("utf-8", "surrogateescape")
"""A name with bytes that are no UTF-8, and a letter that an ASCII locale cannot print."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How to start a command: with this input, and these surroundings."""

    inputs: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    closed_stdin: bool = False
    closed_stdout: bool = False
    terminal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How it ended."""

    exit: int
    kib: int
    out: bytes
    err: bytes


Place = Callable[[str, Path], Run]


def _written(folder: Path, name: str, text: bytes) -> Run:
    (folder / name).write_bytes(text)
    return Run(inputs=(str(folder / name),))


def _several(good: str, folder: Path) -> Run:
    return Run(inputs=(str(folder / good), str(_copied(folder / good, folder / f"again-{good}"))))


def _folder_of_files(good: str, folder: Path) -> Run:
    inside = folder / "inside"
    inside.mkdir()
    _copied(folder / good, inside / good)
    return Run(inputs=(str(inside),))


def _narrow_locale(good: str, folder: Path) -> Run:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    return Run(inputs=(str(_copied(folder / good, folder / f"{FOREIGN}{good}")),), env=env)


def _copied(file: Path, to: Path) -> Path:
    return Path(shutil.copyfile(file, to))


def _empty_folder(_: str, folder: Path) -> Run:
    (folder / "nothing").mkdir()
    return Run(inputs=(str(folder / "nothing"),))


INPUTS: dict[str, Place] = {
    "no-file": lambda _, folder: Run(inputs=(str(folder / "nowhere.yaml"),)),
    "folder": _empty_folder,
    "empty": lambda _, folder: _written(folder, "empty.yaml", b""),
    "binary": lambda _, folder: _written(folder, "binary.yaml", bytes(range(256)) * 64),
    "deep": lambda _, folder: _written(folder, "deep.yaml", b"[" * 200_000),
    "long-line": lambda _, folder: Run(inputs=(str(folder.parent / "long-line.yaml"),)),
    "several": _several,
    "folder-of-files": _folder_of_files,
    "closed-stdin": lambda _, _folder: Run(inputs=("-",), closed_stdin=True),
    "closed-stdout": lambda good, folder: Run(inputs=(str(folder / good),), closed_stdout=True),
    "narrow-locale": _narrow_locale,
    "narrow-terminal": lambda good, folder: Run(inputs=(str(folder / good),), terminal=True),
}


def commands() -> Iterator[str]:
    """Every command there is."""
    yield from _commands(get_command(app), ())


def _commands(command: Any, path: tuple[str, ...]) -> Iterator[str]:  # noqa: ANN401 - typer does not export its type
    inner = getattr(command, "commands", {})
    if path and (not inner or command.invoke_without_command):
        yield " ".join(path)
    for name, one in inner.items():
        yield from _commands(one, (*path, name))


def rows() -> Iterator[Any]:
    for row in TABLE["rows"]:
        name = " ".join(part for part in (row["command"], row.get("of")) if part)
        gives = TABLE["kinds"][row["kind"]] | {kind: one["exit"] for kind, one in row.get("but", {}).items()}
        for kind, code in gives.items():
            yield pytest.param(row, kind, code, id=f"{name}-{kind}")


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose folders are the tests': it has what is too large to be made for each."""
    folder = tmp_path_factory.mktemp("any-input")
    (folder / "long-line.yaml").write_bytes(b"a" * 50_000_000)
    return folder


@pytest.fixture
def folder(ground: Path, request: pytest.FixtureRequest) -> Path:
    made = ground / re.sub(r"\W", "_", request.node.name)
    made.mkdir()
    for name, text in TABLE["files"].items():
        (made / name).write_text(text.replace("@", f"{made}/"))
    return made


@pytest.mark.slow
@pytest.mark.parametrize(("row", "kind", "code"), list(rows()))
def test_any_input(row: dict[str, Any], kind: str, code: int, folder: Path) -> None:
    good = TABLE["files"][row["good"]]
    if "@store.db" in good:
        Store.open(f"sqlite:///{folder}/store.db").close()
    if "@log.db" in good:
        connect(f"sqlite:///{folder}/log.db").close()

    end = started(row, INPUTS[kind](row["good"], folder), folder)

    said = end.err.decode(errors="replace")
    assert "Traceback" not in said, said
    assert end.exit == code, (end.out[-300:], said[-600:])
    assert end.kib < MOST_KIB
    if kind == "closed-stdout" and code == 141:
        assert said == ""
    if code in {2, 3}:
        assert said.startswith("failctl: "), said


def started(row: dict[str, Any], run: Run, folder: Path) -> End:
    """Run the command as people do, in a process of its own."""
    argv = [str(FAILCTL), *row["command"].split(), *_arguments(row["with"], run.inputs, folder)]
    env = {name: text for name, text in os.environ.items() if name in {"PATH", "HOME"}} | run.env
    report = folder / "report.json"
    asked = json.dumps({"argv": argv, "env": env, "closedStdin": run.closed_stdin, "report": str(report)})
    with _output(run) as (out, written), (folder / "stderr").open("wb") as err:
        launcher = [sys.executable, "-I", "-S", str(HERE / "any_input_launcher.py"), asked]
        subprocess.run(launcher, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, check=True)
    ended = json.loads(report.read_text())
    return End(exit=ended["exit"], kib=ended["kib"], out=written(), err=(folder / "stderr").read_bytes())


def _arguments(template: Sequence[str], inputs: Sequence[str], folder: Path) -> list[str]:
    """The arguments with the inputs in place of ``{}``; for several, the option before it is given as often."""
    words: list[str] = []
    for word in template:
        if word != "{}":
            words.append(word.replace("@", f"{folder}/"))
            continue
        option = words.pop() if words and words[-1].startswith("-") else None
        words += [part for one in inputs for part in (option, one) if part is not None]
    return words


@contextmanager
def _output(run: Run) -> Iterator[tuple[int, Callable[[], bytes]]]:
    """Where standard output goes, and what was written there once it is closed."""
    if run.terminal:
        with _terminal() as given:
            yield given
        return
    reading, writing = os.pipe()
    if run.closed_stdout:
        os.close(reading)
        try:
            yield writing, bytes
        finally:
            os.close(writing)
        return
    with _drained(reading, writing) as given:
        yield given


@contextmanager
def _terminal() -> Iterator[tuple[int, Callable[[], bytes]]]:
    master, slave = pty.openpty()
    termios.tcsetwinsize(slave, (24, NARROW))
    with _drained(master, slave) as given:
        yield given


@contextmanager
def _drained(reading: int, writing: int) -> Iterator[tuple[int, Callable[[], bytes]]]:
    """Read what is written all the time, so that the writer never waits."""
    parts: list[bytes] = []

    def drain() -> None:
        try:
            while part := os.read(reading, 1 << 16):
                parts.append(part)
        except OSError:
            return  # so a terminal ends, when nobody has it open for writing

    thread = threading.Thread(target=drain)
    thread.start()
    try:
        yield writing, lambda: b"".join(parts)
    finally:
        os.close(writing)
        thread.join()
        os.close(reading)


def test_every_command_has_a_row() -> None:
    assert {row["command"] for row in TABLE["rows"]} == set(commands())


def test_every_kind_of_row_has_every_input_or_a_reason() -> None:
    for name, kind in TABLE["kinds"].items():
        assert kind.keys() == INPUTS.keys() or name in FILELESS
    assert all(one["why"] for row in TABLE["rows"] for one in row.get("but", {}).values())
    for row in TABLE["rows"]:
        assert (row["kind"] in FILELESS) == ("{}" not in row["with"])
