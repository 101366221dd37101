"""Jobs that follow a script: what each of their runs does, and what a person asks of them. Drawn from a seed. Pure."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class Fault(StrEnum):
    """How a run fails. ``STUCK``: an init container runs for too long, and has to be stopped."""

    CODE = "code"
    MEMORY = "memory"
    PREEMPTED = "preempted"
    STUCK = "stuck"
    NO_RULE = "no-rule"


class Asked(StrEnum):
    """What a person asks of a job. The first run of such a job does not end by itself before that."""

    CANCEL = "cancel"
    CANCEL_AT_ONCE = "cancel-at-once"
    NEVER_RETRY = "never-retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class Play:
    """One run: its containers run for ``seconds``, and for ``stop_seconds`` after the pod's deletion was asked for.

    Without a ``fault`` it succeeds.
    """

    seconds: float
    fault: Fault | None = None
    stop_seconds: float = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptedJob:
    """A job whose runs follow ``plays``, all later ones the last."""

    number: int
    plays: tuple[Play, ...]
    asked: Asked | None = None

    def play(self, index: int) -> Play:
        """What the run of this index does."""
        return self.plays[min(index, len(self.plays) - 1)]

    @property
    def waits_for_request(self) -> bool:
        """Whether its run goes on until the request was granted, and fails then."""
        return self.asked is Asked.NEVER_RETRY


_RETRIED: Final = (Fault.CODE, Fault.MEMORY, Fault.PREEMPTED, Fault.STUCK)
_KINDS: Final = {
    "succeeds": 4,
    "recovers": 6,
    "mixed": 4,
    "exhausted": 2,
    "no-rule": 1,
    "slow": 2,
    "cancel": 2,
    "cancel-at-once": 1,
    "never-retry": 2,
}
_LONG_SECONDS: Final = (6.0, 12.0)
_SHORT_SECONDS: Final = (0.1, 2.0)
_STOP_SECONDS: Final = (0.1, 3.0)


def drawn(count: int, *, seed: int) -> Sequence[ScriptedJob]:
    """As many jobs, the same for the same seed."""
    draw = random.Random(seed)  # noqa: S311 - scripts to repeat, not secrets
    kinds = draw.choices([*_KINDS], [*_KINDS.values()], k=count)
    return [_job(number, kind, draw) for number, kind in enumerate(kinds)]


def _job(number: int, kind: str, draw: random.Random) -> ScriptedJob:
    match kind:
        case "succeeds" | "slow":
            plays = [_play(draw, seconds=_LONG_SECONDS if kind == "slow" else _SHORT_SECONDS)]
        case "recovers":
            fault = draw.choice(_RETRIED)
            plays = [*(_play(draw, fault) for _ in range(draw.randint(1, 3))), _play(draw)]
        case "mixed":
            plays = [*(_play(draw, draw.choice(_RETRIED)) for _ in range(draw.randint(2, 5))), _play(draw)]
        case "exhausted":
            plays = [_play(draw, draw.choice(_RETRIED))]
        case "no-rule":
            plays = [_play(draw, Fault.NO_RULE)]
        case "cancel" | "cancel-at-once":
            return ScriptedJob(number=number, plays=(_play(draw, seconds=(1e6, 1e6)),), asked=Asked(kind))
        case _:
            return ScriptedJob(number=number, plays=(_play(draw, Fault.PREEMPTED),), asked=Asked.NEVER_RETRY)
    return ScriptedJob(number=number, plays=tuple(plays))


def _play(draw: random.Random, fault: Fault | None = None, *, seconds: tuple[float, float] = _SHORT_SECONDS) -> Play:
    return Play(seconds=draw.uniform(*seconds), fault=fault, stop_seconds=draw.uniform(*_STOP_SECONDS))
