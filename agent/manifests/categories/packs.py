"""Packs: the rule files that another one lists, joined to one rule set in the order of the list.

An entry of ``packs`` is the name of a pack that ships, the path of a file, or ``shipped``: all shipped packs that are
not listed by name and not in ``without``, in their own order. Rules of the file itself come first. A pack may have
rules of a category that an earlier one has; what it does not say of the category is taken from there.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import PurePath
from typing import Final, Protocol

from agent.core.classify.rules import Category, Order, RuleSet
from agent.core.failure import CategoryAction
from agent.documents.checked import Checked, Finder, Steps, check_one, with_problems_of_text
from agent.documents.compose import Documents, read
from agent.documents.node import Mapping, Node, Span, find
from agent.documents.problem import Problem, Severity, errors_of, in_order, nearest_or_all, quote
from agent.documents.source import Fault, Source
from agent.manifests.categories.findings import ALL_TYPES
from agent.manifests.categories.load import FIELD, PACKS, RuleFile, check_file
from agent.manifests.categories.revision import with_revision
from agent.manifests.categories.shadows import hidden

SHIPPED: Final = "shipped"
"""The entry for all shipped packs that are not listed by name."""

WITHOUT: Final = "without"
_ENDINGS = (".yaml", ".yml", ".json")


def lines_for_shipped(order: Order) -> tuple[str, ...]:
    """Return the lines that add the packs that ship to a file of this order: they need ``order: evidence``."""
    listed = f"{PACKS}: [{SHIPPED}]"
    return (listed,) if order is Order.EVIDENCE else (listed, f"order: {Order.EVIDENCE}")


class PackReader(Protocol):
    """Where packs are found."""

    @property
    def names(self) -> Sequence[str]:
        """The packs that ship, in their order."""

    def read(self, entry: str, *, listed_in: str) -> Documents:
        """Read a pack by its name, or a file by its path from the file that lists it. Raises OSError."""


class _NoPacks:
    names: Sequence[str] = ()

    def read(self, entry: str, *, listed_in: str) -> Documents:
        raise FileNotFoundError(2, "no files are read here", f"{listed_in}: {entry}")


NO_PACKS: Final[PackReader] = _NoPacks()
"""For a text that is checked without files around it."""

CheckedPacks = Callable[[str], RuleFile | None]
"""Gives a pack by its name, if it has been checked before."""


def _not_checked(name: str) -> None:
    del name


@dataclass(frozen=True, slots=True, kw_only=True)
class _Entry:
    """A pack to read, and where it is listed."""

    text: str
    at: Steps

    @property
    def is_own(self) -> bool:
        return is_path(self.text)

    @property
    def name(self) -> str:
        return PurePath(self.text).stem if self.is_own else self.text


def is_path(entry: str) -> bool:
    """Return whether an entry is the path of a file, not the name of a shipped pack."""
    return "/" in entry or entry.endswith(_ENDINGS)


def load_categories(
    text: str | bytes, *, file: str, event_types: frozenset[str] = ALL_TYPES, packs: PackReader = NO_PACKS
) -> RuleSet:
    """Return the rules of a file and of its packs. Raises ``ManifestError`` with every fault at once.

    ``event_types`` are those that the agent watches: a rule on others is a fault.
    """
    return check_packed(read(text, file=file), event_types=event_types, packs=packs).value_or_raise()


def lint_categories(
    text: str | bytes, *, file: str, event_types: frozenset[str] = ALL_TYPES, packs: PackReader = NO_PACKS
) -> tuple[Problem, ...]:
    """Return every error, or, if there is none, every finding about a file of error categories and its packs."""
    return check_packed(read(text, file=file), event_types=event_types, packs=packs).problems


def check_packed(
    documents: Documents,
    *,
    event_types: frozenset[str] = ALL_TYPES,
    packs: PackReader = NO_PACKS,
    checked: CheckedPacks = _not_checked,
) -> Checked[RuleSet]:
    """Check a file and its packs. The problems of each file stand together, in the order of the files.

    ``checked`` gives packs that were checked before, also for these ``event_types``; they are not read.
    """
    check = partial(check_file, event_types=event_types)
    main = check_one(documents, check)
    if main.value is None or not (main.value.packs or main.value.without):
        return Checked(value=main.value.rules if main.value else None, problems=main.problems)
    return _Joining(main.value, packs, checked).joined(main.problems, event_types=event_types)


class _Joining:
    """Joins a file with its packs, and collects what is wrong: faults of the file's lists, and problems of packs."""

    def __init__(self, main: RuleFile, packs: PackReader, checked: CheckedPacks) -> None:
        self._main = main
        self._reader = packs
        self._checked = checked
        self._faults: list[Fault] = []
        self._problems: list[Problem] = []

    def joined(self, problems: Sequence[Problem], *, event_types: frozenset[str]) -> Checked[RuleSet]:
        entries = list(self._entries())
        files = [(entry, self._read(entry, event_types)) for entry in entries]
        packs = [(entry, file) for entry, file in files if file is not None]
        rules = self._rules(packs)
        self._faults += self._without_rules(rules)
        own = [self._main.source.problem(fault) for fault in self._faults]
        every = (*in_order((*problems, *own)), *self._problems)
        if errors_of(every):
            return Checked(value=None, problems=every)
        return Checked(value=rules, problems=(*every, *self._shadowed(packs)))

    def _entries(self) -> Iterator[_Entry]:
        """Every pack to read, in order. What is listed twice, or unknown, is a fault."""
        named = {entry for entry in self._main.packs if entry != SHIPPED}
        self._check_without(named)
        seen: set[str] = set()
        for number, text in enumerate(self._main.packs):
            entry = _Entry(text=text, at=(*self._main.block, PACKS, number))
            if fault := self._wrong(entry, seen):
                self._faults.append(fault)
            elif text == SHIPPED:
                rest = (name for name in self._reader.names if name not in {*named, *self._main.without})
                yield from (_Entry(text=name, at=entry.at) for name in rest)
            else:
                yield entry
            seen.add(entry.name)

    def _wrong(self, entry: _Entry, seen: set[str]) -> Fault | None:
        names = self._reader.names
        if entry.is_own and entry.name in names:
            message = f"a pack called {quote(entry.name)} ships with failure-agent"
            return self._fault("pack-name-taken", message, at=entry.at, hint="give the file another name")
        if not entry.is_own and entry.text not in (SHIPPED, *names):
            known = nearest_or_all(entry.text, [SHIPPED, *names])
            hint = f"{known}; a file of your own is written with its ending, such as ./{entry.text}.yaml"
            return self._fault("unknown-pack", f"no pack {quote(entry.text)} ships", at=entry.at, hint=hint)
        if entry.name in seen:
            return self._fault("repeated-pack", f"the pack {quote(entry.name)} is listed twice", at=entry.at)
        return None

    def _check_without(self, named: set[str]) -> None:
        for number, text in enumerate(self._main.without):
            at: Steps = (*self._main.block, WITHOUT, number)
            if text not in self._reader.names:
                hint = nearest_or_all(text, self._reader.names)
                self._faults.append(self._fault("unknown-pack", f"no pack {quote(text)} ships", at=at, hint=hint))
            elif text in named:
                message = f"the pack {quote(text)} is listed in `packs`, too"
                self._faults.append(self._fault("listed-and-left-out", message, at=at, hint="delete one of the two"))
        if self._main.without and SHIPPED not in self._main.packs:
            message = f"no effect: `packs` does not list {quote(SHIPPED)}, of which packs could be left out"
            fault = self._fault("without-no-effect", message, at=(*self._main.block, WITHOUT))
            self._faults.append(replace(fault, severity=Severity.WARNING))

    def _read(self, entry: _Entry, event_types: frozenset[str]) -> RuleFile | None:
        known = self._checked(entry.text)
        if known is not None and known.rules.order is self._main.rules.order:
            return known
        try:
            documents = self._reader.read(entry.text, listed_in=self._main.source.file)
        except OSError as error:
            message = f"{quote(entry.text)} cannot be read: {error.strerror}"
            hint = "paths start from the folder of this file"
            self._faults.append(self._fault("unreadable-pack", message, at=entry.at, hint=hint))
            return None
        checked = check_one(documents, partial(check_file, event_types=event_types))
        if checked.value is not None:
            checked = with_problems_of_text(checked, tuple(self._misplaced(checked.value)))
        self._problems += checked.problems
        return checked.value

    def _misplaced(self, pack: RuleFile) -> Iterator[Problem]:
        """Yield what a pack must leave to the file that lists it."""
        main = self._main.rules.order
        if pack.packs or pack.without:
            yield _misplaced(pack, PACKS if pack.packs else WITHOUT, "nested-packs", "a pack cannot list packs")
        if pack.rules.order is not main and _written(pack, "order") is not None:
            message = f"the file that lists this pack has `order: {main}`"
            yield _misplaced(pack, "order", "order-differs", message, hint=_same_order(pack.rules.order))
        for name in ("defaultCategory", "defaultSubcategory"):
            if _written(pack, name) is not None:
                yield _misplaced(pack, name, "default-in-pack", "only the file that lists the packs has a default")

    def _rules(self, packs: Sequence[tuple[_Entry, RuleFile]]) -> RuleSet:
        first: dict[str, Category] = {}
        every: list[Category] = []
        for name, file in [("", self._main), *((entry.name, file) for entry, file in packs)]:
            for number, category in enumerate(file.rules.categories):
                known = first.setdefault(category.name, category)
                self._check_action(category, known, file, number)
                every.append(replace(_extended(category, known), pack=name))
        return with_revision(replace(self._main.rules, categories=tuple(every)))

    def _without_rules(self, rules: RuleSet) -> Iterator[Fault]:
        """Yield a fault for each category that only asks for a condition, and of which no pack has rules."""
        known = {category.name for category in rules.categories if category.rules}
        for number, category in enumerate(self._main.rules.categories):
            if category.name not in known:
                at: Steps = (*self._main.listed, number, "name")
                message = f"no pack that this file lists has rules of the category {quote(category.name)}"
                yield self._fault("no-rules", message, at=at, hint=nearest_or_all(category.name, sorted(known)))

    def _check_action(self, category: Category, known: Category, file: RuleFile, number: int) -> None:
        at: Steps = (*file.listed, number, "action")
        if category.action is not known.action and find(file.finder.root, at) is not None:
            message = f"an earlier file gives this category the action {quote(known.action)}"
            fault = replace(file.finder.finding("action-differs", message, at=at), severity=Severity.ERROR)
            self._problems.append(file.source.problem(fault))

    def _shadowed(self, packs: Sequence[tuple[_Entry, RuleFile]]) -> Iterator[Problem]:
        """Rules that another file hides. One's own may hide shipped ones: that is what they come first for."""
        files = [("", self._main), *((entry.name, file) for entry, file in packs)]
        for shadowed in hidden([file.rules for _, file in files], self._main.rules.order):
            (name, file), (other, _) = files[shadowed.file], files[shadowed.by]
            if name not in self._reader.names or other in self._reader.names:
                of = f"the pack {quote(other)}" if other else "the file that lists the packs"
                message = f"a rule of {of} matches everything that this one matches, so this one never decides"
                place = (*file.listed, shadowed.category, "rules", shadowed.index)
                hint = "delete it, or list its pack earlier"
                yield file.source.problem(file.finder.finding("shadowed-rule", message, at=place, hint=hint))

    def _fault(self, code: str, message: str, *, at: Steps, hint: str = "") -> Fault:
        return replace(self._main.finder.finding(code, message, at=at, hint=hint), severity=Severity.ERROR)


def _extended(category: Category, known: Category) -> Category:
    """A category with what an earlier file says of it, where it says nothing itself."""
    return replace(
        category,
        origin=category.origin or known.origin,
        advice=category.advice or known.advice,
        action=known.action if category.action is CategoryAction.RETAIN else category.action,
        condition=category.condition or known.condition,
    )


def _written(pack: RuleFile, name: str) -> Node | None:
    return find(pack.finder.root, (*pack.block, name))


def _misplaced(pack: RuleFile, name: str, code: str, message: str, *, hint: str = "") -> Problem:
    fault = pack.finder.finding(code, message, at=(*pack.block, name), hint=hint)
    return pack.source.problem(replace(fault, severity=Severity.ERROR))


def _same_order(order: Order) -> str:
    return f"write `order: {order}` in that file, or delete it here"


# What joining asks a tree is whether something is written there that only the file that lists the packs may say. So
# only packs that write none of it are kept without their trees, and get an empty one.
_EMPTY = Mapping(entries=(), span=Span(line=1, column=1), size=1)


def is_all_in_rules(file: RuleFile) -> bool:
    """Return whether a pack writes no list of packs, no default, and no action of a category."""
    defaults = ((*file.block, name) for name in ("defaultCategory", "defaultSubcategory"))
    actions = ((*file.listed, number, "action") for number, _ in enumerate(file.rules.categories))
    written = any(find(file.finder.root, place) is not None for place in (*defaults, *actions))
    return not (written or file.packs or file.without)


def checked_pack(rules: RuleSet, *, file: str) -> RuleFile:
    """Return a pack of which ``is_all_in_rules`` held."""
    return RuleFile(rules=rules, finder=Finder(root=_EMPTY, at=()), listed=(FIELD,), source=Source("", file=file))
