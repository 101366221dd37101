"""The starter files of each process: reads the shipped ones, and writes them into a folder."""

import os
from collections.abc import Iterable, Mapping
from enum import StrEnum
from pathlib import Path
from typing import Final

from agent.shipped import RULES, shipped


class Part(StrEnum):
    """A process that starter files are for."""

    CLUSTER = "cluster"
    SCHEDULER = "scheduler"


_SHIPPED: Final[Mapping[Part, Mapping[str, str]]] = {
    Part.CLUSTER: {"cluster.yaml": "starter/cluster.yaml", RULES: f"starter/{RULES}"},
    Part.SCHEDULER: {
        "scheduler.yaml": "starter/scheduler.yaml",
        "retry-policy.yaml": "starter/retry-policy.yaml",
    },
}


def starter_files(parts: Iterable[Part]) -> Mapping[str, bytes]:
    """The content of each file, by its name."""
    return {name: shipped(source).read_bytes() for part in parts for name, source in _SHIPPED[part].items()}


def changed_files(folder: Path, files: Mapping[str, bytes]) -> tuple[str, ...]:
    """The files that are in the folder with another content, so that writing them would lose something."""
    return tuple(name for name, content in files.items() if _would_lose(folder / name, content))


def write_files(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files; makes the folder. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content)


def _would_lose(path: Path, content: bytes) -> bool:
    if not os.path.lexists(path):
        return False
    return not path.is_file() or path.read_bytes() != content
