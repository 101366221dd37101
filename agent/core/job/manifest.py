"""A Job as its manifest describes it, with its defaults; where it may choose to differ from upstream (docs/jobs.md)."""

from dataclasses import dataclass

from agent.core.job.rules import OurRule
from agent.core.job.words import JobSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """The options that a Job sets by annotations.

    ``delay_ignored``: failures that Ignore does not count still delay the next pod. ``delay_each``: each of several
    simultaneous failures doubles the delay. ``restarts_reach``: restarts under OnFailure end the Job when they reach
    ``backoffLimit``, not when they exceed it.
    """

    delay_ignored: bool = True
    delay_each: bool = True
    restarts_reach: bool = True


AS_UPSTREAM = Choices()


@dataclass(frozen=True, slots=True, kw_only=True)
class JobManifest:
    """A Job. ``spec`` has its defaults; ``choices``, ``rules`` and ``policies`` come from its annotations.

    ``policies`` are the names of the retry policies that apply to it.
    """

    name: str
    namespace: str = "default"
    spec: JobSpec
    choices: Choices = AS_UPSTREAM
    rules: tuple[OurRule, ...] = ()
    policies: tuple[str, ...] = ()
