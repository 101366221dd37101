"""A plan of chaos: how many pods fail, and what is killed, in what order and at what moments."""

import random
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

RUNS_OF_A_JOB: Final = 10
RETRIES_OF_A_JOB: Final = 3
"""What the policy grants: a run that was decided twice would use up one that another is due."""

_TOGETHER: Final = 0.25
_LATEST_SECONDS: Final = 1.0


class Victim(StrEnum):
    """What is killed, always with SIGKILL."""

    AGENT = "agent"
    SCHEDULER = "scheduler"
    PULSAR = "Pulsar"
    API_SERVER = "kube-apiserver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """What is killed at one moment, ``after`` so many seconds of work."""

    victims: tuple[Victim, ...]
    after: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One round; order and moments follow from ``seed``. Every tenth pod is a run of the same job."""

    pods: int
    kills: Mapping[Victim, int]
    seed: int

    def names(self) -> list[str]:
        """The pods."""
        return [f"pod-{number:05}" for number in range(self.pods)]

    def blows(self) -> list[Blow]:
        """Every kill once; one in four falls together with the one before it, if that is of another kind."""
        draw = random.Random(self.seed)  # noqa: S311 - moments to repeat, not secrets
        order = [victim for victim, count in self.kills.items() for _ in range(count)]
        draw.shuffle(order)
        groups: list[tuple[Victim, ...]] = []
        for victim in order:
            if groups and victim not in groups[-1] and draw.random() < _TOGETHER:
                groups[-1] += (victim,)
            else:
                groups.append((victim,))
        return [Blow(victims=group, after=draw.uniform(0.0, _LATEST_SECONDS)) for group in groups]

    @property
    def retries(self) -> int:
        """How many runs are to be tried again, if no job's retries are spent twice."""
        runs = Counter(map(job_of, self.names()))
        return sum(min(RETRIES_OF_A_JOB, count) for count in runs.values())


def job_of(name: str) -> str:
    """The job that the pod of this name is a run of."""
    return f"job-{int(name.rpartition('-')[2]) // RUNS_OF_A_JOB:04}"


def labels_of(name: str) -> dict[str, str]:
    """What says so on the pod."""
    return {"armada_job_id": job_of(name), "armada_job_run_id": name}
