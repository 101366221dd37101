"""``failctl job`` and ``failctl jobset``. Each command loads what it needs when it runs, as in ``main``."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from agent.core.jobset.gates import NAMES, Gates, gates_of
from agent.ctl.console.exits import Exit, UsageError, end

FeatureGates = Annotated[
    list[str] | None,
    typer.Option("--gate", help="A feature gate of JobSets to switch on: RestartJob, InPlaceRestart.", metavar="NAME"),
]

jobs = typer.Typer(name="job", help="Try Jobs.", no_args_is_help=True, rich_markup_mode=None)


@jobs.callback()
def _jobs() -> None:
    """Try Jobs."""


@jobs.command("simulate")
def job_simulate(
    job: Annotated[Path, typer.Option("-f", "--file", help="The Job; - is standard input.", metavar="FILE")],
    pods: Annotated[
        Path | None, typer.Option("--pods", help="How its pods end; - is standard input.", metavar="FILE")
    ] = None,
    seed: Annotated[int | None, typer.Option("--random", help="Draw how they end instead.", metavar="SEED")] = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Play a Job without a cluster: states, effects, indexes and reasons, step after step."""

    def run() -> Exit:
        from agent.ctl.job.simulate import JobRequest
        from agent.ctl.job.simulate import run as run_simulate

        return run_simulate(JobRequest(job=job, pods=pods, seed=seed, output=output), out=sys.stdout)

    end(run)


jobsets = typer.Typer(name="jobset", help="Try JobSets.", no_args_is_help=True, rich_markup_mode=None)


@jobsets.callback()
def _jobsets() -> None:
    """Try JobSets."""


@jobsets.command("simulate")
def jobset_simulate(
    jobset: Annotated[Path, typer.Option("-f", "--file", help="The JobSet; - is standard input.", metavar="FILE")],
    pods: Annotated[
        Path | None, typer.Option("--pods", help="How its pods end; - is standard input.", metavar="FILE")
    ] = None,
    seed: Annotated[int | None, typer.Option("--random", help="Draw how they end instead.", metavar="SEED")] = None,
    gates: FeatureGates = None,
    output: Annotated[str, typer.Option("-o", "--output", help="table or json.")] = "table",
) -> None:
    """Play a JobSet without a cluster: decisions with their limits, effects and events, step after step."""

    def run() -> Exit:
        from agent.ctl.job.jobset_simulate import JobSetRequest
        from agent.ctl.job.jobset_simulate import run as run_simulate

        request = JobSetRequest(jobset=jobset, pods=pods, seed=seed, gates=gates_switched(gates or ()), output=output)
        return run_simulate(request, out=sys.stdout)

    end(run)


def gates_switched(names: Sequence[str]) -> Gates:
    """Return the gates with these on. Raises UsageError for a name that is none."""
    try:
        return gates_of(dict.fromkeys(names, True))
    except KeyError as unknown:
        raise UsageError(f"--gate {unknown.args[0]}: unknown feature gate; use one of {', '.join(NAMES)}") from unknown
