"""Inputs: each is placed into a folder, and given to a command in surroundings of its own."""

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

FOREIGN = b"caf\xe9-\xc3\xa9-".decode("utf-8", "surrogateescape")
"""A name with bytes that are no UTF-8, and a letter that an ASCII locale cannot print."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """How to run a command: with this input, and these surroundings."""

    inputs: tuple[str, ...] = ()
    env: dict[str, str] = field(default_factory=dict)
    encoding: str = "utf-8"
    closed_stdin: bool = False
    closed_stdout: bool = False
    terminal: bool = False


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
    return Run(inputs=(str(_copied(folder / good, folder / f"{FOREIGN}{good}")),), env=env, encoding="ascii")


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
    "long-number": lambda _, folder: _written(folder, "number.json", b'{"kind": "Pod", "x": %s}' % (b"9" * 4_301)),
    "long-line": lambda _, folder: Run(inputs=(str(folder.parent / "long-line.yaml"),)),
    "several": _several,
    "folder-of-files": _folder_of_files,
    "closed-stdin": lambda _, _folder: Run(inputs=("-",), closed_stdin=True),
    "closed-stdout": lambda good, folder: Run(inputs=(str(folder / good),), closed_stdout=True),
    "narrow-locale": _narrow_locale,
    "narrow-terminal": lambda good, folder: Run(inputs=(str(folder / good),), terminal=True),
}
