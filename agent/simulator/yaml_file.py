"""Files of the simulator: YAML that people write, with texts as programs wrote them."""

from pathlib import Path

from agent.documents.checked import read_plain
from agent.documents.grammar import LABELLED
from agent.documents.problem import ManifestError
from agent.documents.source import read_file


class FileError(Exception):
    """A file cannot be read; the text names it, and line and column."""


def read_yaml(path: Path) -> object:
    """Return what a file says. Raises FileError."""
    try:
        return read_plain(read_file(path), file=str(path), grammar=LABELLED)
    except (OSError, ManifestError) as error:
        raise FileError(str(error)) from error
