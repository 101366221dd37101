"""Rule files on disk: the file that settings or a command name, the packs that it lists, and the packs that ship."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from agent.core.classify.rules import RuleSet
from agent.documents.checked import Checked, check_one
from agent.documents.compose import Documents, read
from agent.documents.source import read_file
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import check_file
from agent.manifests.categories.packs import PackReader, check_packed, is_path
from agent.shipped import RULES, shipped

_STDIN = Path("<stdin>")


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """The packs that ship, and files next to the one that lists them."""

    names: tuple[str, ...]

    def read(self, entry: str, *, listed_in: str) -> Documents:
        path = own_path(entry, listed_in=Path(listed_in)) if is_path(entry) else shipped(f"packs/{entry}.yaml")
        return read(read_file(path), file=str(path))


def packs_on_disk() -> PackReader:
    """The packs of this installation, and files next to the one that lists them."""
    return _OnDisk(shipped_packs())


@cache
def shipped_packs() -> tuple[str, ...]:
    """The names of the packs that ship, in the order of the shipped rules."""
    file = shipped(RULES)
    return check_one(read(read_file(file), file=str(file)), check_file).value_or_raise().packs


def own_path(entry: str, *, listed_in: Path) -> Path:
    """The file of an entry that is a path, which starts from the folder of the file that lists it."""
    return Path(entry) if listed_in == _STDIN else listed_in.parent / entry


def read_rules(file: Path, *, event_types: frozenset[str] = ALL_TYPES) -> RuleSet:
    """The rules of a file and of its packs. Raises OSError for the file, and ManifestError with every fault."""
    return check_rules(read(read_file(file), file=str(file)), event_types=event_types).value_or_raise()


def check_rules(documents: Documents, *, event_types: frozenset[str] = ALL_TYPES) -> Checked[RuleSet]:
    """Check a file that was read, and its packs."""
    return check_packed(documents, event_types=event_types, packs=packs_on_disk())


def files_of(file: Path) -> tuple[Path, ...]:
    """The file, and one's own files among its packs; only the file itself if it cannot be read."""
    try:
        checked = check_one(read(read_file(file), file=str(file)), check_file)
    except OSError:
        return (file,)
    packs = checked.value.packs if checked.value else ()
    return (file, *(own_path(entry, listed_in=file) for entry in packs if is_path(entry)))
