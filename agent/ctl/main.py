"""``failctl``: the program. Each command loads what it needs when it runs, so that ``--help`` is quick."""

import atexit
import gc
import os
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from agent.console.exits import Exit, end
from agent.console.options import Output
from agent.console.program import add, make_root, run_program
from agent.ctl.admission.commands import admission
from agent.ctl.broker.commands import broker
from agent.ctl.classify.commands import add_commands as add_classify
from agent.ctl.context.commands import context
from agent.ctl.dlq.commands import dlq
from agent.ctl.error_rule.commands import error_rule
from agent.ctl.evaluate.commands import add_commands as add_evaluate
from agent.ctl.explain.commands import add_commands as add_explain
from agent.ctl.finalizers.commands import finalizers
from agent.ctl.get.commands import get
from agent.ctl.job.commands import FeatureGates, jobs, jobsets
from agent.ctl.lookout.commands import lookout
from agent.ctl.policy.commands import add_commands as add_decide
from agent.ctl.policy.commands import policy
from agent.ctl.requests.commands import add_commands as add_requests
from agent.ctl.resources.commands import add_commands as add_resources
from agent.ctl.submit.commands import add_commands as add_submit
from agent.manifests.resource.kind import Kind

app = make_root(
    "failctl",
    "Why did it fail, and what happens next?",
    codes="0 nothing wrong; 1 a finding, or no such id; 2 cannot be read, or wrong usage; 3 unreachable; "
    "141 closed output",
)


def lint(
    files: Annotated[
        list[str] | None,
        typer.Argument(help="Files of any kind, folders of them; - is standard input.", metavar="[FILE]..."),
    ] = None,
    rules: Annotated[
        list[Path] | None,
        typer.Option("--rules", help="Rule files whose categories policies and Jobs may name.", metavar="FILE"),
    ] = None,
    gates: FeatureGates = None,
    output: Output = "table",
    settings: Annotated[
        Path | None,
        typer.Option("--settings", help="Lint for these settings; alone, the files they name.", metavar="FILE"),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 also for warnings.")] = False,
) -> None:
    """Find every problem in files, with line, column and fix.

    Files are rule files, retry policies, scenarios, Pods and jobs to submit, Jobs, JobSets, outcomes of pods, error
    tables, error codes and settings, together with the variables that override them. Warnings are about what works,
    but possibly not as intended.
    """

    def run() -> Exit:
        from agent.ctl.job.commands import gates_switched
        from agent.ctl.lint import LintRequest
        from agent.ctl.lint import run as run_lint

        on = gates_switched(gates or ())
        request = LintRequest(
            files=files or (), rules=rules or (), gates=on, settings=settings, strict=strict, output=output
        )
        return run_lint(request, environ=os.environ, now=datetime.now(UTC), out=sys.stdout)

    end(run)


if TYPE_CHECKING:
    SchemaName = str
else:  # the kinds of resources are a table, which type checkers do not read
    SchemaName = Literal[
        (
            "categories",
            *(kind.schema for kind in Kind),
            "settings",
            "scenario",
            "pod",
            "jobs",
            "job",
            "jobset",
            "outcomes",
            "errortable",
            "errorcodes",
        )
    ]


def schema(kind: Annotated[SchemaName, typer.Argument(help="The kind of file.", metavar="KIND")]) -> None:
    """Print the JSON Schema of a kind of file.

    For editors.
    """

    def run() -> Exit:
        from agent.ctl.schema import run as run_schema

        return run_schema(kind, out=sys.stdout)

    end(run)


add_explain(app)
add_classify(app)
add_evaluate(app)
add_submit(app)
add_requests(app)
add(app, "failctl lint my-rules.yaml retry-policy.yaml", "failctl lint policies/ --rules my-rules.yaml -o json")(lint)
add_decide(app)
add_resources(app)
add(app, "failctl schema categories > categories.schema.json", "failctl schema retrypolicy")(schema)
for _group in (get, admission, broker, context, dlq, error_rule, finalizers, jobs, jobsets, lookout, policy):
    app.add_typer(_group)


_UNTIL_COLLECTED: Final = 200_000
"""New objects before Python runs its garbage collector, by default 700: imports make many objects and no garbage.

Twice what ``explain`` makes, because one collection of them takes 40 ms.
"""


def main() -> None:
    """Run ``failctl``."""
    # pydantic would search all installed packages for plugins.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    gc.set_threshold(_UNTIL_COLLECTED)
    atexit.register(gc.freeze)  # the collections at exit take 0.1 s if SQLAlchemy is imported
    run_program(app, name="failctl")


if __name__ == "__main__":
    main()
