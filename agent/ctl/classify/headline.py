"""The first part of a diagnosis, the same in a card, a row and a document."""

from dataclasses import dataclass

from agent.core.classify.advised import advised
from agent.core.evidence import Container, StateKind
from agent.core.failure import Advised, Failure
from agent.core.failure_text.category import leaf
from agent.core.failure_text.deciding import deciding
from agent.core.failure_text.fault import fault
from agent.diagnose.diagnosis import Diagnosis
from agent.observe.signs import BENIGN_WAITS


@dataclass(frozen=True, slots=True, kw_only=True)
class Headline:
    """The cells. ``advice`` is what is advised in effect, ``exit_code`` that of ``container``, the one that failed.

    ``category`` includes the subcategory. Texts may quote the pod, so the caller must make them harmless.
    """

    name: str
    category: str
    fault: str
    advice: Advised | None
    container: str
    exit_code: int | None
    node: str
    what: str
    hint: str


def headline(diagnosis: Diagnosis, failure: Failure) -> Headline:
    """The cells of the failure that a diagnosis found, by the container and the match that decided."""
    found, container = failure.classification, container_of(failure)
    return Headline(
        name=diagnosis.name,
        category=leaf(found.category, found.subcategory),
        fault=fault(found),
        advice=advised(found),
        container=container.name if container is not None else failure.culprit_container,
        exit_code=_exit_code(failure, container),
        node=diagnosis.node or (failure.node.name if failure.node is not None else ""),
        what=deciding(failure).sentence,
        hint=found.hint,
    )


def container_of(failure: Failure) -> Container | None:
    """The container that failed, else the first that waits for a reason that is a problem."""
    for container in failure.pod.containers:
        if container.name == failure.culprit_container:
            return container
    waiting = (container for container in failure.pod.containers if container.state.kind is StateKind.WAITING)
    return next((container for container in waiting if container.state.reason not in BENIGN_WAITS), None)


def _exit_code(failure: Failure, container: Container | None) -> int | None:
    if container is None:
        return failure.exit_code
    return container.ended.exit_code if container.ended is not None else None
