"""Every setting of a process says, at its field, when a change applies and what reads it."""

import ast
import typing
from collections.abc import Iterator
from typing import Annotated, Any

import pytest
from pydantic import Field

from agent.ctl.schema import schema
from agent.settings.base import LogSettings
from agent.settings.effect import Applies, RootSettings, after_restart, at_once
from agent.settings.processes import PROCESSES
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT


class Sign(RootSettings):
    colour: Annotated[str, after_restart("sign.py")] = Field(default="red", description="Its colour.")
    shown_words: Annotated[str, at_once("sign.py")] = Field(default="", description="What it says.")
    log: Annotated[LogSettings, at_once("log.py")] = Field(default=LogSettings(), description="What is logged.")


def test_a_setting_that_does_not_say_when_a_change_applies_is_refused() -> None:
    with pytest.raises(TypeError, match=r"Silent\.words: annotate it with at_once\(READER\) or after_restart"):

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


def misnamed(field: tuple[type[RootSettings], str]) -> Iterator[str]:
    """What is wrong with the reader of a field: it must use the field by name, or import what the field holds."""
    model, name = field
    info = model.model_fields[name]
    reader = ROOT / "agent" / model.effects[info.alias or name].reader
    if not reader.is_file():
        yield f"{model.__name__}.{name}: {reader.relative_to(ROOT)}: there is no such file"
        return
    nodes = list(ast.walk(ast.parse(reader.read_text(encoding="utf-8"))))
    used = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    imported = {alias.name for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}
    if name not in used and not imported & held(info.annotation):
        yield f"{model.__name__}.{name}: {reader.relative_to(ROOT)} does not read it"


def held(annotation: Any) -> set[str]:  # noqa: ANN401 - annotations have no common type
    """The names of the classes of our own settings in an annotation."""
    inner = {name for argument in typing.get_args(annotation) for name in held(argument)}
    return inner | (
        {annotation.__name__} if getattr(annotation, "__module__", "").startswith("agent.settings") else set()
    )


def test_the_file_that_reads_a_setting_is_named_at_its_field() -> None:
    assert_no_findings(misnamed, [(model, name) for model in PROCESSES.values() for name in model.model_fields])


def test_a_file_that_does_not_read_the_setting_is_found() -> None:
    class Moved(RootSettings):
        evidence_wait: Annotated[str, after_restart("cluster/gone.py")] = Field(default="", description="A wait.")
        log: Annotated[LogSettings, at_once("backoff.py")] = Field(default=LogSettings(), description="What is logged.")

    assert [finding for name in Moved.model_fields for finding in misnamed((Moved, name))] == [
        "Moved.evidence_wait: agent/cluster/gone.py: there is no such file",
        "Moved.log: agent/backoff.py does not read it",
    ]
