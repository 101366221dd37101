import json

import msgspec
import pytest

from bench.report.command import options, report, report_not_run
from bench.report.held import Held, at_least

FIGURE = at_least("speed", 9.0, target=10.0)


@pytest.mark.parametrize(("words", "code", "line"), [([], 1, "MISSED"), (["--floor", "0.9"], 0, "met")])
def test_the_floor_decides_on_the_exit_code(
    words: list[str], code: int, line: str, capsys: pytest.CaptureFixture[str]
) -> None:
    given = options("Speed.\n\nMore.", quick="fewer").parse_args(words)

    assert report([FIGURE], {}, given=given) == code
    assert capsys.readouterr().out.startswith(line)


def test_the_last_line_has_the_figures_of_the_benchmark_and_what_is_held(capsys: pytest.CaptureFixture[str]) -> None:
    report([FIGURE], {"us": 3}, given=options(None, quick="fewer").parse_args(["--json"]))
    document = json.loads(capsys.readouterr().out.splitlines()[-1])

    assert document["us"] == 3
    assert msgspec.convert(document["held"], list[Held]) == [FIGURE]


def test_what_was_not_run_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    given = options(None, quick="fewer").parse_args(["--json"])

    assert report_not_run(RuntimeError("no server"), given=given) == 1
    assert capsys.readouterr().out == 'no server\n{"not_run": "no server"}\n'
