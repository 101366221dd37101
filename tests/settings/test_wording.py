"""Errors about values are in our words for any value: pydantic's mean nothing to an operator."""

import json
import re
from collections.abc import Iterator
from functools import partial

import pytest

from agent.settings.fault import ConfigError, SettingFault
from agent.settings.load import settings_of
from agent.settings.marks import read_marked
from agent.settings.processes import PROCESSES
from agent.settings.shape import FoundField, fields
from tests.ground.findings import assert_no_findings

THEIRS = re.compile(
    r"should (be|have|match)|Field required|Extra inputs|valid (string|integer|array|dictionary|object)"
)
WRONG: tuple[object, ...] = (None, True, -1, 2.5, 10**30, "", "?", "Ä b", [], ["?"], [None], {}, {"?": 1})
LEAST_REFUSED = 4
"""Most of the values are wrong for any setting."""


def written(field: FoundField, value: object) -> str:
    """A settings file with only this value, on one line."""
    *above, name = field.path
    text = f"{name}: {json.dumps(value)}"
    for group in reversed(above):
        text = f"{group}: {{{text}}}"
    return text


def faults(process: str, text: str) -> tuple[SettingFault, ...]:
    with pytest.raises(ConfigError) as caught:
        settings_of(PROCESSES[process], read_marked(text, file="settings.yaml"), {})
    return caught.value.faults


def badly_worded(process: str, field: FoundField) -> Iterator[str]:
    """Refusals of values of a setting in the words of pydantic; and a setting that takes nearly everything."""
    path = ".".join(field.path)
    refused = 0
    for value in WRONG:
        found = faults(process, written(field, value))
        yield from theirs(path, found)
        refused += any(fault.path.startswith(path) for fault in found)
    if refused < LEAST_REFUSED:
        yield f"{path}: only {refused} of {len(WRONG)} values are refused"


def theirs(path: str, found: tuple[SettingFault, ...]) -> Iterator[str]:
    return (f"{path}: say it in our words: {fault}" for fault in found if THEIRS.search(str(fault)))


@pytest.mark.slow
@pytest.mark.parametrize("process", PROCESSES)
def test_no_value_is_refused_in_the_words_of_pydantic(process: str) -> None:
    assert_no_findings(partial(badly_worded, process), fields(PROCESSES[process]))


def test_words_of_pydantic_are_found() -> None:
    fault = SettingFault(place="settings.yaml:1:1", path="a.b", message="Input should be a valid string")

    assert list(theirs("a.b", (fault,))) == [f"a.b: say it in our words: {fault}"]
