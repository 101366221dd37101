"""Every command with any input: never a traceback, never much memory, and the exit that the table says."""

import re
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.broker.connect import connect
from agent.lookout.store.opening import open_store
from agent.store.store import Store
from tests.ctl.any_input_ends import End, called, started
from tests.ctl.any_input_places import INPUTS, Run
from tests.ground.programs import parsers
from tests.tables import table

TABLE: dict[str, Any] = table(Path(__file__).with_name("any_input.yaml"))
FILELESS = frozenset({"fileless", "unanswered", "misused", "absent"})
"""The kinds of rows that take no file."""
DATABASES = ("store.db", "log.db", "lookout.db")
MOST_KIB = 300 << 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """A row, an input that it is given, and the exit then."""

    row: dict[str, Any]
    kind: str
    code: int

    @property
    def name(self) -> str:
        command = " ".join(part for part in (self.row["command"], self.row.get("of")) if part)
        return f"{command}-{self.kind}"

    def check(self, end: End) -> None:
        said = end.err.decode(errors="replace")
        assert "Traceback" not in said, said
        assert end.exit == self.code, (end.out[-300:], said[-600:])
        if self.kind == "closed-stdout" and self.code == 141:
            assert said == ""
        if self.code in {2, 3}:
            assert said.startswith("failctl: "), said


def pairs() -> Iterator[Pair]:
    """Every row with every input."""
    for row in TABLE["rows"]:
        gives = TABLE["kinds"][row["kind"]] | {kind: other["exit"] for kind, other in row.get("but", {}).items()}
        for kind, code in gives.items():
            yield Pair(row=row, kind=kind, code=code)


def in_processes() -> Iterator[str]:
    """The names of the pairs that need a process of their own."""
    for group in TABLE["processes"]:
        yield from (f"{command}-{kind}" for kind in group["kinds"] for command in group["commands"])


PAIRS = {pair.name: pair for pair in pairs()}


@pytest.fixture(scope="session")
def ground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose folders are the tests': it has what is too large or takes too long to be made for each."""
    made = tmp_path_factory.mktemp("any-input")
    (made / "long-line.yaml").write_bytes(b"a" * 50_000_000)
    Store.open(f"sqlite:///{made}/store.db").close()
    open_store(f"sqlite:///{made}/lookout.db").close()
    connect(f"sqlite:///{made}/log.db").close()
    return made


@pytest.fixture
def folder(ground: Path, request: pytest.FixtureRequest) -> Path:
    made = ground / re.sub(r"\W", "_", request.node.name)
    made.mkdir()
    for name, text in TABLE["files"].items():
        (made / name).write_text(text.replace("@", f"{made}/"))
    return made


@pytest.mark.slow
@pytest.mark.parametrize("name", PAIRS)
def test_any_input(name: str, folder: Path) -> None:
    run, words = prepared(PAIRS[name], folder)

    PAIRS[name].check(called(words, run, folder))


@pytest.mark.slow
@pytest.mark.parametrize("name", list(in_processes()))
def test_any_input_in_a_process_of_its_own(name: str, folder: Path) -> None:
    run, words = prepared(PAIRS[name], folder)

    end = started(words, run, folder)

    PAIRS[name].check(end)
    assert end.kib < MOST_KIB


def prepared(pair: Pair, folder: Path) -> tuple[Run, list[str]]:
    """How to run it, once its input is in the folder, and the words of its command."""
    row = pair.row
    for database in DATABASES:
        if f"@{database}" in TABLE["files"][row["good"]]:
            shutil.copyfile(folder.parent / database, folder / database)
    run = INPUTS[pair.kind](row["good"], folder)
    return run, [*row["command"].split(), *_arguments(row["with"], run.inputs, folder)]


def _arguments(template: Sequence[str], inputs: Sequence[str], folder: Path) -> list[str]:
    """The arguments with the inputs in place of ``{}``; for several, the option before it is given as often."""
    words: list[str] = []
    for word in template:
        if word != "{}":
            words.append(word.replace("@", f"{folder}/"))
            continue
        option = words.pop() if words and words[-1].startswith("-") else None
        words += [part for given in inputs for part in (option, given) if part is not None]
    return words


def test_every_command_has_a_row() -> None:
    assert {row["command"] for row in TABLE["rows"]} == parsers("failctl").keys()


def test_every_kind_of_row_has_every_input_or_a_reason() -> None:
    for name, kind in TABLE["kinds"].items():
        assert kind.keys() == INPUTS.keys() or name in FILELESS
    assert all(other["why"] for row in TABLE["rows"] for other in row.get("but", {}).values())
    for row in TABLE["rows"]:
        assert (row["kind"] in FILELESS) == ("{}" not in row["with"])


def test_no_two_pairs_have_one_name() -> None:
    assert len(PAIRS) == len(list(pairs()))
