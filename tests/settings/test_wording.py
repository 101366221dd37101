"""What is wrong with a value is said in our words, whatever the value: pydantic's mean nothing to an operator."""

import json
import re
from pathlib import Path

import pytest

from agent.settings import ConfigError, load
from agent.settings.load import PROCESSES
from agent.settings.shape import FoundField, fields

THEIRS = re.compile(
    r"should (be|have|match)|Field required|Extra inputs|valid (string|integer|array|dictionary|object)"
)
WRONG: tuple[object, ...] = (None, True, -1, 2.5, 10**30, "", "?", "Ä b", [], ["?"], [None], {}, {"?": 1})


@pytest.mark.parametrize(
    ("process", "field"),
    [(process, field) for process, model in PROCESSES.items() for field in fields(model)],
    ids=lambda one: ".".join(one.path) if isinstance(one, FoundField) else one,
)
def test_no_value_is_refused_in_the_words_of_pydantic(tmp_path: Path, process: str, field: FoundField) -> None:
    file = tmp_path / "settings.yaml"
    *above, name = field.path
    refused = 0
    for value in WRONG:
        text = f"{name}: {json.dumps(value)}"
        for one in reversed(above):
            text = f"{one}: {{{text}}}"
        file.write_text(text, encoding="utf-8")
        with pytest.raises(ConfigError) as caught:
            load(PROCESSES[process], file, {})
        assert not THEIRS.search(str(caught.value)), str(caught.value)
        refused += any(fault.path.startswith(".".join(field.path)) for fault in caught.value.faults)

    assert refused > 3, "most of the values are wrong for any setting"
