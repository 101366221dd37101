"""docs/explain.svg, a terminal with ``failctl explain``: ``python -m tests.docs.picture FILE`` writes it.

Nothing in it is written by hand: the pods of ``pictured.yaml`` are classified by the shipped rules and decided by the
demo's policy, at the times given there, and ``failctl explain`` prints what the store then holds.
"""

import io
import os
import sys
import tempfile
from collections.abc import Iterator, Mapping
from contextvars import copy_context
from dataclasses import replace
from datetime import datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from agent.console.terminal import choose_colour
from agent.core.classify.classifier import Classifier
from agent.core.run_event import RunEvent
from agent.core.summary.redaction import DEFAULT_RULES, Redactor
from agent.ctl.explain.explain import ExplainRequest, run
from agent.ctl.rule_file import load_classifier
from agent.diagnose.diagnosis import Diagnoser
from agent.diagnose.subject import read_subject
from agent.observe.identity import identify, refer
from agent.scheduler.config.files import configuration_files
from agent.scheduler.consume.batch import DecisionInputs
from agent.scheduler.consume.handler import Decisions
from agent.shipped import shipped
from agent.store.store import Store
from tests.scheduler.path import delivery, message
from tests.tables import table

ROWS: Final[dict[str, Any]] = table(Path(__file__).parent / "pictured.yaml")
NOW: Final[datetime] = ROWS["now"]
COLUMNS: Final = 80
COMMAND: Final = f"failctl explain {ROWS['job'][:8]}"

THEME: Final = TerminalTheme(
    (27, 31, 36),
    (208, 214, 221),
    [(27, 31, 36), (240, 113, 120), (126, 200, 138), (229, 192, 108), (110, 168, 240), (198, 146, 232), (94, 196, 206),
     (208, 214, 221)],
)  # fmt: skip # a colour of the terminal's eight to a place

TEMPLATE: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">
<title>failctl explain in a terminal</title>
<!-- Made by `make generate`. Do not edit it here. -->
<style>
text {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace }}
text {{ font-size: {char_height}px; white-space: pre }}
.{unique_id}-title {{ font-size: 16px; fill: #8b949e }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""The parts that rich fills in; its own template loads fonts from the network."""


@cache
def screen() -> str:
    """What ``failctl explain`` prints for the job, with colours."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/store.db"
        with Store.open(url) as store:
            for event in _events():
                _decide(store, event)
        return copy_context().run(_explained, {"FAILURE_AGENT_STORE__URL": url})


def _explained(environ: Mapping[str, str]) -> str:
    """The answer as a user gets it who has our programs on the PATH, and the store in the environment."""
    out = io.StringIO()
    choose_colour("always")
    with patch.dict(os.environ, {"PATH": str(Path(sys.executable).parent)}):
        run(ExplainRequest(identifier=ROWS["job"][:8], utc=True), environ=environ, out=out, err=io.StringIO(), now=NOW)
    return out.getvalue()


def _decide(store: Store, event: RunEvent) -> None:
    """Decide as the scheduler would, at the moment at which the agent saw it."""
    Decisions(store, inputs=_inputs(), clock=lambda _: event.observed_at).handle([delivery(message(event))])


def _inputs() -> DecisionInputs:
    files = configuration_files(
        None,
        {},
        {
            "broker.url": "sqlite:///unused",
            "store.url": "sqlite:///unused",
            "policies": str([str(shipped("demo/retry-policy.yaml"))]),
            "scheduling.retryPolicy.enabled": "true",
            "scheduling.retryPolicy.defaultPolicyName": "demo",
        },
    )
    return replace(files.read().value.decision_inputs(), draw=lambda: 0.0)


def _events() -> Iterator[RunEvent]:
    """What an agent would publish of each pod."""
    classifier = load_classifier(None)
    for number, row in enumerate(ROWS["runs"]):
        yield _event(number, row, classifier)


def _event(number: int, row: dict[str, Any], classifier: Classifier) -> RunEvent:
    ended = NOW - timedelta(seconds=row["ended"])
    node = {"name": row["node"], "kernelLog": row.get("kernel_log", [])}
    subject = read_subject({"pod": _pod(number, row), "node": node})
    found = Diagnoser(classifier=classifier, redactor=Redactor(DEFAULT_RULES)).diagnose(subject, now=ended)
    if subject.pod is None or found.failure is None:
        raise ValueError(f"{row['name']} has not failed: {found.reason}")
    return RunEvent(
        event_id=f"event-{number}",
        cluster_id="0d6c1f2e",
        cluster="gpu-east",
        identity=identify(subject.pod),
        pod=refer(subject.pod),
        occurred_at=ended,
        observed_at=ended + timedelta(seconds=1),
        event=found.failure,
    )


def _pod(number: int, row: dict[str, Any]) -> dict[str, Any]:
    began, ended = ((NOW - timedelta(seconds=row[name])).isoformat() for name in ("began", "ended"))
    terminated = {**row["terminated"], "startedAt": began, "finishedAt": ended}
    labels = {"armada_job_id": ROWS["job"], "armada_queue_id": ROWS["queue"], "armada_job_run_index": str(number)}
    status = {"name": "main", "state": {"terminated": terminated}, "restartCount": 0, "ready": False}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": row["name"],
            "namespace": "team-a",
            "uid": f"uid-{number}",
            "labels": {**labels, "armada_job_run_id": f"{ROWS['job'][:-1]}{number}"},
            "annotations": {"failure-agent.dev/containers": "main"},
            "creationTimestamp": began,
        },
        "spec": {"nodeName": row["node"], "containers": [{"name": "main"}], "restartPolicy": "Never"},
        "status": {"phase": "Failed", "startTime": began, "containerStatuses": [status]},
    }


def picture() -> str:
    """The terminal as SVG."""
    # Without the environment: NO_COLOR and the like are about a terminal that is there.
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor", _environ={}
    )
    console.print(Text.assemble(("$ ", "dim"), (COMMAND, "bold")))
    console.print(Text.from_ansi(screen().rstrip("\n")))
    return console.export_svg(title=COMMAND, theme=THEME, code_format=TEMPLATE, unique_id="explain")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(picture(), encoding="utf-8")
