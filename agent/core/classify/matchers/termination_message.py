"""``onTerminationMessage``: the termination message of a container that exited with a non-zero code."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.ends import ended, ends, names
from agent.core.classify.matchers.matcher import Basis, PolicyMatcher
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.matchers.text import TextMatcher
from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerState, Evidence
from agent.core.failure import Trust

RUNTIME_REASONS = frozenset({"StartError", "ContainerCannotRun", "ContainerStatusUnknown"})
"""Termination reasons whose message the runtime or the kubelet wrote, not the process in the container.

Such a message may quote the pod's spec, for example the command that could not be run.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TerminationMessage(TextMatcher[Container], PolicyMatcher):
    """``onTerminationMessage``: the message of a container that ended."""

    NAME: ClassVar[str] = "onTerminationMessage"
    BASIS: ClassVar[Basis] = Basis.MESSAGE
    is_pod_level: ClassVar[bool] = False

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[Container, str]]:
        ends = ((container, failed(container)) for container in evidence.pod.containers)
        return ((container, state.message) for container, state in ends if state is not None)

    @staticmethod
    def text_of(subject: Container, evidence: Evidence) -> str:
        del evidence
        return ended(subject).message

    def seen(self, subject: Container, text: str, evidence: Evidence) -> Sight:
        del evidence
        return in_message(subject, ended(subject), text)

    def sought(self) -> str:
        return f"a termination message with {self.words()}"

    def words(self) -> str:
        return f"/{self.pattern.text}/"

    def meaning(self) -> list[object]:
        return [self.pattern.text]

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        looked_at, why = ends(container, evidence)
        if why:
            return why
        if self.count(container, evidence):
            return f"the pattern is not in the termination message of {names(looked_at)}"
        return f"{names(looked_at)} left no termination message"


def in_message(container: Container, state: ContainerState, text: str) -> Sight:
    """What was found in the message of a container with this terminated state."""
    where = f"container {container.name}: termination message"
    return Sight(where=where, text=text, trust=trust_in_message(state), container=container.name)


def trust_in_message(state: ContainerState) -> Trust:
    """Who wrote a termination message: the process in the container, unless the runtime says it never ran."""
    return Trust.SYSTEM if state.reason in RUNTIME_REASONS else Trust.USER_TEXT
