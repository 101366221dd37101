"""docs/settings.md says of every setting what the models say, and nothing can be added that it does not describe."""

from datetime import timedelta
from typing import Annotated

import pytest
from pydantic import AfterValidator, Field

from agent.settings.base import Bytes, Duration, PositiveDuration, Settings
from agent.settings.environment import variables
from agent.settings.shape import resolve
from tests.docs.settings_page import PROCESSES, Process, Row, Unsaid, groups, page
from tests.ground.tree import ROOT

ROWS = [(process, row) for process in PROCESSES for group in groups(process.model) for row in group.rows]


def rows(model: type[Settings]) -> list[tuple[str, str, str]]:
    return [(row.path, row.type, row.default) for group in groups(model) for row in group.rows]


def test_the_page_is_what_the_models_give() -> None:
    committed = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")

    assert committed == page(), "run make generate"


@pytest.mark.parametrize(("process", "row"), ROWS, ids=[f"{process.command}:{row.path}" for process, row in ROWS])
def test_a_variable_sets_the_setting_of_its_row(process: Process, row: Row) -> None:
    if row.variable:
        (given,) = variables({row.variable: "x"})
        found = resolve(process.model, given.names)

        assert found is not None
        assert ".".join(found.path) == row.path
    else:
        assert "[]." in row.path


def test_a_description_is_a_sentence() -> None:
    assert [row.path for _, row in ROWS if not row.meaning.endswith(".")] == []


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
