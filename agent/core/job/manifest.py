"""A Job as its manifest describes it, with its defaults."""

from dataclasses import dataclass

from agent.core.job.choices import AS_UPSTREAM, Choices
from agent.core.job.rules import OurRule
from agent.core.job.words import JobSpec


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
