"""Further problems of a document with errors: it is checked again without the parts that have them.

A check stops at invalid input: a rule that does not fit its shape is not compiled, so it is not compared with other
rules. Here the invalid parts are removed from the tree until the rest can be used. First whole units are removed (a
rule, a row), so that half a rule is not checked; then single fields, to find other problems of such a unit. Problems
that exist only because of the removal are dropped.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Generic, TypeVar

from agent.documents.checked import Check, Checked
from agent.documents.node import (
    List,
    Mapping,
    Node,
    PathStep,
    Scalar,
    find,
    items,
    read_path,
    size,
    write_path,
)
from agent.documents.problem import Problem, errors_of, in_order
from agent.documents.source import Source

Value = TypeVar("Value")
Steps = tuple[PathStep, ...]

_UNITS = frozenset(
    {
        "rules",
        "categories",
        "errorCategories",
        "actions",
        "classification",
        "errors",
        "sources",
        "failures",
        "outcomes",
        "replicatedJobs",
        "scripts",
    }
)
"""The lists whose items are independent."""

_SAID_OF_THE_WHOLE = frozenset({"limit-never-binds"})
"""Codes of problems about something that is missing."""

_WORD = re.compile(r"\w+")
_QUOTED = re.compile(r"`([^`]*)`")


@dataclass(frozen=True, slots=True, kw_only=True)
class Remainder(Generic[Value]):
    """Every problem of a document, and its value without the parts that have errors.

    ``value`` is ``None`` if nothing is left; it was built from ``root``. ``restored`` maps a problem found in it to the
    whole document, or to ``None`` if it exists only because of the removal.
    """

    problems: tuple[Problem, ...]
    value: Value | None
    root: Node
    restored: Callable[[Problem], Problem | None]


def check_everything(check: Check[Value], root: Node, source: Source) -> Remainder[Value]:
    """Check a document, then what is left of it without its errors, until no more is found."""
    first = check(root, source)
    if first.value is not None:
        return Remainder(problems=first.problems, value=first.value, root=root, restored=lambda problem: problem)
    units, fields = _Cuts(root, whole_units=True), _Cuts(root, whole_units=False)
    of_units, of_fields = _check_rest(units, first, check, source), _check_rest(fields, first, check, source)
    inside = (problem for problem in of_fields.problems if units.hold(problem))
    problems = in_order((*first.problems, *of_units.problems, *inside))
    return Remainder(problems=problems, value=of_units.value, root=units.root, restored=units.restored)


def _check_rest(cuts: "_Cuts", first: Checked[Value], check: Check[Value], source: Source) -> Checked[Value]:
    """Cut and check until the rest can be used or nothing is left to cut; give its value, and what was found."""
    found: list[Problem] = []
    checked = first
    while checked.value is None and cuts.cut(errors_of(checked.problems)):
        checked = check(cuts.root, source)
        found += filter(None, map(cuts.restored, checked.problems))
    return Checked(value=checked.value, problems=tuple(found))


class _Cuts:
    """The parts that were cut out of a document, by their paths in it; ``root`` is what is left."""

    def __init__(self, whole: Node, *, whole_units: bool) -> None:
        self.root = whole
        self._whole = whole
        self._target = _unit if whole_units else _field
        self._cut: set[Steps] = set()
        self._fields: set[str] = set()
        self._texts: set[str] = set()

    def cut(self, problems: Iterable[Problem]) -> bool:
        """Cut out what has these problems. Return whether anything was."""
        targets = {self._target(self._place(problem.path)[0]) for problem in problems} - {(), *self._cut}
        for target in targets:
            self._forget(target)
        self._cut |= targets
        self.root = _without(self._whole, self._cut, at=())
        return bool(targets)

    def restored(self, problem: Problem) -> Problem | None:
        """Return a problem of the rest with its path in the whole; ``None`` for what is only said because of a cut."""
        steps, beyond = self._place(problem.path)
        around = any(path[: len(steps)] == steps for path in self._cut)
        if around or problem.code in _SAID_OF_THE_WHOLE or self._is_about_what_is_gone(problem):
            return None
        return replace(problem, path=(write_path(steps) + beyond).removeprefix("."))

    def hold(self, problem: Problem) -> bool:
        """Return whether a problem of the whole lies within what was cut out."""
        steps, _ = read_path(self._whole, problem.path)
        return any(len(path) < len(steps) and steps[: len(path)] == path for path in self._cut)

    def _forget(self, target: Steps) -> None:
        """Keep what a problem that is only there because of the cut would name: a field, or what a unit is called."""
        if isinstance(last := target[-1], str):
            self._fields.add(last)
        elif isinstance(unit := find(self._whole, target), Mapping):
            self._texts |= {entry.value.text for entry in unit.entries if isinstance(entry.value, Scalar)}

    def _is_about_what_is_gone(self, problem: Problem) -> bool:
        return bool(
            self._fields & {*_WORD.findall(problem.message)} or self._texts & {*_QUOTED.findall(problem.message)}
        )

    def _place(self, path: str) -> tuple[Steps, str]:
        """Return the path in the whole of what has this path in the rest, and how it goes on beyond what is written."""
        steps, beyond = read_path(self.root, path)
        found: Steps = ()
        for step in steps:
            found = (*found, step if isinstance(step, str) else self._index(found, step))
        return found, beyond

    def _index(self, at: Steps, number: int) -> int:
        places = (place for place, _ in items(find(self._whole, at)) if (*at, place) not in self._cut)
        return next(islice(places, number, None))


def _unit(steps: Steps) -> Steps:
    """Return the path of the innermost unit around this path, else the path itself."""
    for end in range(len(steps), 1, -1):
        if isinstance(steps[end - 1], int) and steps[end - 2] in _UNITS:
            return steps[:end]
    return steps


def _field(steps: Steps) -> Steps:
    return steps


def _without(node: Node, cut: set[Steps], *, at: Steps) -> Node:
    """Return the tree without what was cut; what has no cut in it is the same object."""
    if not any(path[: len(at)] == at for path in cut):
        return node
    if isinstance(node, List):
        kept = tuple(_without(item, cut, at=(*at, number)) for number, item in items(node) if (*at, number) not in cut)
        return List(items=kept, span=node.span, size=1 + sum(map(size, kept)))
    if isinstance(node, Mapping):
        entries = tuple(
            replace(entry, value=_without(entry.value, cut, at=(*at, entry.key)))
            for entry in node.entries
            if (*at, entry.key) not in cut
        )
        return Mapping(entries=entries, span=node.span, size=1 + sum(size(entry.value) for entry in entries))
    return node
