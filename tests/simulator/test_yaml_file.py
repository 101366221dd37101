"""A file of the simulator that cannot be used is refused at once, with its name, line and column."""

from collections.abc import Callable
from pathlib import Path

import pytest

from agent.bounds import MAX_BYTES
from agent.simulator.plan import PlanError, load_plan
from agent.simulator.script import ScriptError, load_scripts

ALIASES = "a0: &a0 {k: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n" for level in range(1, 40)
)
"""Each line is nine times as much as the one before."""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"seed: 1: 2", ":1:8: mapping values are not allowed"),
        (b"seed: 1\nseed: 2", ":2:1: seed: `seed` is given twice"),
        (b"seed: 010", ":1:7: seed: 010 is 8 (octal)"),
        (b"scripts: 2024-01-01", "Expected `array`, got `str` - at `$.scripts`"),
        (b"", "got `null`"),
        (b"\xff", ":1:1: not UTF-8"),
        (b"a: " + b"[" * 1_000, ":1:103: nested more than 100 levels deep"),
        (b"#" * (MAX_BYTES + 1), ":1:1: the document is larger than 4 MiB"),
        (ALIASES.encode(), ":6:20: more than 60000 nodes"),
    ],
)
@pytest.mark.parametrize(("load", "error"), [(load_plan, PlanError), (lambda file: load_scripts((file,)), ScriptError)])
def test_what_is_wrong_is_named(
    load: Callable[[Path], object], error: type[Exception], text: bytes, said: str, tmp_path: Path
) -> None:
    file = tmp_path / "workload.yaml"
    file.write_bytes(text)

    with pytest.raises(error) as raised:
        load(file)

    assert str(file) in str(raised.value)
    assert said in str(raised.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match=r"nowhere\.yaml"):
        load_plan(tmp_path / "nowhere.yaml")
