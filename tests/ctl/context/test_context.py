from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from agent.bounds import MAX_BYTES
from agent.console.exits import NotFoundError, UsageError
from agent.ctl.context.contexts import context_file, read_contexts
from agent.ctl.main import app
from agent.ctl.server import ServerChoice

ALIASES = "a0: &a0 {k: 1}\n" + "".join(
    f"a{level}: &a{level} {{<<: [{', '.join([f'*a{level - 1}'] * 9)}]}}\n" for level in range(1, 40)
)
"""Each line is nine times as much as the one before."""


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {"FAILCTL_CONFIG": f"{tmp_path}/inside/config.yaml", "FAILCTL_SERVER": ""}


def run(environ: dict[str, str], *words: str) -> Result:
    return CliRunner().invoke(app, ["context", *words], env=environ)


def test_contexts_are_set_listed_used_and_deleted(environ: dict[str, str]) -> None:
    assert run(environ, "list").stderr == f"There is no context in {environ['FAILCTL_CONFIG']}.\n"
    run(environ, "set", "east", "--server", "127.0.0.1:8083")
    assert run(environ, "set", "west", "--server", "[::1]:8083").stdout == "Commands go to [::1]:8083 now\n"
    assert run(environ, "list").stdout == "  east  127.0.0.1:8083\n* west  [::1]:8083\n"
    assert run(environ, "use", "east").exit_code == 0
    assert ServerChoice().address(environ) == "127.0.0.1:8083"
    run(environ, "delete", "east")
    assert ServerChoice().address(environ) is None


def test_options_override_the_environment_which_overrides_the_current_context(environ: dict[str, str]) -> None:
    run(environ, "set", "east", "--server", "east:1")
    run(environ, "set", "west", "--server", "west:1")
    both = {**environ, "FAILCTL_SERVER": "env:1"}

    assert ServerChoice().address(environ) == "west:1"
    assert ServerChoice().address(both) == "env:1"
    assert ServerChoice(context="east").address(both) == "east:1"
    assert ServerChoice(server="typed:1", context="east").address(both) == "typed:1"


def test_a_context_keeps_the_address_that_is_not_given(environ: dict[str, str]) -> None:
    run(environ, "set", "east", "--server", "east:1")
    run(environ, "set", "east", "--lookout", "http://127.0.0.1:8085/")
    run(environ, "set", "west", "--lookout", "http://[::1]:8085")

    assert run(environ, "list").stdout == (
        "  east  east:1  lookout http://127.0.0.1:8085\n* west  lookout http://[::1]:8085\n"
    )
    assert ServerChoice(context="east").addresses(environ).lookout == "http://127.0.0.1:8085"
    with pytest.raises(UsageError, match="the context west has only a Lookout"):
        ServerChoice().address(environ)
    assert run(environ, "set", "west").exit_code == 2


def test_the_more_explicit_choice_says_whom_lists_come_from(environ: dict[str, str]) -> None:
    lookout = "http://127.0.0.1:8085"
    run(environ, "set", "east", "--server", "east:1", "--lookout", lookout)

    assert ServerChoice().addresses(environ).lookout == lookout
    assert ServerChoice(server="typed:1").addresses(environ).lookout is None
    assert ServerChoice().addresses({**environ, "FAILCTL_SERVER": "env:1"}).lookout is None
    by_variable = {**environ, "FAILCTL_LOOKOUT": "http://env:1"}
    assert ServerChoice().addresses(by_variable).lookout == "http://env:1"
    assert ServerChoice().address(by_variable) == "east:1"


def test_an_unknown_name_and_an_invalid_address_are_refused(environ: dict[str, str]) -> None:
    assert run(environ, "use", "gone").exit_code == 1
    assert run(environ, "set", "a", "--server", "http://east").exit_code == 2
    with pytest.raises(NotFoundError, match="there is no context gone"):
        ServerChoice(context="gone").address(environ)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("contexts: [{server: 'a:1'}]", "config.yaml:1:12: contexts[0].name: `name` is required"),
        ("contexts: [{name: a}]", "config.yaml:1:12: contexts[0]: name a `server`, a `lookout`, or both"),
        ("contexts: [", "config.yaml:1:12: "),
        ("contextz: []", "config.yaml:1:1: contextz: unknown field `contextz`"),
        ("contexts: [{name: 2024, server: a:1}]", 'help: if it is text, quote it: "2024"'),
        ("[a]", "config.yaml:1:1: expected a mapping, found a list"),
        ("a: 1\n---\nb: 2\n", "config.yaml:3:1: expected one document, found 2"),
        ("contexts: " + "[" * 1_000 + "]" * 1_000, "config.yaml:1:110: nested more than 100 levels deep"),
        ("#" * (MAX_BYTES + 1), "config.yaml:1:1: the document is larger than 4 MiB"),
        (ALIASES, "config.yaml:6:20: more than 60000 nodes, counting each alias"),
    ],
)
def test_a_file_that_cannot_be_used_is_reported(environ: dict[str, str], text: str, said: str) -> None:
    file = context_file(environ)
    file.parent.mkdir()
    file.write_text(text)

    with pytest.raises(UsageError) as refused:
        read_contexts(environ)

    assert said in str(refused.value)
    assert file.read_text() == text


def test_a_context_may_be_named_like_a_date(environ: dict[str, str]) -> None:
    file = context_file(environ)
    file.parent.mkdir()
    file.write_text("current: 2024-01-01\ncontexts: [{name: 2024-01-01, server: 'east:1'}]\n")

    assert ServerChoice().address(environ) == "east:1"
    run(environ, "set", "1e3", "--server", "east:2")
    run(environ, "set", "no", "--server", "west:1")
    assert run(environ, "list").stdout == "  2024-01-01  east:1\n  1e3  east:2\n* no  west:1\n"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "{}"])
def test_an_empty_file_has_no_contexts(environ: dict[str, str], text: str) -> None:
    file = context_file(environ)
    file.parent.mkdir()
    file.write_text(text)

    assert read_contexts(environ).contexts == ()


def test_without_a_variable_contexts_are_in_the_folder_of_settings() -> None:
    assert context_file({"HOME": "/home/a"}) == Path("/home/a/.config/failctl/config.yaml")
    assert context_file({"HOME": "/home/a", "XDG_CONFIG_HOME": "/x"}) == Path("/x/failctl/config.yaml")
