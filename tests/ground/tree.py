"""The files of this tree, as git knows them."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]


def tracked() -> Iterator[Path]:
    """Every file that is in git or about to be, without links, relative to the root."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    for name in sorted(filter(None, listed.stdout.split("\0"))):
        path = ROOT / name
        if path.is_file() and not path.is_symlink():
            yield path.relative_to(ROOT)


def written_python(*rooms: str) -> list[Path]:
    """The Python files below these folders that people write: all but what is generated from proto."""
    return [
        path
        for path in tracked()
        if path.suffix == ".py" and path.parts[0] in rooms and path.parts[:2] != ("agent", "api")
    ]


def text_of(path: Path) -> str | None:
    """A file's text; None where it holds none."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None
