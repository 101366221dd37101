"""Examples of lives of one job, as a table."""

from pathlib import Path
from typing import Any

import pytest

from agent.core.lifecycle.effects import (
    Create,
    Discard,
    Refused,
    ReturnGrant,
    Start,
    StateChanged,
    Step,
    Stop,
    WriteEnding,
    WriteVerdict,
)
from tests.core.lifecycle.made import play
from tests.tables import table

CASES: list[dict[str, Any]] = table(Path(__file__).parent / "stories.yaml")
NAMES = {
    Create: "create",
    Start: "start",
    Stop: "stop",
    Discard: "discard",
    WriteVerdict: "verdict",
    WriteEnding: "ending",
    ReturnGrant: "return",
}


def lines_of(case: dict[str, Any]) -> list[str]:
    """The lines of a story; several may be written as one."""
    return [line for entry in case["lines"] for line in ([entry] if isinstance(entry, str) else entry)]


def result_of(lines: list[str]) -> str:
    """What the last of the lines gives, in the words of the table."""
    job, result = play(*lines)
    if isinstance(result, Refused):
        return f"refused {result.why}"
    return " ".join([job.state, *(NAMES[type(effect)] for effect in result.effects if type(effect) in NAMES)])


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_story(case: dict[str, Any]) -> None:
    lines = lines_of(case)
    inputs = [line.partition(" -> ")[0] for line in lines]
    given = {number: line.partition(" -> ")[2] for number, line in enumerate(lines) if " -> " in line}

    assert {number: result_of(inputs[: number + 1]) for number in given} == given


def test_a_change_of_state_is_the_last_effect() -> None:
    _, result = play("0 leased r0 confirmed", "1 created r0 u0", "2 failed u0 fail")

    assert isinstance(result, Step)
    assert [type(effect) for effect in result.effects] == [WriteVerdict, WriteEnding, Stop, StateChanged]


def test_rejections_in_a_row_are_counted() -> None:
    lines = ["0 leased r0 confirmed", "1 rejected r0", "11 leased r1 confirmed", "12 rejected r1"]
    assert [play(*lines[: count * 2])[0].rejections for count in range(3)] == [0, 1, 2]

    job, _ = play(
        *lines, "22 leased r2 confirmed", "23 creation-failed r2 retry", "33 leased r3 confirmed", "34 rejected r3"
    )
    assert job.rejections == 1
