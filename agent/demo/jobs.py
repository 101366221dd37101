"""The jobs that a demo submits: what each does in its runs, when, and the document that submits it. Pure."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import yaml

from agent.simulator.assignment import SCRIPT_ANNOTATION
from agent.simulator.job import spec_for
from agent.simulator.script import SEPARATOR, Script

QUEUES: Final = ("research", "production")
TIMER_QUEUE: Final = "spare"
"""The queue of jobs whose pods a kubelet refuses: their retries wait no longer than for the grace period.

If the agent dies at the moment of the refusal, nothing but a person can confirm that such a pod never ran.
"""

_SUCCESS: Final = "success"
_JOB_SETS: Final = 20
_FAILS_AGAIN: Final = 0.4
"""The share of retried runs that fail like the run before."""

_FAILURES: Final = 3
"""How many runs of a job fail before one succeeds, at most. A job that fails more often never succeeds."""

_NEVER: Final = "Never"

Scripts = Mapping[str, Mapping[str, Script]]
"""What the pods of each cluster can play: scripts by name, by cluster."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoJob:
    """A job to be submitted ``at`` seconds from the start. ``scripts`` are for its runs; later ones play the last.

    Its ``namespace`` is what decides on which cluster it runs.
    """

    at: float
    number: int
    namespace: str
    queue: str
    job_set: str
    first: Script
    scripts: tuple[str, ...]

    @property
    def client_id(self) -> str:
        return f"demo-{self.number:04d}"

    def document(self) -> str:
        """The job in a jobs file, as Armada has them."""
        job = {
            "clientId": self.client_id,
            "namespace": self.namespace,
            "annotations": {SCRIPT_ANNOTATION: f"{SEPARATOR} ".join(self.scripts)},
            "podSpec": spec_for(self.first),
        }
        return yaml.safe_dump({"queue": self.queue, "jobSetId": self.job_set, "jobs": [job]}, sort_keys=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How fast jobs come: every script once within ``sweep`` seconds, then ``rate`` jobs a second for each cluster."""

    sweep: float = 4.0
    rate: float = 1.5


def demo_jobs(
    scripts: Scripts, *, namespaces: Mapping[str, str], seconds: float, pace: Pace, rng: random.Random
) -> Sequence[DemoJob]:
    """All jobs of a demo, in order: every script of every cluster once, then a choice by weight until time is up."""
    playable = {cluster: _playable(by_name) for cluster, by_name in scripts.items()}
    at = sorted(
        (*_swept(playable, pace), *_mixed(playable, pace, seconds=seconds, rng=rng)), key=lambda start: start[0]
    )
    return [
        _job(number, moment, script, namespace=namespaces[cluster], rng=rng)
        for number, (moment, cluster, script) in enumerate(at, start=1)
    ]


def due(jobs: Sequence[DemoJob], *, elapsed: float) -> Sequence[DemoJob]:
    """Those of the jobs that are to be submitted by now."""
    return [job for job in jobs if job.at <= elapsed]


def documents(jobs: Sequence[DemoJob]) -> str:
    """A text that submits all of them."""
    return "---\n".join(job.document() for job in jobs)


def _playable(scripts: Mapping[str, Script]) -> Sequence[Script]:
    """Those whose pod can be submitted: the containers of a run are not started again."""
    return [script for script in scripts.values() if spec_for(script)["restartPolicy"] == _NEVER]


def _swept(playable: Mapping[str, Sequence[Script]], pace: Pace) -> Iterator[tuple[float, str, Script]]:
    for cluster, scripts in playable.items():
        for number, script in enumerate(scripts):
            yield number * pace.sweep / len(scripts), cluster, script


def _mixed(
    playable: Mapping[str, Sequence[Script]], pace: Pace, *, seconds: float, rng: random.Random
) -> Iterator[tuple[float, str, Script]]:
    for number in range(int(max(0.0, seconds - pace.sweep) * pace.rate)):
        for cluster, scripts in playable.items():
            (script,) = rng.choices(scripts, [choice.weight for choice in scripts])
            yield pace.sweep + number / pace.rate, cluster, script


def _job(number: int, at: float, script: Script, *, namespace: str, rng: random.Random) -> DemoJob:
    refused = any(step.rejected for step in script.steps)
    queue = TIMER_QUEUE if refused else rng.choice(QUEUES)
    return DemoJob(
        at=at,
        number=number,
        namespace=namespace,
        queue=queue,
        job_set=f"{queue}-{rng.randrange(_JOB_SETS):02d}",
        first=script,
        scripts=_runs(script, rng),
    )


def _runs(script: Script, rng: random.Random) -> tuple[str, ...]:
    """What the runs of a job play if there is more than one: it fails some times like the first, or always."""
    if not script.fails:
        return (script.name,)
    failures = 1
    while failures <= _FAILURES and rng.random() < _FAILS_AGAIN:
        failures += 1
    return (script.name,) if failures > _FAILURES else (*[script.name] * failures, _SUCCESS)
