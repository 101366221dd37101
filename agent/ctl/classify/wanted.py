"""Which diagnoses are listed: those that fit a filter."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from msgspec.structs import fields

from agent.console.exits import UsageError
from agent.core.failure import Failure
from agent.ctl.classify.headline import headline
from agent.diagnose.diagnosis import Diagnosis
from agent.store.records.filters import BadQuestion, CategoryName, PodFilter, filters_of_pods


def read_filter(given: Mapping[str, Any]) -> PodFilter:
    """The filter of options by name. Raises UsageError."""
    asked = [option for option in filters_of_pods() if given.get(option.name) is not None]
    try:
        values: dict[str, Any] = {option.name: option.read(given[option.name]) for option in asked}
    except BadQuestion as error:
        raise UsageError(str(error)) from error
    return PodFilter(**values)


_ANY: Final = PodFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Whether only pods that ``failed`` are listed, and which of all."""

    failed: bool = False
    filter: PodFilter = _ANY

    @property
    def is_any(self) -> bool:
        """Whether everything is listed."""
        return not self.failed and self.filter == _ANY

    def has(self, diagnosis: Diagnosis) -> bool:
        """Whether a diagnosis is one of them."""
        values = {option.name: getattr(self.filter, option.name) for option in fields(self.filter)}
        asked = {name: value for name, value in values.items() if value is not None}
        if diagnosis.failure is None:
            return not self.failed and asked.keys() <= _OF_PODS and _fits(diagnosis, asked)
        return _fits(diagnosis, asked) and _fits_failure(diagnosis, diagnosis.failure, asked)


_OF_PODS: Final = frozenset({"node", "owner"})
"""What is asked of pods whether they failed or not."""


def _fits(diagnosis: Diagnosis, asked: Mapping[str, Any]) -> bool:
    node, owner = asked.get("node"), asked.get("owner")
    return node in (None, diagnosis.node) and (owner is None or _is_owned(diagnosis, owner))


def _is_owned(diagnosis: Diagnosis, asked: str) -> bool:
    """Whether one of the owners has this name; ``job/train-0`` is the Job, whatever else has its name."""
    names = {tuple(owner.partition(" ")[::2]) for owner in diagnosis.owners}
    kind, slash, name = asked.rpartition("/")
    return any(own == name and (not slash or of.casefold() == kind.casefold()) for of, own in names)


def _fits_failure(diagnosis: Diagnosis, failure: Failure, asked: Mapping[str, Any]) -> bool:
    found, first = failure.classification, headline(diagnosis, failure)
    has = {"origin": found.origin, "grade": found.grade, "exit_code": first.exit_code, "container": first.container}
    category = asked.get("category")
    return all(has[name] == asked[name] for name in has.keys() & asked) and (
        category is None or _is_of(category, found.category, found.subcategory)
    )


def _is_of(asked: CategoryName, category: str, subcategory: str) -> bool:
    return asked.category == category and asked.subcategory in (None, subcategory)
