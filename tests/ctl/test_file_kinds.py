"""Files that are given to another option than the one that takes them."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from agent.ctl.main import app

FILES = {
    "settings.yaml": "cluster: {name: east}\nstore: {url: x}\n",
    "rules.yaml": "errorCategories:\n- name: oom\n  rules:\n  - onConditions: [OOMKilled]\n",
    "policies.yaml": "apiVersion: armadaproject.io/v1\nkind: RetryPolicy\nmetadata: {name: p}\nspec: {}\n",
    "pod.json": '{"kind": "Pod", "metadata": {"name": "a"}, "status": {"phase": "Failed"}}\n',
    "list.json": '{"kind": "List", "items": []}\n',
    "scenario.yaml": "name: s\nfailures: []\n",
    "wrong.yaml": "errorCategories:\n- name: oom\n  rules:\n  - onColour: [red]\n",
}
SETTINGS = "give them with --settings of a command that has it"
PODS = "give them with -f of `failctl classify`"
SCENARIOS = "give them with -f of `failctl decide` or `failctl policy test`"


def ask(folder: Path, words: str) -> tuple[int, str]:
    for name, text in FILES.items():
        (folder / name).write_text(text)
    named = [str(folder / word) if word in FILES else word for word in words.split()]
    done = CliRunner().invoke(app, named)
    return done.exit_code, done.stderr.replace(f"{folder}/", "")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            "classify -f pod.json --policies settings.yaml",
            f"settings.yaml: these are settings, not retry policies; {SETTINGS}",
        ),
        ("classify -f pod.json --rules settings.yaml", f"settings.yaml: these are settings, not rules; {SETTINGS}"),
        (
            "classify -f pod.json --policies rules.yaml",
            "rules.yaml: these are rules, not retry policies; give them with --rules",
        ),
        (
            "classify -f pod.json --rules policies.yaml",
            "policies.yaml: these are retry policies, not rules; give them with --policies",
        ),
        ("classify -f pod.json --rules pod.json", f"pod.json: these are pods, not rules; {PODS}"),
        ("classify -f pod.json --policies list.json", f"list.json: these are pods, not retry policies; {PODS}"),
        ("classify -f rules.yaml", "rules.yaml: document 1: these are rules, not pods; give them with --rules"),
        (
            "classify -f policies.yaml",
            "policies.yaml: document 1: these are retry policies, not pods; give them with --policies",
        ),
        ("classify -f settings.yaml", f"settings.yaml: document 1: these are settings, not pods; {SETTINGS}"),
        ("lint policies.yaml --rules pod.json", f"pod.json: these are pods, not rules; {PODS}"),
        (
            "classify -f pod.json --policies scenario.yaml",
            f"scenario.yaml: these are scenarios, not retry policies; {SCENARIOS}",
        ),
    ],
)
def test_a_file_of_another_option_is_recognised_in_one_line(tmp_path: Path, words: str, said: str) -> None:
    """Each field of it was a fault of its own."""
    assert ask(tmp_path, words) == (2, f"failctl: {said}\n")


def test_a_file_of_the_right_kind_has_its_faults(tmp_path: Path) -> None:
    code, err = ask(tmp_path, "classify -f pod.json --rules wrong.yaml")

    assert (code, "unknown field `onColour`" in err) == (2, True)
