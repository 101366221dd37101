"""JobSets: from a pod's failure to every effect of the restart that follows, at the size of KEP-262's story 4.

``--quick`` takes fewer rounds; ``--json`` prints one line of JSON last. Exits 1 below the target.
"""

import gc
import sys
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

from agent.core.job.effects import DeletePod
from agent.core.job.outcome import PodEnding
from agent.core.jobset.choices import AS_UPSTREAM, Choices, RestartBudget
from agent.core.jobset.defaults import defaulted
from agent.core.jobset.effects import DeleteJob
from agent.core.jobset.gates import ALL_ON
from agent.core.jobset.manifest import JobSet
from agent.core.jobset.play import JobSetPlay
from agent.core.jobset.reading import read_jobset_spec
from agent.core.jobset.simulated import JobSetOutcome, SimulatedJobSet
from agent.core.jobset.words import RESTART_JOB_SET, RESTART_JOB_SET_UNCOUNTED
from bench.report.command import options, report
from bench.report.held import Held, at_most

REPLICAS, PODS = 5, 3_000
MOST_MS = 1_000.0
ROUNDS, QUICK_ROUNDS = 7, 3
RULES = (1, 100)

NOW = datetime(2026, 1, 1, tzinfo=UTC)
OURS = Choices(
    budgets=(RestartBudget(limit=1_000, action=RESTART_JOB_SET), RestartBudget(limit=1_000, replicated_job="workers"))
)


def jobset(rules: int, choices: Choices = AS_UPSTREAM) -> JobSet:
    """Story 4's workers and parameter server; so many rules, of which the last is about the failure."""
    template = {"restartPolicy": "Never", "containers": [{"name": "main", "image": "python:3.8"}]}
    others = [
        {"action": "FailJobSet", "onJobFailureMessagePatterns": [f"lost rank {number} of the ring"]}
        for number in range(rules - 1)
    ]
    sizes = (("workers", REPLICAS, PODS), ("parameter-server", 1, 1))
    written = {
        "failurePolicy": {"maxRestarts": 3, "rules": [*others, {"action": RESTART_JOB_SET_UNCOUNTED}]},
        "replicatedJobs": [
            {
                "name": name,
                "replicas": replicas,
                "template": {
                    "spec": {
                        "parallelism": pods,
                        "completions": pods,
                        "backoffLimit": 0,
                        "template": {"spec": template},
                    }
                },
            }
            for name, replicas, pods in sizes
        ],
    }
    return JobSet(name="training", spec=defaulted(read_jobset_spec(written)), choices=choices, gates=ALL_ON)


def begun(of: JobSet) -> SimulatedJobSet:
    """A JobSet all of whose pods run."""
    simulated = SimulatedJobSet(play=JobSetPlay(jobset=of, now=NOW))
    simulated.begin()
    return simulated


@dataclass(frozen=True)
class Restart:
    """What one restart cost, and what it was made of."""

    ms: float
    effects: Mapping[str, int]


def restart(simulated: SimulatedJobSet) -> Restart:
    """One pod of a worker fails; all pods are deleted, and all are made anew."""
    gc.collect()
    gc.disable()
    started = time.process_time()
    before = {name: [pod.uid for pod in job.living()] for name, job in simulated.jobs.items()}
    scene = simulated.apply_outcome(
        JobSetOutcome(pod=PodEnding(index=PODS // 2, exit_code=1), replicated_job="workers")
    )
    effects = [effect for turn in scene.turns for effect in turn.step.effects]
    gone = [DeletePod(uid=uid) for effect in effects if isinstance(effect, DeleteJob) for uid in before[effect.name]]
    spent = (time.process_time() - started) * 1e3
    gc.enable()
    made = sum(simulated.living(name) for name in simulated.jobs)
    counts = Counter(type(effect).__name__ for effect in effects)
    return Restart(ms=spent, effects={**counts, "DeletePod": len(gone), "CreatePod": made})


def measure(rounds: int) -> dict[str, Restart]:
    """The median restart, by what the JobSet has: few rules, many, and budgets of ours."""
    kinds = {f"{rules} rules": (rules, AS_UPSTREAM) for rules in RULES} | {"budgets of ours": (1, OURS)}
    found = {}
    for kind, (rules, choices) in kinds.items():
        simulated = begun(jobset(rules, choices))
        restarts = [restart(simulated) for _ in range(rounds)]
        found[kind] = Restart(ms=median(restarted.ms for restarted in restarts), effects=restarts[-1].effects)
    return found


def verdicts(figures: Mapping[str, Restart]) -> list[Held]:
    """What is held to the target."""
    return [
        at_most(f"restart of {REPLICAS} x {PODS} pods, {kind}", found.ms, target=MOST_MS, unit="ms")
        for kind, found in figures.items()
    ]


def table(figures: Mapping[str, Restart]) -> str:
    """The figures for people."""
    return "\n".join(
        f"{kind:<18}{took.ms:>8.0f} ms  {', '.join(f'{name} {count}' for name, count in sorted(took.effects.items()))}"
        for kind, took in figures.items()
    )


def main(arguments: Sequence[str]) -> int:
    """Measure, print, and say by the exit code whether the targets are met."""
    given = options(__doc__, quick="fewer rounds").parse_args(arguments)
    figures = measure(QUICK_ROUNDS if given.quick else ROUNDS)
    print(table(figures))
    return report(verdicts(figures), {kind: found.ms for kind, found in figures.items()}, given=given)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
