"""No words of a spec stay in what the runtime said, however they are chosen and quoted."""

import json

from hypothesis import example, given
from hypothesis import strategies as st

from agent.core.admission.quoted import unquoted, without_quotes
from agent.core.evidence import Container, ContainerKind, ContainerState, Evidence, Pod, StateKind

FULL = "no space left on device"
TEMPLATES = (
    "runc create failed: exec: {quoted}: stat {raw}: no such file or directory",
    "create mountpoint for {raw} mount: make mountpoint {quoted}: not a directory",
    "chdir to cwd ({quoted}) set in config.json failed",
    "crun: executable file `{raw}` not found in $PATH",
)


@given(
    st.sampled_from(TEMPLATES),
    st.lists(st.sampled_from(["x", " ", "'", '"', "\\", "\t"]), max_size=4).map("".join),
    st.lists(st.sampled_from(["x", " ", "'", '"', "\\", "\t"]), max_size=4).map("".join),
)
@example(TEMPLATES[1], "", '"y')
def test_words_that_the_runtime_quotes_are_gone(template: str, before: str, after: str) -> None:
    words = f"{before}{FULL}{after}"

    assert FULL not in unquoted(template.format(quoted=json.dumps(words), raw=words))


def test_a_message_that_was_cut_within_a_quote_says_nothing() -> None:
    assert unquoted(f'exec: "{FULL} and so on') == ""


def test_a_message_that_quotes_too_much_says_nothing() -> None:
    assert unquoted("".join(f'"{number}"' for number in range(100))) == ""
    assert unquoted(f'{FULL} "{"x" * 10_000}"') == ""


def test_what_is_not_quoted_stays() -> None:
    assert unquoted(f'failed to mount "/rootfs": {FULL}') == f'failed to mount "": {FULL}'


def ended(reason: str) -> Evidence:
    state = ContainerState(kind=StateKind.TERMINATED, reason=reason, exit_code=128, message=f'exec: "{FULL}"')
    container = Container(name="main", kind=ContainerKind.APP, state=state, ended=state)
    error = f'Container main failed with exit code 128 because {reason}: exec: "{FULL}"\n'
    return Evidence(pod=Pod(containers=(container,)), pod_error=error)


def test_the_error_of_the_pod_does_not_quote_either() -> None:
    assert without_quotes(ended("StartError")).pod_error == (
        'Container main failed with exit code 128 because StartError: exec: ""\n'
    )


def test_what_a_program_wrote_is_not_changed() -> None:
    evidence = ended("Error")

    assert without_quotes(evidence) is evidence
