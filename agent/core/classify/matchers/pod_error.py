"""``onPodError``: the one message the platform gave for the pod."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from agent.core.classify.matchers.matcher import Basis
from agent.core.classify.matchers.sight import Sight
from agent.core.classify.matchers.termination_message import trust_in_message
from agent.core.classify.matchers.text import TextMatcher
from agent.core.classify.signs import failed
from agent.core.evidence import Container, ContainerKind, Evidence
from agent.core.failure import Trust

_QUOTING_WAITS = frozenset({"PostStartHookError"})
"""Reasons of waiting containers whose message contains output of the container's own hook."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PodError(TextMatcher[None]):
    """``onPodError``: the one message the platform gave for the pod."""

    NAME: ClassVar[str] = "onPodError"
    BASIS: ClassVar[Basis] = Basis.MESSAGE

    @staticmethod
    def texts(evidence: Evidence) -> Iterable[tuple[None, str]]:
        return ((None, evidence.pod_error),)

    @staticmethod
    def text_of(subject: None, evidence: Evidence) -> str:
        del subject
        return evidence.pod_error

    def seen(self, subject: None, text: str, evidence: Evidence) -> Sight:
        del subject
        return Sight(where="pod: error", text=text, trust=trust_in_pod_error(evidence))

    def why_not(self, container: str | None, evidence: Evidence) -> str:
        del container
        if not evidence.pod_error:
            return "the platform gave no error for the pod"
        return "the pattern is not in the pod's error"


def trust_in_pod_error(evidence: Evidence) -> Trust:
    """Who wrote the pod's error: the platform, if it is the pod's own message or quotes no text of a container.

    If no container failed it comes from conditions and waiting containers. The author of a bare message is unknown.
    """
    pod = evidence.pod
    if pod.message:
        return Trust.SYSTEM
    for container in pod.containers:
        ended = failed(container)
        if ended is not None and ended.message and trust_in_message(ended) is not Trust.SYSTEM:
            return Trust.USER_TEXT
        if container.state.reason in _QUOTING_WAITS:
            return Trust.USER_TEXT
    return Trust.SYSTEM if pod.conditions or pod.containers else Trust.USER_TEXT


def joined_errors(containers: Iterable[Container]) -> str:
    """One line for each container that failed, in Armada's words.

    Rules written for Armada match this text.
    """
    said = ""
    for container in containers:
        if (ended := container.ended) is not None and ended.exit_code and container.kind is not ContainerKind.EPHEMERAL:
            said += (
                f"Container {container.name} failed with exit code {ended.exit_code} "
                f"because {ended.reason}: {ended.message}\n"
            )
    return said
