"""docs/settings.md says of every setting what the models say, and nothing can be added that it does not describe."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from typing import Annotated

import pytest
from pydantic import AfterValidator, Field

from agent.settings.base import Bytes, Duration, PositiveDuration, Settings
from agent.settings.environment import variables
from agent.settings.shape import resolve
from tests.docs.settings_page import PROCESSES, Process, Row, Unsaid, groups, page
from tests.ground.findings import assert_no_findings
from tests.ground.tree import ROOT

ROWS = [(process, row) for process in PROCESSES for group in groups(process.model) for row in group.rows]


def rows(model: type[Settings]) -> list[tuple[str, str, str]]:
    return [(row.path, row.type, row.default) for group in groups(model) for row in group.rows]


def test_the_page_is_what_the_models_give() -> None:
    committed = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

    assert committed == page(), "run make generate"


def misnamed(setting: tuple[Process, Row]) -> Iterator[str]:
    """What is wrong with the variable of a row. Only a part of a list has none."""
    process, row = setting
    if not row.variable:
        if "[]." not in row.path:
            yield f"{process.command}: {row.path}: has no variable, and is no part of a list"
        return
    (given,) = variables({row.variable: "x"})
    found = resolve(process.model, given.names)
    path = None if found is None else ".".join(found.path)
    if path != row.path:
        yield f"{process.command}: {row.path}: {row.variable} sets {path or 'nothing'}"


def unfinished(setting: tuple[Process, Row]) -> Iterator[str]:
    process, row = setting
    if not row.meaning.endswith("."):
        yield f"{process.command}: {row.path}: {row.meaning!r}: write the description as a sentence"


def test_a_variable_sets_the_setting_of_its_row() -> None:
    assert_no_findings(misnamed, ROWS)


def test_a_description_is_a_sentence() -> None:
    assert_no_findings(unfinished, ROWS)


class Inner(Settings):
    share: Annotated[float, Field(gt=0, le=1)] = Field(default=1.0, description="A share.")
    maximum: Annotated[Bytes, Field(ge=1)] = Field(default=8192, description="A size.")
    least: Annotated[Bytes, Field(ge=1, le=1 << 30)] = Field(default=1000, description="A size.")


class Outer(Settings):
    wait: PositiveDuration | None = Field(default=timedelta(seconds=90), description="A wait.")
    pause: Duration = Field(description="A pause.")
    names: tuple[Annotated[str, Field(min_length=1, max_length=9)], ...] = Field(default=(), description="Names.")
    inner: Inner = Field(default=Inner(share=0.5), description="Inner settings.")
    more: tuple[Inner, ...] = Field(default=(), description="A list.")


def test_types_ranges_and_defaults_are_shown() -> None:
    assert rows(Outer) == [
        ("wait", "duration longer than 0 or `null`", "`1m30s`"),
        ("pause", "duration", "*required*"),
        ("names", "list of text, 1 to 9 characters", "`[]`"),
        ("more", "list of mappings, below", "`[]`"),
        ("inner.share", "number, more than 0, at most 1", "`0.5`"),
        ("inner.maximum", "size in bytes, at least 1", "`8Ki`"),
        ("inner.least", "size in bytes, 1 to 1Gi", "`1000`"),
        ("more[].share", "number, more than 0, at most 1", "`1`"),
        ("more[].maximum", "size in bytes, at least 1", "`8Ki`"),
        ("more[].least", "size in bytes, 1 to 1Gi", "`1000`"),
    ]


class Undescribed(Settings):
    name: str = ""


class HiddenRule(Settings):
    name: Annotated[str, AfterValidator(str.upper)] = Field(default="", description="A name.")


class HiddenPattern(Settings):
    names: tuple[Annotated[str, Field(pattern="^a$")], ...] = Field(default=(), description="Names.")


@pytest.mark.parametrize(
    ("model", "why"),
    [
        (Undescribed, "name has no description"),
        (HiddenRule, "name is constrained by AfterValidator"),
        (HiddenPattern, "names is constrained by _PydanticGeneralMetadata"),
    ],
)
def test_a_setting_that_cannot_be_described_is_refused(model: type[Settings], why: str) -> None:
    with pytest.raises(Unsaid, match=why):
        list(groups(model))


def test_a_row_whose_variable_sets_another_setting_is_found() -> None:
    process, row = next((process, row) for process, row in ROWS if row.path == "spool.path")
    rows = [replace(row, names=("spool", "pfad")), replace(row, path="spool"), replace(row, names=())]

    assert [list(misnamed((process, wrong))) for wrong in rows] == [
        ["cluster: spool.path: FAILURE_AGENT_SPOOL__PFAD sets nothing"],
        ["cluster: spool: FAILURE_AGENT_SPOOL__PATH sets spool.path"],
        ["cluster: spool.path: has no variable, and is no part of a list"],
    ]
    assert list(unfinished((process, replace(row, meaning="a path")))) == [
        "cluster: spool.path: 'a path': write the description as a sentence"
    ]
