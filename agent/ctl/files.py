"""Reads documents from the files of a command."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TypeVar

from agent.console.exits import UsageError
from agent.console.inputs import read_text
from agent.documents.problem import ManifestError, render

Read = TypeVar("Read")


def load_file(file: Path, load: Callable[..., Read]) -> Read:
    """The value that ``load`` reads from the text of a file. Raises UsageError with every fault."""
    name, text = read_text(file)
    return loaded(text, name, load)


def loaded(text: str, name: str, load: Callable[..., Read]) -> Read:
    """The value that ``load`` reads from a text. Raises UsageError with every fault."""
    try:
        return load(text, file=name)
    except ManifestError as error:
        raise unusable(name, error) from error


def unusable(name: str, error: ManifestError) -> UsageError:
    """The error of a command whose file has faults."""
    faults = "\n".join(render(problem) for problem in error.problems)
    return UsageError(f"{name} cannot be used:\n{faults}", problems=[asdict(problem) for problem in error.problems])
