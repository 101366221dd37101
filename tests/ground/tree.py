"""The files of this tree, as git knows them."""

from functools import cache
from pathlib import Path

from tests.child import output_of

ROOT = Path(__file__).parents[2]


@cache
def tracked() -> tuple[Path, ...]:
    """Every file that is in git or about to be, without links, relative to the root."""
    listed = output_of(["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"], cwd=ROOT)
    names = sorted(filter(None, listed.split("\0")))
    return tuple(Path(name) for name in names if (ROOT / name).is_file() and not (ROOT / name).is_symlink())


def written_python(*rooms: str) -> list[Path]:
    """The Python files below these folders that people write: all but what is generated from proto."""
    return [
        path
        for path in tracked()
        if path.suffix == ".py" and path.parts[0] in rooms and path.parts[:2] != ("agent", "api")
    ]


@cache
def text_of(path: Path) -> str | None:
    """A file's text; None where it holds none."""
    try:
        return (ROOT / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def line_at(text: str, offset: int) -> int:
    """The number of the line that has this character."""
    return text.count("\n", 0, offset) + 1
