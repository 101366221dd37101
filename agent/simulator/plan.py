"""The plan of a workload: read from YAML, overridden from the command line."""

from pathlib import Path

import msgspec
from msgspec import Struct

from agent.simulator.script import FileError, read_yaml
from agent.simulator.times import Seconds, seconds


class PlanError(Exception):
    """A workload file cannot be used; says where and why."""


class Plan(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, rename="camel"):
    """A workload.

    ``scripts``: files, relative to the workload file. ``rate``: new jobs a second. ``duration``: how long jobs are made
    (``0s``: no end). ``sweep``: in this time from the start every script is played once, in the order of the files.
    ``mix``: weights by script name instead of the scripts' own; a script that is not named is then only swept.
    ``retries``: how many more runs a job gets whose run failed, for ``retried`` (0 to 1) of the jobs, ``retry_after``
    the end; ``again`` names the kinds of scripts whose jobs get them, none named means all. ``hold``: pods carry the
    label and the finalizer by which an agent holds them. ``cleanup``: an ended pod is deleted so long after.
    ``event_life``: how long events are kept.
    """

    scripts: tuple[str, ...] = ()
    rate: float = 2.0
    duration: str = "60s"
    seed: int = 1
    sweep: str = "4s"
    mix: dict[str, float] = {}
    retries: int = 3
    retried: float = 0.4
    retry_after: str = "1s"
    again: tuple[str, ...] = ()
    hold: bool = True
    cleanup: str = "5s"
    event_life: str = "5m"
    namespaces: tuple[str, ...] = ("team-a", "team-b")
    queues: tuple[str, ...] = ("research", "production")
    nodes: int = 8

    def __post_init__(self) -> None:
        """Raises ValueError for a duration that is none, or an empty list where one is needed."""
        for text in (self.duration, self.sweep, self.retry_after, self.cleanup, self.event_life):
            seconds(text)
        if not self.namespaces or not self.queues or self.nodes < 1:
            raise ValueError("a workload needs a namespace, a queue and a node")

    @property
    def lasts(self) -> Seconds:
        """Seconds for which jobs are made; 0 is no end."""
        return seconds(self.duration)


def load_plan(path: Path) -> tuple[Plan, tuple[Path, ...]]:
    """Read a workload file. Returns the plan and its script files. Raises PlanError."""
    try:
        plan = msgspec.convert(read_yaml(path), Plan)
    except FileError as error:
        raise PlanError(str(error)) from error
    except msgspec.ValidationError as error:
        raise PlanError(f"{path}: {error}") from error
    return plan, tuple(path.parent / name for name in plan.scripts)
