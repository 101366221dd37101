"""What a page shows is compared with what a command prints."""

import pytest

from tests.starter.page import Step, read_page

SHOWN = "FAILED  out of memory\n  Fault  user: it passed\n         its limit\n  Failed  6 s ago (00:51 UTC)\n...\nEND\n"


@pytest.mark.parametrize(
    ("printed", "same"),
    [
        (
            "FAILED out of memory\n Fault  user: it passed its limit\n Failed 1 min ago (13:07 CET)\nmore\nEND\n",
            True,
        ),
        (SHOWN.replace("...", ""), True),
        (SHOWN.replace("its limit", "a limit"), False),
        (SHOWN.replace("END\n", ""), False),
        (f"first\n{SHOWN}", False),
        (f"{SHOWN}last\n", False),
        ("", False),
    ],
)
def test_only_text_that_varies_may_differ(printed: str, *, same: bool) -> None:
    assert Step(command="", output=SHOWN).shows(printed) is same


def test_a_command_that_prints_nothing_must_print_nothing() -> None:
    assert [Step(command="", output="").shows(printed) for printed in ("", "\n", "error")] == [True, True, False]


def test_a_page_is_files_and_commands() -> None:
    page = read_page(
        "```console\n$ one\nsays\n$ two\n```\n\n<!-- file: a.yaml -->\n```yaml\nx: 1\n```\n\n"
        "<!-- not run by the test -->\n```console\n$ three\n```\n"
    )

    assert page.files == {"a.yaml": "x: 1\n"}
    assert [(step.command, step.output) for step in page.steps] == [("one", "says\n"), ("two", "")]
