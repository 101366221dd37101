"""A plan of one round: which jobs are submitted, and what is killed, in what order and at what moments."""

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tests.chaos.loop.jobs import ScriptedJob, drawn

_TOGETHER: Final = 0.25
_LATEST_SECONDS: Final = 2.0
_LONGEST_PAUSE_SECONDS: Final = 3.0


class Victim(StrEnum):
    """What is killed, always with SIGKILL. Of the two agents, which share a Lease, whichever the seed says."""

    AGENT = "agent"
    FIRST_SCHEDULER = "first scheduler"
    SECOND_SCHEDULER = "second scheduler"
    PULSAR = "Pulsar"
    API_SERVER = "kube-apiserver"


@dataclass(frozen=True, slots=True, kw_only=True)
class Blow:
    """What is killed at one moment, ``after`` so many seconds of work, and started again after ``pause`` seconds.

    ``agent`` is which of the agents, if one is killed.
    """

    victims: tuple[Victim, ...]
    after: float
    pause: float
    agent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One round; jobs, order and moments follow from ``seed``. Each of ``Victim`` is killed ``kills`` times."""

    jobs: int
    kills: int
    seed: int

    def scripted(self) -> Sequence[ScriptedJob]:
        """The jobs."""
        return drawn(self.jobs, seed=self.seed)

    def blows(self) -> list[Blow]:
        """Every kill once; one in four falls together with the one before it, if that is of another kind."""
        draw = random.Random(self.seed)  # noqa: S311 - moments to repeat, not secrets
        order = [victim for victim in Victim for _ in range(self.kills)]
        draw.shuffle(order)
        return [
            Blow(
                victims=group,
                after=draw.uniform(0.0, _LATEST_SECONDS),
                pause=draw.uniform(0.0, _LONGEST_PAUSE_SECONDS),
                agent=draw.randrange(2),
            )
            for group in _grouped(order, draw)
        ]

    def shares(self, number: int) -> Iterator[Sequence[ScriptedJob]]:
        """The jobs in as many parts."""
        jobs = self.scripted()
        return (jobs[index::number] for index in range(number))


def _grouped(order: Sequence[Victim], draw: random.Random) -> list[tuple[Victim, ...]]:
    groups: list[tuple[Victim, ...]] = []
    for victim in order:
        if groups and victim not in groups[-1] and draw.random() < _TOGETHER:
            groups[-1] += (victim,)
        else:
            groups.append((victim,))
    return groups
