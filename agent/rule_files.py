"""Rule files on disk: the file that settings or a command name, the packs that it lists, and the packs that ship.

``read_rules`` gives what is in force, for which shipped packs need not be read again where they are compiled
(``agent.compiled_rules``); ``check_rules`` reads every file, and finds every problem. As a program it compiles them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from agent.compiled_rules.file import Compiled, Unfit, compiled_file, read_compiled, write_compiled
from agent.core.classify.rules import RuleSet, event_types_of, rules_by_pack
from agent.documents.checked import Checked, check_one
from agent.documents.compose import Documents, read
from agent.documents.source import read_file
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import RuleFile, check_file
from agent.manifests.categories.packs import PackReader, check_packed, checked_pack, is_all_in_rules, is_path
from agent.shipped import RULES, shipped

Notice = Callable[[str], None]
"""Takes a sentence about an installation that works, but not as intended."""

_STDIN = Path("<stdin>")


@dataclass(frozen=True, slots=True)
class _OnDisk:
    """The packs that ship, and files next to the one that lists them."""

    names: tuple[str, ...]

    def read(self, entry: str, *, listed_in: str) -> Documents:
        path = own_path(entry, listed_in=Path(listed_in)) if is_path(entry) else _shipped_pack(entry)
        return _read(path)


@dataclass(frozen=True, slots=True)
class _Shipped:
    """The packs that ship. Who sends a text from elsewhere names no files of this machine."""

    names: tuple[str, ...]

    def read(self, entry: str, *, listed_in: str) -> Documents:
        if is_path(entry):
            raise FileNotFoundError(2, "no files are read here, only packs that ship", f"{listed_in}: {entry}")
        return _read(_shipped_pack(entry))


def _read(file: Path) -> Documents:
    return read(read_file(file), file=str(file))


def packs_on_disk() -> PackReader:
    """The packs of this installation, and files next to the one that lists them."""
    return _OnDisk(shipped_packs())


def _shipped_pack(name: str) -> Path:
    return shipped(f"packs/{name}.yaml")


@cache
def shipped_packs() -> tuple[str, ...]:
    """The names of the packs that ship, in the order of the shipped rules."""
    file = shipped(RULES)
    return check_one(_read(file), check_file).value_or_raise().packs


def own_path(entry: str, *, listed_in: Path) -> Path:
    """The file of an entry that is a path, which starts from the folder of the file that lists it."""
    return Path(entry) if listed_in == _STDIN else listed_in.parent / entry


def _unsaid(notice: str) -> None:
    del notice


def read_rules(file: Path, *, event_types: frozenset[str] = ALL_TYPES, notice: Notice = _unsaid) -> RuleSet:
    """The rules of a file and of its packs. Raises OSError for the file, and ManifestError with every fault.

    ``notice`` is called if there are compiled rules that cannot be used.
    """
    compiled = _CompiledRules(event_types, notice)
    if file == shipped(RULES) and (rules := compiled.whole()) is not None:
        return rules
    packs = packs_on_disk()
    return check_packed(_read(file), event_types=event_types, packs=packs, checked=compiled.pack).value_or_raise()


def read_text(text: str, *, name: str) -> RuleSet:
    """The rules of a text, which may list packs that ship. Raises ManifestError with every fault."""
    compiled = _CompiledRules(ALL_TYPES, _unsaid)
    return check_packed(read(text, file=name), packs=_Shipped(shipped_packs()), checked=compiled.pack).value_or_raise()


class _CompiledRules:
    """Compiled rules on events of these types only: what is wrong with others is said where they are written.

    They are read when the first is asked for.
    """

    def __init__(self, event_types: frozenset[str], notice: Notice) -> None:
        self._event_types = event_types
        self._notice = notice

    def whole(self) -> RuleSet | None:
        return None if self._compiled is None else self._watched(self._compiled.rules())

    def pack(self, name: str) -> RuleFile | None:
        found = None if self._compiled is None else self._compiled.pack(name)
        watched = None if found is None else self._watched(found)
        return None if watched is None else checked_pack(watched, file=str(_shipped_pack(name)))

    @cached_property
    def _compiled(self) -> Compiled | None:
        found = read_compiled(compiled_file())
        if isinstance(found, Unfit):
            self._notice(str(found))
            return None
        return found

    def _watched(self, rules: RuleSet) -> RuleSet | None:
        return rules if event_types_of(rules) <= self._event_types else None


def check_rules(documents: Documents, *, event_types: frozenset[str] = ALL_TYPES) -> Checked[RuleSet]:
    """Check a file that was read, and its packs."""
    return check_packed(documents, event_types=event_types, packs=packs_on_disk())


@dataclass(frozen=True, slots=True)
class RuleCount:
    """How many rules there are, and how many of them are in packs that ship."""

    all: int
    shipped: int


def count_rules(rules: RuleSet) -> RuleCount:
    """Count the rules of a set."""
    counts = rules_by_pack(rules)
    return RuleCount(all=sum(counts.values()), shipped=sum(counts.get(name, 0) for name in shipped_packs()))


def files_of(file: Path) -> tuple[Path, ...]:
    """The file, and one's own files among its packs; only the file itself if it cannot be read."""
    try:
        checked = check_one(_read(file), check_file)
    except OSError:
        return (file,)
    packs = checked.value.packs if checked.value else ()
    return (file, *(own_path(entry, listed_in=file) for entry in packs if is_path(entry)))


def main() -> None:
    """Compile the rules that ship. Raises ManifestError with every fault of theirs."""
    packs = {name: check_one(_read(_shipped_pack(name)), check_file).value_or_raise() for name in shipped_packs()}
    apart = {name: pack.rules for name, pack in packs.items() if is_all_in_rules(pack)}
    write_compiled(compiled_file(), check_rules(_read(shipped(RULES))).value_or_raise(), apart)


if __name__ == "__main__":
    main()
