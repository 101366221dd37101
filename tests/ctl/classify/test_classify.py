import io
import json
import os
import pty
import select
import sys
from pathlib import Path
from subprocess import DEVNULL
from typing import Any

import pytest
import yaml

from agent.console.exits import Exit, UsageError
from agent.console.options import ListForm
from agent.ctl.classify.answers import Shown
from agent.ctl.classify.classify import ClassifyRequest, run
from agent.ctl.classify.reasoning import Explain
from agent.ctl.classify.wanted import Wanted
from tests import child
from tests.child import SECONDS, Child, output_of

RULES = """\
errorCategories:
- name: oom
  origin: user
  retry: changed
  rules:
  - subcategory: container-limit
    hint: Give it more memory.
    onConditions: [OOMKilled]
- name: app
  rules:
  - subcategory: exception
    onTerminationMessage: {pattern: "Error"}
"""

TRACEBACK = "Traceback (most recent call last):\n" + "  File x\n" * 12 + "ValueError: bad\n"


def pod(name: str, **terminated: Any) -> dict[str, Any]:
    status = {"name": "main", "state": {"terminated": {"exitCode": 1, "reason": "Error"} | terminated}}
    return {
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "team"},
        "status": {"phase": "Failed", "containerStatuses": [status]},
    }


HEALTHY = {"kind": "Pod", "metadata": {"name": "fine"}, "status": {"phase": "Running"}}


class Asked:
    """What ``failctl classify`` answers, with the rules above."""

    def __init__(
        self,
        folder: Path,
        *objects: object,
        output: ListForm = "table",
        explain: Explain | None = None,
        failed: bool = False,
        rules: str = RULES,
    ) -> None:
        file, pods = folder / "rules.yaml", folder / "pods.jsonl"
        file.write_text(rules)
        pods.write_text("\n".join(shape if isinstance(shape, str) else json.dumps(shape) for shape in objects))
        out, err = io.StringIO(), io.StringIO()
        shown = Shown(form=output, explain=explain, wanted=Wanted(failed=failed))
        self.code = run(ClassifyRequest(files=[pods], rules=file, shown=shown), out=out, err=err)
        self.out, self.err = out.getvalue(), err.getvalue()


def test_one_pod_gets_a_card(tmp_path: Path) -> None:
    asked = Asked(tmp_path, pod("a", exitCode=137, reason="OOMKilled"))

    assert asked.code is Exit.FINE
    assert asked.out.startswith("FAILED  out of memory (oom/container-limit)  team/a\n")
    assert "user: container main passed its memory limit (exit 137, OOMKilled)  [system]" in asked.out
    assert "Give it more memory; only a changed job may succeed\n" in asked.out
    assert "main (app): ended OOMKilled, exit 137" in asked.out


def test_a_long_message_is_shown_by_its_end(tmp_path: Path) -> None:
    out = Asked(tmp_path, pod("a", message=TRACEBACK)).out

    assert "ValueError: bad" in out
    assert "Traceback" not in out


def test_many_pods_get_a_table(tmp_path: Path) -> None:
    asked = Asked(tmp_path, pod("a", reason="OOMKilled"), pod("b"), HEALTHY)
    heading, *rows = asked.out.partition("\n\n")[0].splitlines()

    assert heading.split()[:2] == ["POD", "CATEGORY"]
    assert [row.split()[:2] for row in rows] == [
        ["team/a", "oom/container-limit"],
        ["team/b", "none"],
        ["fine", "healthy"],
    ]


def test_a_healthy_pod_is_said_to_be_healthy(tmp_path: Path) -> None:
    assert Asked(tmp_path, HEALTHY).out == "fine: healthy: Running\n"


GATED = {
    "kind": "Pod",
    "metadata": {"name": "queued", "creationTimestamp": "2026-11-22T12:00:00Z"},
    "spec": {"schedulingGates": [{"name": "example.dev/gate"}]},
    "status": {"phase": "Pending"},
}
UNBOUND = {
    "kind": "Pod",
    "metadata": {"name": "unbound"},
    "status": {
        "phase": "Pending",
        "conditions": [
            {"type": "PodScheduled", "status": "False", "message": "password=hunter2hunter2 \x1b[2J no node"}
        ],
    },
}
NEW = {"kind": "Pod", "metadata": {"name": "new"}, "status": {}}


def test_a_document_says_for_what_a_pod_waits_and_when_it_is_given_up(tmp_path: Path) -> None:
    gated, unbound, new = json.loads(Asked(tmp_path, GATED, UNBOUND, NEW, output="json").out)

    assert gated == {
        "name": "queued",
        "healthy": False,
        "state": "waits",
        "node": "",
        "waitsFor": {"kind": "gate", "name": "example.dev/gate"},
        "since": "2026-11-22T12:00:00+00:00",
        "sinceAtEarliest": False,
        "because": "the pod has scheduling gates",
        "givenUpAfterSeconds": None,
        "givenUpBy": None,
    }
    assert (unbound["waitsFor"], unbound["since"]) == ({"kind": "node", "name": ""}, None)
    assert (unbound["givenUpAfterSeconds"], unbound["givenUpBy"]) == (900, "deadlines.unschedulable")
    assert new == {"name": "new", "healthy": False, "state": "not-known", "node": "", "reason": "it has no status yet"}


def test_a_document_of_a_pod_that_cannot_start_says_why_and_for_what_it_still_waits(tmp_path: Path) -> None:
    waiting = {"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    unstarted = {"kind": "Pod", "status": {"phase": "Pending", "containerStatuses": [waiting]}}
    failed = json.loads(Asked(tmp_path, unstarted, output="json").out)

    assert (failed["state"], failed["healthy"]) == ("failed", False)
    assert (failed["waitsFor"]["kind"], failed["since"]) == ("image", None)
    assert (failed["givenUpAfterSeconds"], failed["givenUpBy"]) == (300, "deadlines.image")


def test_what_a_wait_quotes_is_harmless_and_has_no_secrets(tmp_path: Path) -> None:
    for output in ("table", "wide", "json", "jsonl", "yaml"):
        out = Asked(tmp_path, UNBOUND, output=output).out
        assert "no node" in out, output
        assert "hunter2" not in out, output
        assert "\x1b" not in out, output


def test_pods_that_wait_did_not_fail(tmp_path: Path) -> None:
    asked = Asked(tmp_path, GATED, NEW, HEALTHY, failed=True)

    assert (asked.code, asked.out) == (Exit.FINE, "Of 3 pods, 0 failed; 1 waiting, 1 not known, 1 healthy\n")


def test_nothing_hostile_reaches_the_terminal(tmp_path: Path) -> None:
    hostile = pod("a\x1b]0;owned\x07", message="\x1b[2J[bold]Error\u202e\x9b31m")
    for output in ("table", "wide", "json", "jsonl", "yaml", "name"):
        out = Asked(tmp_path, hostile, output=output, explain="all").out
        assert all(char.isprintable() or char == "\n" for char in out), output
        assert output == "name" or "[bold]" in out


def test_explain_all_gives_the_reason_for_every_rule(tmp_path: Path) -> None:
    out = Asked(tmp_path, pod("a", reason="OOMKilled"), explain="all").out

    assert "2 evaluated, 1 matched" in out
    assert "app/exception rule 0" in out


def test_json_is_an_object_for_one_and_an_array_for_many(tmp_path: Path) -> None:
    single = json.loads(Asked(tmp_path, pod("a", reason="OOMKilled"), output="json").out)
    many = json.loads(Asked(tmp_path, pod("a"), HEALTHY, output="json").out)

    assert (single["category"], single["subcategory"], single["origin"], single["retry"]) == (
        "oom",
        "container-limit",
        "user",
        "changed",
    )
    assert single["failure"]["exitCode"] == 1
    assert [answer["healthy"] for answer in many] == [False, True]


def test_yaml_and_json_lines_hold_the_same(tmp_path: Path) -> None:
    pods = (pod("a"), HEALTHY, pod("b", reason="OOMKilled"))
    lines = [json.loads(line) for line in Asked(tmp_path, *pods, output="jsonl").out.splitlines()]

    assert list(yaml.safe_load_all(Asked(tmp_path, *pods, output="yaml").out)) == lines


def test_an_unreadable_object_is_reported_and_the_rest_is_answered(tmp_path: Path) -> None:
    asked = Asked(tmp_path, pod("a"), '{"kind": "Service"}', "{", pod("b"))

    assert asked.code is Exit.USAGE
    assert "line 2: kind 'Service' cannot be classified" in asked.err
    assert "line 3: not JSON" in asked.err
    assert "team/b" in asked.out


@pytest.mark.parametrize(
    "text",
    [
        "",
        " \n",
        "[]",
        "null",
        "---\n---\n",
        '{"kind": "List", "items": []}',
        '{"kind": "List", "items": null}',
        '{\n  "apiVersion": "v1",\n  "items": null,\n  "kind": "PodList"\n}\n',
        "apiVersion: v1\nitems: []\nkind: List\n",
        "apiVersion: v1\nitems:\nkind: List\n",
    ],
)
def test_no_pods_are_nothing_wrong_and_are_said(tmp_path: Path, text: str) -> None:
    """There was no output at all, or that the input is empty, with exit code 2."""
    table, document = Asked(tmp_path, text), Asked(tmp_path, text, output="json")

    assert (table.code, table.out, table.err) == (Exit.FINE, "", f"No pods in {tmp_path}/pods.jsonl.\n")
    assert (document.code, document.out) == (Exit.FINE, "[]\n")
    assert [Asked(tmp_path, text, output=form).out for form in ("jsonl", "yaml", "name")] == ["", "", ""]


def test_a_list_may_have_no_null(tmp_path: Path) -> None:
    asked = Asked(tmp_path, "[null]")

    assert asked.code is Exit.USAGE
    assert "item 1: a null is not a Pod" in asked.err


def test_every_fault_of_a_rule_file_is_reported(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text("errorCategories:\n- name: a\n  rules:\n  - onExitCode: {}\n- name: a\n  rules: []\n")
    request = ClassifyRequest(files=[tmp_path / "none"], rules=rules)

    with pytest.raises(UsageError) as raised:
        run(request, out=io.StringIO(), err=io.StringIO())

    assert "rules.yaml:4:5" in str(raised.value)
    assert "onExitCodes" in str(raised.value)
    assert "rules.yaml:5" in str(raised.value)


TWICE = """\
errorCategories:
- name: oom
  origin: user
  rules:
  - {subcategory: container-limit, onConditions: [OOMKilled]}
  - {subcategory: sigkill, onExitCodes: {operator: In, values: [137]}}
"""


def test_the_deciding_text_is_shown_once(tmp_path: Path) -> None:
    """Also if two rules of its category match."""
    out = Asked(tmp_path, pod("a", exitCode=137, reason="OOMKilled"), rules=TWICE).out

    assert out.count("[system]") == 1
    assert len([line for line in out.splitlines() if "memory limit" in line]) == 1


def test_the_node_is_the_one_that_the_pod_was_given_to(tmp_path: Path) -> None:
    """Also if nothing else is known about the node."""
    given = pod("a") | {"spec": {"nodeName": "node-7"}}
    documents = json.loads(Asked(tmp_path, given, given, output="json").out)

    assert "Node        node-7\n" in Asked(tmp_path, given).out
    assert " node-7 " in Asked(tmp_path, given, given, output="wide").out
    assert [document["node"] for document in documents] == ["node-7", "node-7"]


def test_the_container_may_be_one_that_waits(tmp_path: Path) -> None:
    """If the match is about the whole pod, such as an event."""
    rules = "errorCategories:\n- name: image\n  rules:\n  - onPodEvents: {type: Warning, regexp: manifest unknown}\n"
    waiting = {"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff"}}}
    started = {"name": "later", "state": {"waiting": {"reason": "PodInitializing"}}}
    status = {"phase": "Pending", "containerStatuses": [started, waiting]}
    events = [{"type": "Warning", "reason": "Failed", "message": "manifest unknown"}]
    bundle = {"pod": {"kind": "Pod", "metadata": {"name": "a"}, "status": status}, "events": events}
    document = json.loads(Asked(tmp_path, bundle, output="json", rules=rules).out)

    assert (document["category"], document["container"], document["exitCode"]) == ("image", "main", None)


def test_the_exit_code_is_that_of_the_container_named_next_to_it(tmp_path: Path) -> None:
    """The culprit need not be the first container that failed."""
    both = pod("a", exitCode=2)
    killed = {"name": "proxy", "state": {"terminated": {"exitCode": 137, "reason": "OOMKilled"}}}
    both["status"]["containerStatuses"].append(killed)
    document = json.loads(Asked(tmp_path, both, output="json").out)

    assert (document["container"], document["exitCode"]) == ("proxy", 137)


def test_a_rule_for_a_namespace_knows_the_pods(tmp_path: Path) -> None:
    rules = """\
errorCategories:
- name: ours
  rules: [{allOf: [{onNamespaces: {operator: NotIn, values: [ci]}}, {onExitCodes: {operator: In, values: [1]}}]}]
"""
    ci = {**pod("b"), "metadata": {"name": "b", "namespace": "ci"}}
    answers = json.loads(Asked(tmp_path, pod("a"), ci, output="json", rules=rules).out)
    assert [answer["failure"]["classification"]["category"] for answer in answers] == ["ours", "none"]


def test_explain_shows_few_rules_of_hundreds(tmp_path: Path) -> None:
    pods, out = tmp_path / "pod.json", io.StringIO()
    pods.write_text(json.dumps(pod("a", exitCode=137, reason="OOMKilled")))
    run(ClassifyRequest(files=[pods], shown=Shown(explain="near")), out=out, err=io.StringIO())

    assert len(out.getvalue().partition("Rules ")[2].splitlines()) <= 10


FAILCTL = [sys.executable, "-m", "agent.ctl.main"]


@pytest.mark.slow
def test_ten_thousand_pods_stream_in_little_memory(tmp_path: Path) -> None:
    """The peak with 10,000 pods is that with 100, except for a little noise."""
    peaks = [_peak_kib(tmp_path, count) for count in (100, 10_000)]

    assert peaks[1] < peaks[0] + 20 * 1024


def _peak_kib(folder: Path, count: int) -> int:
    pods = folder / f"{count}.json"
    with pods.open("w") as file:
        file.write('{"apiVersion": "v1", "items": [')
        file.writelines(f"{',' if i else ''}{json.dumps(pod(f'p{i}', message='x' * 3000))}" for i in range(count))
        file.write("]}")
    script = (
        "import resource, sys\n"
        "from pathlib import Path\n"
        "from agent.ctl.classify.classify import ClassifyRequest, run\n"
        "request = ClassifyRequest(files=[sys.argv[1]])\n"
        "run(request, out=open('/dev/null', 'w'), err=sys.stderr)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
    )
    return int(output_of([sys.executable, "-c", script, str(pods)]))


@pytest.mark.slow
def test_a_narrow_terminal_is_not_overrun(tmp_path: Path) -> None:
    pods = tmp_path / "pods.jsonl"
    pods.write_text("\n".join(json.dumps(pod(f"a-rather-long-name-{i}", message="word " * 60)) for i in range(3)))

    shown = _on_terminal([*FAILCTL, "classify", "-f", str(pods)], columns=60)

    assert len(shown) == 4 + len(["", "3 pods", "the one category"])
    assert max(map(len, shown)) <= 60


def _on_terminal(command: list[str], *, columns: int) -> list[str]:
    ours, theirs = pty.openpty()
    environment = os.environ | {"COLUMNS": str(columns)}
    with Child(command, stdout=theirs, stderr=DEVNULL, env=environment) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
        assert process.wait() == 0
    os.close(ours)
    return shown.decode().splitlines()


def _read(terminal: int) -> bytes:
    assert select.select([terminal], [], [], SECONDS)[0] != [], "nothing more is shown"
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


@pytest.mark.slow
@pytest.mark.parametrize("command", [[], ["classify"], ["lint"], ["evaluate"], ["explain"]])
def test_help_loads_nothing_heavy(command: list[str]) -> None:
    script = (
        "import sys\n"
        "from agent.ctl.main import main\n"
        f"sys.argv = ['failctl', *{command!r}, '--help']\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'kubernetes', 'sqlalchemy', 'grpc', 'google.protobuf', 're2', 'aiohttp', 'yaml'}\n"
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr)\n"
    )
    done = child.run([sys.executable, "-c", script])

    assert (done.returncode, done.stderr.strip()) == (0, "[]")
    assert "Usage: failctl" in done.stdout


@pytest.mark.slow
def test_a_closed_pipe_is_no_error(tmp_path: Path) -> None:
    pods = tmp_path / "pods.jsonl"
    pods.write_text("\n".join(json.dumps(pod(f"p{i}")) for i in range(5000)))
    command = f"{sys.executable} -m agent.ctl.main classify -f {pods} | head -1"

    done = child.run(["bash", "-c", command])

    assert done.stdout.startswith("POD")
    assert (done.returncode, done.stderr) == (0, "")
