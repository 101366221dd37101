"""Diagnoses written as cards and tables for people, JSON and YAML for programs."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol, TextIO

import yaml
from google.protobuf.json_format import MessageToDict

from agent.api.v1.failure_pb2 import FailureInfo
from agent.console.columns import Column, heading, line
from agent.console.terminal import visible, width
from agent.core.classify.explanation import Consideration, RuleOutcome
from agent.core.failure import Failure
from agent.ctl.classify.card import card, leaf
from agent.ctl.classify.diagnosis import Diagnosis
from agent.ctl.classify.table import columns, healthy_row, row
from agent.wire.failure import fill_failure

_MARKS = {RuleOutcome.MATCHED: "yes", RuleOutcome.NOT_MATCHED: "no", RuleOutcome.TIMED_OUT: "late"}
_CONSIDERED = (Column(width=4), Column(width=44), Column())


def consideration_lines(considerations: Sequence[Consideration]) -> list[str]:
    """A heading and a line for each rule; nothing where nothing was considered."""
    if not considerations:
        return []
    matched = sum(one.outcome is RuleOutcome.MATCHED for one in considerations)
    return [f"  rules       {len(considerations)} looked at, {matched} matched", *map(_line, considerations)]


def _line(one: Consideration) -> str:
    name = f"{leaf(one.category, one.subcategory)} rule {one.rule_index}"
    return line((_MARKS[one.outcome], name, f"{one.matcher}: {one.why}"), _CONSIDERED, indent=4)


class Answers(Protocol):
    """Writes diagnoses in one format, each as it comes."""

    def begin(self, *, many: bool) -> None:
        """Called before the first diagnosis; ``many`` says whether more than one will come."""

    def write(self, diagnosis: Diagnosis) -> None: ...

    def end(self) -> None:
        """Called after the last diagnosis."""


class _ForPeople:
    """One card for one pod, a table for many."""

    def __init__(self, out: TextIO, *, wide: bool) -> None:
        self._out = out
        self._terminal = width(out)
        self._columns = columns(wide=wide, terminal=self._terminal)
        self._cards = False

    def begin(self, *, many: bool) -> None:
        self._cards = not many
        if many:
            self._out.write(heading(self._columns) + "\n")

    def write(self, diagnosis: Diagnosis) -> None:
        lines = self._card(diagnosis) if self._cards else [self._row(diagnosis)]
        lines += consideration_lines(diagnosis.considerations)
        self._out.writelines(line + "\n" for line in lines)

    def end(self) -> None:
        self._out.flush()

    def _card(self, diagnosis: Diagnosis) -> list[str]:
        if diagnosis.failure is None:
            return [f"{visible(diagnosis.name) or 'this pod'}: healthy: {visible(diagnosis.reason)}"]
        return list(card(diagnosis.name, diagnosis.failure))

    def _row(self, diagnosis: Diagnosis) -> str:
        if diagnosis.failure is None:
            return healthy_row(diagnosis.name, diagnosis.reason, shown=self._columns, terminal=self._terminal)
        return row(diagnosis.name, diagnosis.failure, shown=self._columns, terminal=self._terminal)


class _Json:
    """One object for one pod; an array, an element a line, for many."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._many = False
        self._between = ""

    def begin(self, *, many: bool) -> None:
        self._many = many
        self._out.write("[\n" if many else "")

    def write(self, diagnosis: Diagnosis) -> None:
        indent = None if self._many else 2
        self._out.write(self._between + json.dumps(as_plain(diagnosis), indent=indent))
        self._between = ",\n"

    def end(self) -> None:
        self._out.write("\n]\n" if self._many else "\n" if self._between else "")


class _JsonLines:
    """One object a line."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def begin(self, *, many: bool) -> None: ...

    def write(self, diagnosis: Diagnosis) -> None:
        self._out.write(json.dumps(as_plain(diagnosis)) + "\n")

    def end(self) -> None:
        self._out.flush()


class _Yaml:
    """One document for each."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._many = False

    def begin(self, *, many: bool) -> None:
        self._many = many

    def write(self, diagnosis: Diagnosis) -> None:
        self._out.write("---\n" if self._many else "")
        yaml.safe_dump(as_plain(diagnosis), self._out, sort_keys=False, allow_unicode=False)

    def end(self) -> None:
        self._out.flush()


ANSWERS: Mapping[str, Callable[[TextIO], Answers]] = {
    "table": lambda out: _ForPeople(out, wide=False),
    "wide": lambda out: _ForPeople(out, wide=True),
    "json": _Json,
    "yaml": _Yaml,
    "jsonl": _JsonLines,
}


def as_plain(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as plain JSON values: the headline flat, the whole failure as the contract's FailureInfo."""
    failure = diagnosis.failure
    if failure is None:
        return {"name": diagnosis.name, "healthy": True, "reason": diagnosis.reason} | _considered(diagnosis)
    found = failure.classification
    return {
        "name": diagnosis.name,
        "healthy": False,
        "category": found.category,
        "subcategory": found.subcategory,
        "origin": found.origin.value,
        "retry": found.advice.value if found.advice else None,
        "hint": found.hint,
        "matched": found.matched,
        "weak": found.weak,
        "categories": list(found.categories),
        "failure": _contract(failure),
    } | _considered(diagnosis)


def _contract(failure: Failure) -> dict[str, Any]:
    message = FailureInfo()
    fill_failure(message, failure)
    plain: dict[str, Any] = MessageToDict(message)
    return plain


def _considered(diagnosis: Diagnosis) -> dict[str, Any]:
    if not diagnosis.considerations:
        return {}
    return {
        "rules": [
            {
                "category": one.category,
                "subcategory": one.subcategory,
                "rule": one.rule_index,
                "matcher": one.matcher,
                "outcome": one.outcome.value,
                "why": one.why,
            }
            for one in diagnosis.considerations
        ]
    }
