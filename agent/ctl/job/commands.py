"""``failctl job`` and ``failctl jobset``. Each command loads what it needs when it runs, as in ``main``."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent.console.exits import Exit, UsageError, end
from agent.console.options import Output
from agent.console.program import add, make_app
from agent.core.jobset.gates import NAMES, Gates, gates_of

FeatureGates = Annotated[
    list[str] | None,
    typer.Option("--gate", help="A feature gate of JobSets to switch on: RestartJob, InPlaceRestart.", metavar="NAME"),
]
Outcomes = Annotated[
    Path | None, typer.Option("--pods", help="The outcomes of its pods; - is standard input.", metavar="FILE")
]
Seed = Annotated[
    int | None, typer.Option("--random", help="Use random outcomes from this seed instead.", metavar="SEED")
]
ConditionRules = Annotated[
    Path | None,
    typer.Option(
        "--rules", help="Give failed pods our conditions by this rule file; default: the shipped one.", metavar="FILE"
    ),
]

jobs = make_app("job", "Simulate Jobs, and let them act on why pods fail.")
jobsets = make_app("jobset", "Simulate JobSets.")
policies = make_app("policy", "Failure policies of Jobs and JobSets.")
jobs.add_typer(policies)


@add(
    jobs,
    "failctl job simulate -f job.yaml --pods outcomes.yaml",
    "failctl job simulate -f job.yaml --random 7 -o json",
)
def simulate(
    job: Annotated[Path, typer.Option("-f", "--filename", help="The Job; - is standard input.", metavar="FILE")],
    pods: Outcomes = None,
    seed: Seed = None,
    rules: ConditionRules = None,
    output: Output = "table",
) -> None:
    """Simulate a Job without a cluster.

    Shows states, effects, indexes and reasons, step by step. If podFailurePolicy has a rule on one of our conditions,
    failed pods get the conditions that follow from their reason and message.
    """

    def run() -> Exit:
        from agent.ctl.job.simulate import JobRequest
        from agent.ctl.job.simulate import run as run_simulate

        return run_simulate(JobRequest(job=job, pods=pods, seed=seed, rules=rules, output=output), out=sys.stdout)

    end(run)


@add(
    jobsets,
    "failctl jobset simulate -f jobset.yaml --pods outcomes.yaml",
    "failctl jobset simulate -f jobset.yaml --random 7 --gate RestartJob",
    name="simulate",
)
def simulate_jobset(
    jobset: Annotated[Path, typer.Option("-f", "--filename", help="The JobSet; - is standard input.", metavar="FILE")],
    pods: Outcomes = None,
    seed: Seed = None,
    gates: FeatureGates = None,
    rules: ConditionRules = None,
    output: Output = "table",
) -> None:
    """Simulate a JobSet without a cluster.

    Shows decisions with their limits, effects and events, step by step. Failed pods get conditions as for a Job.
    """

    def run() -> Exit:
        from agent.ctl.job.jobset_simulate import JobSetRequest
        from agent.ctl.job.jobset_simulate import run as run_simulate

        on = gates_switched(gates or ())
        request = JobSetRequest(jobset=jobset, pods=pods, seed=seed, rules=rules, gates=on, output=output)
        return run_simulate(request, out=sys.stdout)

    end(run)


@add(
    policies,
    "failctl job policy suggest -f job.yaml > with-policy.yaml",
    "kubectl get job train -o yaml | failctl job policy suggest -f - --independent > train.yaml",
)
def suggest(
    file: Annotated[
        Path, typer.Option("-f", "--filename", help="Jobs and JobSets; - is standard input.", metavar="FILE")
    ],
    independent: Annotated[
        bool | None,
        typer.Option(
            "--independent/--together", help="Whether each pod works alone. Default: judged by what the Job runs."
        ),
    ] = None,
) -> None:
    """Add the rules by which a Job or JobSet acts on our pod conditions.

    Prints the whole file, and on standard error why each rule is there and what prevents it from working. Pods that
    need one another are never replaced alone.
    """

    def run() -> Exit:
        from agent.core.suggestion.together import Relation
        from agent.ctl.job.suggest import SuggestRequest
        from agent.ctl.job.suggest import run as run_suggest

        said = {True: Relation.INDEPENDENT, False: Relation.TOGETHER, None: None}[independent]
        return run_suggest(SuggestRequest(file=file, said=said), out=sys.stdout, err=sys.stderr)

    end(run)


def gates_switched(names: Sequence[str]) -> Gates:
    """Return the gates with these on. Raises UsageError for an unknown name."""
    try:
        return gates_of(dict.fromkeys(names, True))
    except KeyError as unknown:
        raise UsageError(f"--gate {unknown.args[0]}: unknown feature gate; use one of {', '.join(NAMES)}") from unknown
