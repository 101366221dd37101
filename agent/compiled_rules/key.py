"""What the compiled rules were compiled from: equal keys mean that compiling again gives the same values."""

from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import Final

from agent import __version__
from agent.compiled_rules.form import FORM
from agent.shipped import RULES

_READ: Final = (
    ("config", RULES),
    ("config/packs", "*.yaml"),
    ("compiled_rules", "*.py"),
    ("documents", "*.py"),
    ("manifests", "fields.py"),
    ("manifests/categories", "*.py"),
    ("manifests/matchers", "*.py"),
)
"""The files of ``agent`` that ship the rules, and those that read, check and compile them: the folder, and which."""


def current_key() -> str:
    """The key of this installation. Raises OSError for a file that cannot be read."""
    return key_of(Path(__file__).parent.parent)


def key_of(agent: Path) -> str:
    """The key of the package in this folder."""
    hashed = blake2b(f"{__version__}\n{FORM}".encode(), digest_size=16)
    for file in _files(agent):
        content = file.read_bytes()
        hashed.update(f"\n{file.relative_to(agent)} {len(content)}\n".encode())
        hashed.update(content)
    return hashed.hexdigest()


def _files(agent: Path) -> Iterator[Path]:
    for folder, names in _READ:
        yield from sorted((agent / folder).glob(names))
