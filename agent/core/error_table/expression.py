"""Where a job's architecture, release and work queue are read from: ``node.label:kubernetes.io/arch``."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from agent.core.error_table.given import Attributes

_KEYED = re.compile(r"(?P<place>node\.label|label|annotation):(?P<key>[A-Za-z0-9](?:[-A-Za-z0-9_./]*[A-Za-z0-9])?)")


class ExpressionRoot(StrEnum):
    """What an expression may look at."""

    NODE_LABELS = "node.label"
    POD_LABELS = "label"
    POD_ANNOTATIONS = "annotation"
    QUEUE_ID = "queue.id"


FORMS = ("node.label:KEY", "label:KEY", "annotation:KEY", "queue.id")
"""How expressions are written."""


class ExpressionError(ValueError):
    """An invalid expression."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expression:
    """One source and its key; ``queue.id`` has no key."""

    place: ExpressionRoot
    key: str = ""

    def __str__(self) -> str:
        return f"{self.place}:{self.key}" if self.key else str(self.place)


@dataclass(frozen=True, slots=True, kw_only=True)
class RunSurroundings:
    """What is known about a run: labels of its node and its pod, its annotations, and the number of its queue."""

    node_labels: Mapping[str, str] = field(default_factory=dict)
    pod_labels: Mapping[str, str] = field(default_factory=dict)
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    queue_id: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeExpressions:
    """One expression for each attribute that rules may set."""

    architecture: Expression = Expression(place=ExpressionRoot.NODE_LABELS, key="kubernetes.io/arch")
    release: Expression = Expression(place=ExpressionRoot.POD_ANNOTATIONS, key="failure-agent.dev/release")
    work_queue: Expression = Expression(place=ExpressionRoot.QUEUE_ID)


DEFAULT_EXPRESSIONS = AttributeExpressions()


def parse_expression(text: str) -> Expression:
    """Parse an expression. Raises ExpressionError."""
    if text == ExpressionRoot.QUEUE_ID:
        return Expression(place=ExpressionRoot.QUEUE_ID)
    found = _KEYED.fullmatch(text)
    if found is None:
        raise ExpressionError(f"{text!r} is not one of {', '.join(FORMS)}")
    return Expression(place=ExpressionRoot(found["place"]), key=found["key"])


def attributes_of(surroundings: RunSurroundings, expressions: AttributeExpressions) -> Attributes:
    """The attributes of a run; an absent one is missing. A work queue is a whole number or missing."""
    work_queue = _look(expressions.work_queue, surroundings)
    return Attributes(
        architecture=_look(expressions.architecture, surroundings),
        release=_look(expressions.release, surroundings),
        work_queue=int(work_queue) if work_queue and work_queue.isascii() and work_queue.isdigit() else None,
    )


def _look(expression: Expression, surroundings: RunSurroundings) -> str | None:
    if expression.place is ExpressionRoot.QUEUE_ID:
        return None if surroundings.queue_id is None else str(surroundings.queue_id)
    places = {
        ExpressionRoot.NODE_LABELS: surroundings.node_labels,
        ExpressionRoot.POD_LABELS: surroundings.pod_labels,
        ExpressionRoot.POD_ANNOTATIONS: surroundings.pod_annotations,
    }
    return places[expression.place].get(expression.key)
