"""Every setting of a process says, at its field, when a change applies and what reads it."""

import ast
import typing
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Annotated, Any

import pytest
from pydantic import Field

from agent.ctl.schema import schema
from agent.settings.base import LogSettings
from agent.settings.effect import Applies, RootSettings, after_restart, at_once
from agent.settings.processes import PROCESSES
from agent.settings.shape import FoundField, fields
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT


class Sign(RootSettings):
    colour: Annotated[str, after_restart("sign.py")] = Field(default="red", description="Its colour.")
    shown_words: Annotated[str, at_once("sign.py")] = Field(default="", description="What it says.")
    log: Annotated[LogSettings, at_once("log.py")] = Field(default=LogSettings(), description="What is logged.")


def test_a_setting_that_does_not_say_when_a_change_applies_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Silent\.words: annotate it with at_once\(FILE\) or after_restart"):

        class Silent(Sign):
            words: str = Field(default="", description="What it says.")


def test_a_part_of_a_section_applies_with_its_section() -> None:
    assert [Sign.applies(name) for name in ("colour", "shownWords", "log.level")] == [
        Applies.AFTER_RESTART,
        Applies.AT_ONCE,
        Applies.AT_ONCE,
    ]


def test_the_schema_for_editors_says_when_a_change_applies() -> None:
    described = {
        name: field["description"]
        for model in ("ClusterSettings", "SchedulerSettings")
        for name, field in schema("settings")["$defs"][model]["properties"].items()
    }

    assert described["deadlines"].endswith("first saw the problem. Changes apply within seconds.")
    assert described["shutdown"].endswith("Changes apply after a restart.")


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What files use: attributes, and what they import."""

    attributes: frozenset[str]
    imported: frozenset[str]


@cache
def names_in(reader: str) -> Names:
    """The names in a file or a folder below ``agent/``; none if there is none."""
    place = ROOT / "agent" / reader
    files = [place] if place.is_file() else list(place.rglob("*.py"))
    nodes = [node for file in files for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))]
    return Names(
        attributes=frozenset(node.attr for node in nodes if isinstance(node, ast.Attribute)),
        imported=frozenset(alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names),
    )


def misnamed(section: tuple[type[RootSettings], str]) -> Iterator[str]:
    """What is wrong with the readers of a section: they use its settings by name, or import the class of the values."""
    model, name = section
    whole = [field for field in fields(model) if field.path[0] == name]
    sections = {field.path[:-1] for field in whole}
    readers = {reader: names_in(reader) for reader in model.effects[name].readers}
    for reader, names in readers.items():
        if not any(uses(names, field) for field in whole):
            yield f"{name}: agent/{reader} uses none of it"
    for field in whole:
        if field.path not in sections and not any(uses(names, field) for names in readers.values()):
            yield f"{'.'.join(field.path)}: none of its readers uses it: {', '.join(readers)}"


def uses(names: Names, field: FoundField) -> bool:
    return field.names[-1] in names.attributes or not names.imported.isdisjoint(held(field.info.annotation))


def held(annotation: Any) -> set[str]:  # noqa: ANN401 - annotations have no common type
    """The names of the classes of our own settings in an annotation."""
    inner = {name for argument in typing.get_args(annotation) for name in held(argument)}
    ours = isinstance(annotation, type) and annotation.__module__.startswith("agent.settings.")
    return inner | {annotation.__name__} if ours else inner


def test_the_files_that_use_a_setting_are_named_at_its_field() -> None:
    assert_no_findings(misnamed, [(model, name) for model in PROCESSES.values() for name in model.effects])


def test_a_file_that_does_not_use_the_setting_is_found() -> None:
    class Moved(RootSettings):
        evidence_wait: Annotated[str, after_restart("cluster/gone.py")] = Field(default="", description="A wait.")
        log: Annotated[LogSettings, at_once("process/log.py", "backoff.py")] = Field(
            default=LogSettings(), description="What is logged."
        )
        health: Annotated[LogSettings, at_once("backoff.py")] = Field(default=LogSettings(), description="Health.")

    assert [finding for name in Moved.effects for finding in misnamed((Moved, name))] == [
        "evidenceWait: agent/cluster/gone.py uses none of it",
        "evidenceWait: none of its readers uses it: cluster/gone.py",
        "log: agent/backoff.py uses none of it",
        "health: agent/backoff.py uses none of it",
        "health.level: none of its readers uses it: backoff.py",
        "health.format: none of its readers uses it: backoff.py",
    ]
